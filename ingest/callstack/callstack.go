// Package callstack writes call stacks into the trie of frames and says whose allocation a stack is: the first function,
// from the leaf, that is not of an allocator.
package callstack

import (
	"strings"

	"github.com/memtide/memtide/ingest/table"
)

// Frame is one call as a capture tells it; what is not known is empty. All is empty of a call that could not be read: it
// keeps those around it apart, which did not call each other.
type Frame struct {
	Function   string // without the offset of the return address
	Module     string // base name of the file or DSO
	SourceFile string
	SourceLine table.Int
	Address    uint64
	HasAddress bool
}

// Stack is a stack as it stands in the tables.
type Stack struct {
	Leaf  int64     // frames.id, 0 for an empty stack
	Class table.Sym // sites.class of an allocation that was made there; Null for an empty stack, and where that call is not known
}

// Add writes a stack, leaf first, and gives its leaf and class. Line is where it stands in the capture. Equal stacks are
// one row.
func Add(b *table.Builder, leafFirst []Frame, line int) Stack {
	if len(leafFirst) == 0 {
		return Stack{}
	}
	var id int64
	for i := len(leafFirst) - 1; i >= 0; i-- {
		f := &leafFirst[i]
		id = b.Frame(table.Frame{Parent: id, Function: symbol(b, f.Function), Module: symbol(b, f.Module), SourceFile: symbol(b, f.SourceFile),
			SourceLine: f.SourceLine, Address: f.Address, HasAddress: f.HasAddress}, line)
	}
	return Stack{id, symbol(b, Class(leafFirst))}
}

func symbol(b *table.Builder, s string) table.Sym {
	if s == "" {
		return table.Null
	}
	return b.Text(s)
}

// Class is the name of the first frame, from the leaf, that is not of an allocator; that of the leaf where all are.
func Class(leafFirst []Frame) string {
	for i := range leafFirst {
		if f := &leafFirst[i]; !table.IsAllocator(f.Function, f.Module) {
			return f.Name()
		}
	}
	if len(leafFirst) == 0 {
		return ""
	}
	return leafFirst[0].Name()
}

// Name is the function, or the address where there is none (format it as module+offset before, in Function, where the
// capture has a map of the modules), or the module.
func (f *Frame) Name() string {
	c := table.Call{Function: f.Function, Module: f.Module, Address: f.Address, HasAddress: f.HasAddress}
	return c.Name()
}

// SplitOffset cuts the offset of the return address off a symbol: main+0x13 or main+19. The symbol may hold a plus sign of
// its own (operator+).
func SplitOffset(s string) (symbol, offset string) {
	i := strings.LastIndexByte(s, '+')
	if i <= 0 || i+1 == len(s) || strings.Trim(s[i+1:], "0123456789abcdefABCDEFx") != "" || !startsWithDigit(s[i+1:]) {
		return s, ""
	}
	return s[:i], s[i+1:]
}

func startsWithDigit(s string) bool { return s[0] >= '0' && s[0] <= '9' }
