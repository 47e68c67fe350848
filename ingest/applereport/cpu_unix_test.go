//go:build unix

package applereport

import (
	"syscall"
	"time"
)

// cpuOf gives the CPU time that this process took while f ran, the collector's included.
func cpuOf(f func()) time.Duration {
	var from, to syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &from)
	f()
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &to)
	return spent(to) - spent(from)
}

func spent(r syscall.Rusage) time.Duration {
	return time.Duration(r.Utime.Nano() + r.Stime.Nano())
}
