// SPDX-License-Identifier: GPL-2.0

// Goroutines that are begun with arguments, for which the compiler makes functions of its own.
package main

type server struct{ n int }

var total int
var done = make(chan int)

//go:noinline
func large(n int) {
	for i := 0; i < n; i++ {
		total += i
	}
	done <- n
}

func small(n int) { done <- n }

//go:noinline
func (s *server) serve(n int) { done <- s.n + n }

type runner interface{ serve(n int) }

//go:noinline
func begins(r runner, f func(int)) {
	go r.serve(1)
	go f(2)
	go large(3)
}

func main() {
	s := &server{3}
	go large(4)
	go small(5)
	go s.serve(6)
	go func() { done <- 7 }()
	begins(s, small)
	for i := 0; i < 7; i++ {
		<-done
	}
}
