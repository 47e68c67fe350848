package main

import (
	"archive/zip"
	"bufio"
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/memtide/memtide/report/html"
)

// mostPaged bounds what is read of a page, and what a page in an archive may unpack to.
const mostPaged = 1 << 30

// The element of a page that holds its result, and how a page of memtide begins.
var (
	resultStart = []byte(`<script type="` + html.ResultType + `" id="memtide-result">`)
	pageStart   = []byte("<!doctype html>")
	pageMaker   = []byte(`<meta name="generator" content="memtide`)
)

var errNoResult = errors.New("a report of memtide without its result: one written with --embed-data can be read again")

// unpaged reads the result out of a report that holds it (--embed-data), also in an archive that memtide wrote; anything else
// is read as it is, through gzip where the bytes say so. At is the place of the page in the file: "!/report.html".
func unpaged(f *os.File, size int64) (in *bufio.Reader, at string, err error) {
	in = unpacked(f)
	head, _ := in.Peek(2048)
	if bytes.HasPrefix(head, []byte("PK\x03\x04")) {
		return fromArchive(f, size, in)
	}
	if !bytes.HasPrefix(head, pageStart) || !bytes.Contains(head, pageMaker) {
		return in, "", nil
	}
	in, err = result(in)
	return in, "", err
}

// fromArchive looks into an archive whose only member is a page; what is none of ours is left to those who read archives.
func fromArchive(f *os.File, size int64, whole *bufio.Reader) (*bufio.Reader, string, error) {
	z, err := zip.NewReader(f, size)
	if err != nil || len(z.File) != 1 || !strings.HasSuffix(z.File[0].Name, ".html") {
		return whole, "", nil
	}
	at := "!/" + z.File[0].Name
	member, err := z.File[0].Open()
	if err != nil {
		return whole, at, err
	}
	in := bufio.NewReader(member)
	if head, _ := in.Peek(2048); !bytes.HasPrefix(head, pageStart) || !bytes.Contains(head, pageMaker) {
		return whole, "", nil
	}
	in, err = result(in)
	return in, at, err
}

// result finds the element and unpacks what is in it.
func result(page io.Reader) (*bufio.Reader, error) {
	text, err := io.ReadAll(io.LimitReader(page, mostPaged))
	if err != nil {
		return nil, err
	}
	_, rest, found := bytes.Cut(text, resultStart)
	if !found {
		return nil, errNoResult
	}
	packed, _, closed := bytes.Cut(rest, []byte("</script>"))
	if !closed {
		return nil, errors.New("the file ends within its result")
	}
	raw := make([]byte, base64.StdEncoding.DecodedLen(len(packed)))
	n, err := base64.StdEncoding.Decode(raw, packed)
	if err != nil {
		return nil, fmt.Errorf("the result in it: %w", err)
	}
	if !bytes.HasPrefix(raw[:n], []byte("\x1f\x8b")) {
		return nil, errors.New("the result in it: want gzip")
	}
	return unpacked(bytes.NewReader(raw[:n])), nil
}
