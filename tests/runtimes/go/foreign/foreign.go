// SPDX-License-Identifier: GPL-2.0

// A thread of C's that calls Go, and works in C in between, TURNS times. Meanwhile a goroutine
// works: with one processor, Go's scheduler has to make room for each call. It knows nothing of coroprof.
package main

/*
#cgo LDFLAGS: -pthread
void thread_begin(int turns);
void thread_end(void);
*/
import "C"

import (
	"fmt"
	"os"
	"sync/atomic"
)

const (
	turns = 5
	unit  = 200000
)

var calls int32

//go:noinline
func work(units int) (sum uint64) {
	for i := 0; i < units*unit; i++ {
		sum = sum*3 + uint64(i)
	}
	return sum
}

//export called
func called() {
	work(1)
	atomic.AddInt32(&calls, 1)
}

var units = make(chan int)

func spins() {
	n := 0
	for ; atomic.LoadInt32(&calls) < turns; n++ {
		work(1)
	}
	units <- n
}

func main() {
	go spins()
	C.thread_begin(turns)
	n := <-units
	C.thread_end()
	fmt.Println(n)
	os.Exit(7)
}
