package report

import (
	"testing"

	"github.com/memtide/memtide/analyze"
)

func TestMembersThatAreNoCapturesAreNotCounted(t *testing.T) {
	s := &story{Result: &analyze.Result{Inputs: []analyze.Input{{Path: "b.zip"}}, Problems: []analyze.Problem{
		{File: "b.zip!/FS/x.bin", Message: "no capture that memtide knows: skipped", Count: 400},
		{File: "b.zip!/main.txt", Line: 7, Message: "want a size", Count: 1},
	}}}
	if u := s.unread(); u.files != 0 || u.records != 1 {
		t.Errorf("%+v", u)
	}
}
