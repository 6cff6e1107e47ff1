// SPDX-License-Identifier: GPL-2.0

// Goroutines whose work is known, of each way by which Go leaves one: three of a way, that run
// loops of 1, 5 and 20 units each, TURNS times, and switch in between. It knows nothing of coroprof.
package main

import (
	"fmt"
	"os"
	"runtime"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

const (
	turns = 5
	unit  = 200000
	nap   = 2 * time.Millisecond
)

var (
	all  sync.WaitGroup
	lock sync.Mutex
	done int
)

// How many of a way have begun.
var of struct {
	sleeps, blocks, calls, talks, locks, yields, spins, alone, last, pulls, passes int32
}

// A start function has no arguments, or it would not be the name.
func its(begun *int32) int {
	return []int{1, 5, 20}[atomic.AddInt32(begun, 1)-1]
}

//go:noinline
func work(units int) (sum uint64) {
	for i := 0; i < units*unit; i++ {
		sum = sum*3 + uint64(i)
	}
	return sum
}

// Its timer wakes it.
func sleeps() {
	defer all.Done()
	units := its(&of.sleeps)
	for i := 0; i < turns; i++ {
		work(units)
		time.Sleep(nap)
	}
}

// Its processor is taken from it while it is in the kernel.
func blocks() {
	defer all.Done()
	units := its(&of.blocks)
	for i := 0; i < turns; i++ {
		work(units)
		length := syscall.NsecToTimespec(int64(nap))
		syscall.Nanosleep(&length, nil)
	}
}

// Another thread is to go on with it, or with others, whenever it comes back from the kernel.
func calls() {
	defer all.Done()
	units := its(&of.calls)
	for i := 0; i < turns; i++ {
		for part := 0; part < units; part++ {
			work(1)
			syscall.Sync()
		}
	}
}

func echoes(from, to chan int) {
	for units := range from {
		to <- units
	}
	close(to)
}

// It is handed on by whom it waits for.
func talks() {
	defer all.Done()
	units := its(&of.talks)
	to, from := make(chan int), make(chan int)
	go echoes(to, from)
	for i := 0; i < turns; i++ {
		work(units)
		to <- units
		<-from
	}
	close(to)
}

// It has what others wait for.
func locks() {
	defer all.Done()
	units := its(&of.locks)
	for i := 0; i < turns; i++ {
		lock.Lock()
		work(units)
		done += units
		lock.Unlock()
	}
}

func yields() {
	defer all.Done()
	units := its(&of.yields)
	for i := 0; i < turns; i++ {
		work(units)
		runtime.Gosched()
	}
}

// It is made to leave, in the middle of its loop, after 10 ms.
func spins() {
	defer all.Done()
	units := its(&of.spins)
	work(turns * units)
}

// Its thread runs no other.
func alone() {
	defer all.Done()
	units := its(&of.alone)
	runtime.LockOSThread()
	for i := 0; i < turns; i++ {
		work(units)
		time.Sleep(nap)
		runtime.Gosched()
	}
	runtime.UnlockOSThread()
}

// Its thread ends with it.
func last() {
	defer all.Done()
	units := its(&of.last)
	runtime.LockOSThread()
	work(turns * units)
}

func main() {
	ways := []func(){sleeps, blocks, calls, talks, locks, yields, spins, alone, last}
	ways = append(ways, more...)
	all.Add(3 * len(ways))
	for _, way := range ways {
		for i := 0; i < 3; i++ {
			go way()
		}
	}
	all.Wait()
	fmt.Println(done, len(ways))
	os.Exit(7)
}
