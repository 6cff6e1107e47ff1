// SPDX-License-Identifier: GPL-2.0

// A profile of Go's scheduler at work, in a file: with it the compiler puts functions of the scheduler into each other.
// Goroutines do little but leave their processor, in several ways. usage: profile FILE
package main

import (
	"os"
	"runtime"
	"runtime/pprof"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

// Of the processor: on a busy machine the clock goes on meanwhile, and samples are too few.
const length = 4 * time.Second

var (
	all  sync.WaitGroup
	lock sync.Mutex
	over atomic.Bool
)

func talks() {
	done := make(chan bool)
	go func() { done <- true }()
	<-done
}

func locks() {
	lock.Lock()
	runtime.Gosched()
	lock.Unlock()
}

func repeat(way func()) {
	for !over.Load() {
		way()
	}
	all.Done()
}

func ran() time.Duration {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		panic(err)
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

func switches() {
	for _, way := range []func(){runtime.Gosched, talks, locks} {
		for i := 0; i < 4; i++ {
			all.Add(1)
			go repeat(way)
		}
	}
	for ran() < length {
		time.Sleep(length / 40)
	}
	over.Store(true)
	all.Wait()
}

func main() {
	file, err := os.Create(os.Args[1])
	if err == nil {
		err = pprof.StartCPUProfile(file)
	}
	if err == nil {
		switches()
		pprof.StopCPUProfile()
		err = file.Close()
	}
	if err != nil {
		panic(err)
	}
}
