package main

import (
	"io"
	"os"
	"path/filepath"
	"runtime/debug"

	"github.com/vbauerster/mpb/v8"
	"github.com/vbauerster/mpb/v8/decor"
)

// showFrom is the size of the inputs from which reading them takes long enough to be shown.
const showFrom = 256 << 20

// tightFrom is the size of the inputs from which the collector keeps less garbage. Tables are plain columns without
// pointers, so that it has little to walk: the memory is worth more than the time.
const tightFrom = 64 << 20

// progress is a bar on stderr for long work, if stderr is a terminal; else it is nothing.
type progress struct {
	pool *mpb.Progress
	bar  *mpb.Bar
}

func (e *env) progress(paths []string) *progress {
	total := sizeOf(paths)
	if total >= tightFrom {
		debug.SetGCPercent(25)
	}
	f, ok := e.stderr.(*os.File)
	if !ok || !isTerminal(f) || total < showFrom {
		return &progress{}
	}
	pool := mpb.New(mpb.WithOutput(io.Writer(f)), mpb.WithWidth(40))
	bar := pool.AddBar(total, mpb.BarRemoveOnComplete(), mpb.PrependDecorators(decor.CountersKibiByte("reading % .1f of % .1f ")), mpb.AppendDecorators(decor.AverageETA(decor.ET_STYLE_GO)))
	return &progress{pool, bar}
}

func (p *progress) add(n int64) {
	if p.bar != nil {
		p.bar.IncrInt64(n)
	}
}

func (p *progress) stop() {
	if p.bar != nil {
		p.bar.Abort(true)
		p.pool.Wait()
	}
}

func isTerminal(f *os.File) bool {
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}

func sizeOf(paths []string) int64 {
	var total int64
	for _, p := range paths {
		_ = filepath.WalkDir(p, func(path string, d os.DirEntry, err error) error {
			if err == nil && !d.IsDir() {
				if info, err := os.Stat(path); err == nil { // through links
					total += info.Size()
				}
			}
			return nil
		})
	}
	return total
}
