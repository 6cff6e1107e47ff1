// SPDX-License-Identifier: GPL-2.0

// A server on net/http: what it does for a request has goroutines of its own.
package main

import (
	"fmt"
	"net"
	"net/http"
	"os"
	"time"
)

var answers = make(chan uint64)

func hash() {
	sum := uint64(1)
	for i := uint64(0); i < 300000; i++ {
		sum = sum*31 + i
	}
	answers <- sum
}

func cheap(w http.ResponseWriter, r *http.Request) {
	fmt.Fprintln(w, "cheap")
}

func heavy(w http.ResponseWriter, r *http.Request) {
	go hash()
	fmt.Fprintln(w, "heavy", <-answers)
}

func waits(w http.ResponseWriter, r *http.Request) {
	time.Sleep(5 * time.Millisecond)
	fmt.Fprintln(w, "waited")
}

func quit(w http.ResponseWriter, r *http.Request) {
	fmt.Fprintln(w, "bye")
	go func() {
		time.Sleep(20 * time.Millisecond)
		os.Exit(0)
	}()
}

func main() {
	http.HandleFunc("/cheap", cheap)
	http.HandleFunc("/heavy", heavy)
	http.HandleFunc("/waits", waits)
	http.HandleFunc("/quit", quit)
	listener, err := net.Listen("tcp", "127.0.0.1:8080")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	http.Serve(listener, nil)
}
