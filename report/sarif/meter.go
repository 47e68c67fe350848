package sarif

import "compress/gzip"

// meter counts how many bytes what is added takes when it is compressed. It uses the fastest level, which is never
// much better than what an uploader uses, so the count errs on the safe side.
type meter struct {
	zip   *gzip.Writer
	bytes int
}

func newMeter() *meter {
	m := &meter{}
	m.zip, _ = gzip.NewWriterLevel(m, gzip.BestSpeed) // fails for unknown levels only
	return m
}

// Write takes what the compressor gives out.
func (m *meter) Write(p []byte) (int, error) {
	m.bytes += len(p)
	return len(p), nil
}

func (m *meter) add(text []byte) { m.zip.Write(text) }

// full says whether the limit is reached, to within what the compressor holds back (64 KiB of text).
func (m *meter) full() bool { return m.bytes >= limits.bytes }
