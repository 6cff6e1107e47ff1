// SPDX-License-Identifier: GPL-2.0

// Goroutines that do next to nothing, of two kinds: a new one each time, and two that hand
// their processor to each other; and one whose work is long. Prints for how many nanoseconds it was on a CPU.
package main

import (
	"fmt"
	"runtime"
	"sync"
	"syscall"
	"unsafe"
)

const (
	rounds = 40
	count  = 100
	yields = 2000
	unit   = 200000
)

var all sync.WaitGroup

//go:noinline
func work(units int) (sum uint64) {
	for i := 0; i < units*unit; i++ {
		sum = sum*3 + uint64(i)
	}
	return sum
}

func short() { all.Done() }

func hands() {
	defer all.Done()
	for i := 0; i < yields; i++ {
		runtime.Gosched()
	}
}

func long() {
	defer all.Done()
	work(100)
}

func cpu() int64 {
	const ofProcess = 2
	var ts syscall.Timespec
	syscall.Syscall(syscall.SYS_CLOCK_GETTIME, ofProcess, uintptr(unsafe.Pointer(&ts)), 0)
	return ts.Nano()
}

func main() {
	begin := cpu()
	for i := 0; i < rounds; i++ {
		all.Add(count)
		for j := 0; j < count; j++ {
			go short()
		}
		all.Wait()
	}
	all.Add(2)
	go hands()
	go hands()
	all.Wait()
	all.Add(1)
	go long()
	all.Wait()
	fmt.Println("cpu", cpu()-begin)
}
