package main

import (
	"image/color"
	"image/png"
	"os"
	"testing"
)

// colours counts the different colours of a picture, up to 100.
func colours(t *testing.T, path string) int {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	picture, err := png.Decode(f)
	if err != nil {
		t.Fatal(err)
	}
	seen := map[color.Color]bool{}
	b := picture.Bounds()
	for y := b.Min.Y; y < b.Max.Y && len(seen) < 100; y++ {
		for x := b.Min.X; x < b.Max.X; x++ {
			seen[picture.At(x, y)] = true
		}
	}
	return len(seen)
}
