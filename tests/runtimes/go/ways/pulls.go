// SPDX-License-Identifier: GPL-2.0

//go:build go1.23

package main

import "iter"

var more = []func(){pulls, passes}

// Work of the one that yields: a coroutine of its own.
func yielded(units int) iter.Seq[int] {
	return func(yield func(int) bool) {
		for i := 0; i < turns; i++ {
			work(units)
			if !yield(units) {
				return
			}
		}
	}
}

// Work of both sides.
func pulls() {
	defer all.Done()
	units := its(&of.pulls)
	next, stop := iter.Pull(yielded(units))
	defer stop()
	for _, ok := next(); ok; _, ok = next() {
		work(units)
	}
}

// It stops in the middle, so that the coroutine ends early.
func passes() {
	defer all.Done()
	units := its(&of.passes)
	next, stop := iter.Pull(yielded(units))
	next()
	work(turns * units)
	stop()
}
