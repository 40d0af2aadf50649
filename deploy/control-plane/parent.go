package main

import (
	"fmt"
	"os"
	"strconv"
	"time"
)

// followParent ends this process soon after the process of the given id is no longer its parent, so that
// a killed test leaves nothing behind. An empty id asks for nothing.
func followParent(id string) {
	if id == "" {
		return
	}
	parent, err := strconv.Atoi(id)
	if err != nil {
		fail(fmt.Sprintf("CONTROL_PLANE_PARENT is %q, which is no process id", id))
	}
	go func() {
		for os.Getppid() == parent {
			time.Sleep(500 * time.Millisecond)
		}
		fail("the parent process is gone")
	}()
}

func fail(message string) {
	fmt.Fprintln(os.Stderr, message)
	os.Exit(2)
}
