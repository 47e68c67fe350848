//go:build unix

package memleak_test

import (
	"syscall"
	"time"
)

// cpu is the processor time this process has taken so far.
func cpu() time.Duration {
	var u syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
