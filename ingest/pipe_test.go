//go:build unix

package ingest

import (
	"io"
	"os"
	"syscall"
	"testing"
)

// TestPipes: a pipe that the user names is read, once; one that lies in a folder is not even opened.
func TestPipes(t *testing.T) {
	tree(t, map[string]string{"d/smaps_1": smapsOf(1), "socket/": ""})
	for _, p := range []string{"d/pipe", "pipe"} {
		if err := syscall.Mkfifo(p, 0o600); err != nil {
			t.Skip(err)
		}
	}
	want(t, "folder", load(t, Options{}, "d").say(), "d [d/smaps_1:smaps] order [13]\n  problem d/pipe: no capture that memtide knows: skipped\n")
	go func() {
		if w, err := os.OpenFile("pipe", os.O_WRONLY, 0); err == nil {
			_, _ = io.WriteString(w, logOf(2))
			w.Close()
		}
	}()
	want(t, "named", load(t, Options{}, "pipe").say(), "pipe [pipe:smaps] wall [112 113]\n")
}
