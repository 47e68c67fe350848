//go:build !unix

package applereport

import "time"

// cpuOf gives the time that f took: on this system the CPU time is not asked for.
func cpuOf(f func()) time.Duration {
	from := time.Now()
	f()
	return time.Since(from)
}
