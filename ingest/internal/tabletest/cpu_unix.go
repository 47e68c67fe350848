//go:build unix

package tabletest

import (
	"syscall"
	"time"
)

// CPU is the processor time this process has taken so far.
func CPU() time.Duration {
	var u syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
