// SPDX-License-Identifier: GPL-2.0

// Goroutines whose work is known: COUNT of three kinds that run loops of 1, 5 and 20 units,
// TURNS times, and sleep in between. One hands its processor on between its turns. One waits
// for another that works; one fails and is caught. It knows nothing of coroprof.
package main

import (
	"fmt"
	"os"
	"runtime"
	"sync"
	"time"
)

const (
	count = 4
	turns = 5
	unit  = 200000
	nap   = 2 * time.Millisecond
)

var (
	all  sync.WaitGroup
	lock sync.Mutex
	done int
)

//go:noinline
func work(units int) (sum uint64) {
	for i := 0; i < units*unit; i++ {
		sum = sum*3 + uint64(i)
	}
	return sum
}

func turn(units int) {
	defer all.Done()
	for i := 0; i < turns; i++ {
		work(units)
		time.Sleep(nap)
		lock.Lock()
		done += units
		lock.Unlock()
	}
}

func light()  { turn(1) }
func middle() { turn(5) }
func heavy()  { turn(20) }

func yields() {
	defer all.Done()
	for i := 0; i < turns; i++ {
		work(1)
		runtime.Gosched()
	}
}

var news = make(chan uint64)

func waits() {
	defer all.Done()
	<-news
}

func answers() {
	defer all.Done()
	time.Sleep(nap)
	news <- work(20)
}

func fails() {
	defer all.Done()
	defer func() {
		recover()
		work(5)
	}()
	panic("it fails")
}

func main() {
	all.Add(3*count + 4)
	go waits()
	go answers()
	for i := 0; i < count; i++ {
		go light()
		go middle()
		go heavy()
	}
	go yields()
	go fails()
	all.Wait()
	fmt.Println(done)
	os.Exit(7)
}
