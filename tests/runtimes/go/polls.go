// SPDX-License-Identifier: GPL-2.0

// Goroutines that the network poller makes ready, to be run with GOMAXPROCS=1 and GODEBUG=asyncpreemptoff=1. Four read from
// pipes, which get a byte each, one right after the other, TURNS times, and work then: each waits for those that run before
// it. It prints for each how many units these worked. One reads while another works on: the poller is asked meanwhile. It
// knows nothing of coroprof.
package main

import (
	"fmt"
	"os"
	"sync"
	"time"
)

const (
	turns = 5
	unit  = 200000
	units = 5
	nap   = 5 * time.Millisecond
	long  = 100
)

var (
	all    sync.WaitGroup
	worked int
	before [4]int
	from   [4]*os.File
	late   *os.File
)

//go:noinline
func work(units int) (sum uint64) {
	for i := 0; i < units*unit; i++ {
		sum = sum*3 + uint64(i)
	}
	return sum
}

func read(from *os.File) {
	if _, err := from.Read(make([]byte, 1)); err != nil {
		panic(err)
	}
}

func write(to *os.File) {
	if _, err := to.Write([]byte{1}); err != nil {
		panic(err)
	}
}

// Nobody else runs meanwhile: there is one processor.
func reads(n int) {
	for i := 0; i < turns; i++ {
		read(from[n])
		before[n] += worked
		worked += units
		work(units)
		all.Done()
	}
}

// A start function has no arguments, or it would not be the name.
func first()  { reads(0) }
func second() { reads(1) }
func third()  { reads(2) }
func fourth() { reads(3) }

func waits() {
	read(late)
	all.Done()
}

func pipe(from **os.File) (to *os.File) {
	var err error
	if *from, to, err = os.Pipe(); err != nil {
		panic(err)
	}
	return to
}

func main() {
	var to [4]*os.File
	for i := range to {
		to[i] = pipe(&from[i])
	}
	for _, start := range []func(){first, second, third, fourth} {
		go start()
	}
	for i := 0; i < turns; i++ {
		all.Add(len(to))
		time.Sleep(nap)
		worked = 0
		for _, pipe := range to {
			write(pipe)
		}
		all.Wait()
	}
	toLate := pipe(&late)
	all.Add(1)
	go waits()
	time.Sleep(nap)
	write(toLate)
	work(long)
	all.Wait()
	fmt.Println(before)
	os.Exit(7)
}
