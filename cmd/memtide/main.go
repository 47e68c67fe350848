// Command memtide reads memory captures, says what they mean, and writes it down.
package main

import (
	"os"
	"runtime"
	"runtime/debug"
)

func main() {
	if os.Getenv("GOGC") == "" {
		collectLate()
	}
	os.Exit(run(os.Args, os.Stdin, os.Stdout, os.Stderr))
}

// Percents of the collector: the usual one of Go, and the one at which the first collection comes at 32 MB of heap, not at 4 MB.
// Most captures are read in less, and need none.
const (
	usualPercent = 100
	latePercent  = 800
)

// collectLate puts the first collection off. With it the percent is the usual one again, unless it was set meanwhile.
func collectLate() {
	debug.SetGCPercent(latePercent)
	runtime.AddCleanup(new([32]byte), func(struct{}) {
		if was := debug.SetGCPercent(usualPercent); was != latePercent {
			debug.SetGCPercent(was)
		}
	}, struct{}{})
}
