package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/memtide/memtide/analyze"
	"github.com/urfave/cli/v2"
)

// distinct refuses an output that is given twice, and one that is an argument: it would be overwritten.
func distinct(c *cli.Context, outputs []string) error {
	given := slices.Concat(c.Args().Slice(), c.StringSlice("before"), c.StringSlice("after"), c.StringSlice("release"))
	given = append(given, c.String("policy"))
	for i, out := range outputs {
		for _, other := range outputs[:i] {
			if filepath.Clean(out) == filepath.Clean(other) || sameFile(out, other) {
				return usage("-o %s: this file is given twice", out)
			}
		}
		for _, in := range given {
			if sameFile(out, in) {
				return usage("-o %s: this is an input; nothing is written", out)
			}
		}
	}
	return nil
}

// spared refuses an output that is one of the files that were read from a folder. A path of an input begins with the last
// part of the argument that named it.
func spared(c *cli.Context, outputs []string, inputs []analyze.Input) error {
	var there []string
	for _, out := range outputs {
		if info, err := os.Stat(out); err == nil && info.Mode().IsRegular() {
			there = append(there, out)
		}
	}
	if len(there) == 0 {
		return nil
	}
	given := slices.Concat(c.Args().Slice(), c.StringSlice("before"), c.StringSlice("after"), c.StringSlice("release"))
	for _, in := range inputs {
		file, _, _ := strings.Cut(in.Path, "!/")
		for _, out := range there {
			same := sameFile(out, file)
			for _, arg := range given {
				same = same || sameFile(out, filepath.Join(filepath.Dir(filepath.Clean(arg)), file))
			}
			if same {
				return usage("-o %s: this is an input; nothing is written", out)
			}
		}
	}
	return nil
}

func sameFile(a, b string) bool {
	x, err := os.Stat(a)
	if err != nil || !x.Mode().IsRegular() {
		return false
	}
	y, err := os.Stat(b)
	return err == nil && os.SameFile(x, y)
}

// followed is the file that a path means: symbolic links are followed to the end, which need not be there yet.
func followed(path string) (string, error) {
	for range 40 { // as many as Linux follows
		link, err := os.Readlink(path)
		if err != nil {
			return path, nil // no link
		}
		if filepath.IsAbs(link) {
			path = link
			continue
		}
		dir, err := filepath.EvalSymlinks(filepath.Dir(path))
		if err != nil {
			return "", err
		}
		path = filepath.Join(dir, link)
	}
	return "", errors.New("too many symbolic links")
}

// unwritten is the error of an output that could not be written. It names the target, not a temporary file.
func unwritten(target string, err error) error {
	if isClosedPipe(err) {
		return err
	}
	return &exitError{exitInput, fmt.Errorf("writing %s: %w", filepath.ToSlash(target), bare(err))}
}

// bare takes the names of files off an error of the system.
func bare(err error) error {
	if e := new(os.PathError); errors.As(err, &e) {
		return e.Err
	}
	if e := new(os.LinkError); errors.As(err, &e) {
		return e.Err
	}
	return err
}

// standard is the standard output; it keeps its first error, so that no command can pass it by.
type standard struct {
	io.Writer
	failed error
}

func (s *standard) Write(p []byte) (int, error) {
	n, err := s.Writer.Write(p)
	if err != nil && s.failed == nil {
		s.failed = unwritten("standard output", err)
	}
	return n, err
}
