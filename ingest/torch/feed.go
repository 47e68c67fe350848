package torch

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"strconv"
)

// feed reads a snapshot that was written with json.dump, and gives its values to the machine as a pickle would.
type feed struct {
	w    *window
	m    *machine
	open []level
	want state
}

// level is a container that is being read; texts is how many strings there were before it.
type level struct {
	isList bool
	texts  int
}

// state is what may come next.
type state uint8

const (
	aValue state = iota
	aValueOrEnd
	aKey
	aKeyOrEnd
	aColon
	aComma // or the end
)

var expected = [...]string{"a value", "a value or ']'", "a key", "a key or '}'", "':'", "',' or the end of the list or object"}

const batchItems = 1000 // of a list that the machine takes at once, as picklers do

// read reads one value. What was read before an error stays in the machine.
func (f *feed) read() error {
	for {
		c, ok := f.w.next()
		if !ok {
			return f.cut()
		}
		var err error
		switch {
		case f.want == aComma:
			err = f.after(c)
		case f.want == aColon:
			if f.want = aValue; c != ':' {
				f.want = aColon
				return f.wrong(c)
			}
			f.w.pos++
		case c == ']' && f.want == aValueOrEnd || c == '}' && f.want == aKeyOrEnd:
			err = f.close()
		case c == '"':
			err = f.text()
		case f.want == aKey || f.want == aKeyOrEnd:
			return f.wrong(c)
		default:
			err = f.value(c)
		}
		if err != nil {
			return err
		}
		if len(f.open) == 0 {
			return nil
		}
	}
}

func (f *feed) cut() error {
	if f.w.long {
		return fmt.Errorf("want a string of at most %d bytes", maxToken)
	}
	return errors.New("the file ends inside the JSON text")
}

func (f *feed) wrong(c byte) error { return fmt.Errorf("want %s, have %q", expected[f.want], c) }

// after reads what follows a value.
func (f *feed) after(c byte) error {
	isList := f.open[len(f.open)-1].isList
	switch {
	case c == ',' && isList:
		f.w.pos++
		f.want = aValue
		return f.batch()
	case c == ',':
		f.w.pos++
		f.want = aKey
		return nil
	case c == ']' && isList || c == '}' && !isList:
		return f.close()
	}
	return f.wrong(c)
}

// batch gives the items of a long list to the machine while it is being read.
func (f *feed) batch() error {
	if len(f.m.stack)-f.m.least() < batchItems {
		return nil
	}
	items, err := f.m.items()
	if err != nil {
		return err
	}
	o, err := f.m.container()
	if err != nil {
		return err
	}
	if err := f.m.extend(o, items); err != nil {
		return err
	}
	return f.m.mark()
}

func (f *feed) close() error {
	f.w.pos++
	items, err := f.m.items()
	if err != nil {
		return err
	}
	o, err := f.m.container()
	if err != nil {
		return err
	}
	last := f.open[len(f.open)-1]
	f.open, f.want = f.open[:len(f.open)-1], aComma
	if last.isList {
		err = f.m.extend(o, items)
	} else {
		err = f.m.set(o, items)
	}
	if len(f.open) > 0 { // strings are needed until the record that they are in is made
		f.m.texts = f.m.texts[:last.texts]
	}
	return err
}

func (f *feed) text() error {
	raw, whole := f.w.text()
	if !whole {
		return f.cut()
	}
	if f.want == aKey || f.want == aKeyOrEnd {
		f.want = aColon
	} else {
		f.want = aComma
	}
	return f.m.pushText(unescaped(raw))
}

// value reads a value that is no string.
func (f *feed) value(c byte) error {
	if c != '{' && c != '[' {
		word := f.w.word()
		v, ok := wordValue(word)
		if !ok {
			return fmt.Errorf("want %s, have %q", expected[f.want], clip(string(word)))
		}
		f.want = aComma
		return f.m.push(v)
	}
	f.m.where = int64(f.w.lineNow())
	f.w.pos++
	f.open = append(f.open, level{c == '[', len(f.m.texts)})
	s := sDict
	if f.want = aKeyOrEnd; c == '[' {
		s, f.want = sList, aValueOrEnd
	}
	if err := f.m.pushObject(s); err != nil {
		return err
	}
	return f.m.mark()
}

// wordValue reads a number or a name. NaN and Infinity are no JSON, but Python writes them.
func wordValue(s []byte) (value, bool) {
	switch {
	case len(s) == 0:
		return value{}, false
	case bytes.Equal(s, []byte("true")):
		return value{1, kTrue}, true
	case bytes.Equal(s, []byte("false")):
		return value{0, kFalse}, true
	case bytes.Equal(s, []byte("null")), bytes.Equal(s, []byte("NaN")), bytes.Equal(s, []byte("Infinity")), bytes.Equal(s, []byte("-Infinity")):
		return value{}, true
	}
	return numberValue(s)
}

func numberValue(s []byte) (value, bool) {
	if n, ok := integer(s); ok {
		return value{n, kInt}, true
	}
	if len(s) > 400 {
		return value{}, false
	}
	if u, err := strconv.ParseUint(string(s), 10, 64); err == nil {
		return value{int64(u), kUint}, true
	}
	x, err := strconv.ParseFloat(string(s), 64)
	if errors.Is(err, strconv.ErrRange) {
		return value{}, true
	}
	return value{int64(math.Float64bits(x)), kFloat}, err == nil
}

// integer reads a whole number that fits in 63 bits and a sign.
func integer(s []byte) (int64, bool) {
	neg := len(s) > 0 && s[0] == '-'
	if neg {
		s = s[1:]
	}
	if len(s) == 0 || len(s) > 19 {
		return 0, false
	}
	var v uint64
	for _, c := range s {
		if c-'0' > 9 {
			return 0, false
		}
		v = v*10 + uint64(c-'0')
	}
	if v > 1<<63-1 {
		return 0, false
	}
	if neg {
		return -int64(v), true
	}
	return int64(v), true
}
