package torch

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"strconv"

	"github.com/memtide/memtide/ingest/source"
)

// unpickler reads a pickle of plain values: dicts, lists, tuples, strings and numbers. It executes nothing, and knows
// only the opcodes that make such values; any other ends the reading. The format is that of Python's pickletools,
// protocols 2 to 5.
type unpickler struct {
	w    *window
	m    *machine
	at   int64    // of the opcode being read
	memo []uint64 // kind and number of the values put aside, 8 bytes each
}

// refused is an error after which nothing of a pickle is believed.
type refused struct{ message string }

func (r *refused) Error() string { return r.message }

var errCut = errors.New("the file ends inside the pickle")

const (
	maxMemo   = 1 << 28
	memoShift = 56
)

// read reads up to STOP. What was read before an error stays in the machine.
func (u *unpickler) read() error {
	for {
		if u.w.pos == u.w.end && !u.w.has(1) {
			u.at = u.w.offset()
			return errCut
		}
		u.at = u.w.offset()
		op := u.w.buf[u.w.pos]
		u.w.pos++
		if op == opStop {
			return nil
		}
		if err := u.step(op); err != nil {
			return err
		}
	}
}

// step reads the argument of an opcode and does what it says.
func (u *unpickler) step(op byte) error {
	a := arguments[op]
	if !a.known {
		return u.unknown(op)
	}
	var arg []byte
	if a.fixed > 0 {
		if arg = u.w.take(a.fixed); arg == nil {
			return errCut
		}
	}
	if a.sized {
		return u.sized(op, arg)
	}
	switch op {
	case opBinGet:
		return u.get(uint64(arg[0]))
	case opLongBinGet:
		return u.get(uint64(binary.LittleEndian.Uint32(arg)))
	case opMemoize:
		return u.put(uint64(len(u.memo)))
	case opBinPut:
		return u.put(uint64(arg[0]))
	case opLongBinPut:
		return u.put(uint64(binary.LittleEndian.Uint32(arg)))
	case opProto:
		if arg[0] > 5 {
			return &refused{fmt.Sprintf("refused: want a pickle of protocol 2 to 5, have %d", arg[0])}
		}
		return nil
	case opFrame:
		return nil
	}
	return u.build(op, arg)
}

// build does the opcodes that make values and put them together.
func (u *unpickler) build(op byte, arg []byte) error {
	m := u.m
	m.where = u.at
	switch op {
	case opMark:
		return m.mark()
	case opEmptyDict:
		return m.pushObject(sDict)
	case opEmptyList:
		return m.pushObject(sList)
	case opSetItems, opAppends, opTuple, opPopMark:
		return u.collect(op)
	case opSetItem:
		return u.single(2)
	case opAppend:
		return u.single(1)
	case opPop:
		_, err := m.pop()
		return err
	case opTuple1, opTuple2, opTuple3:
		items, err := m.last(int(op-opTuple1) + 1)
		if err != nil {
			return err
		}
		return m.push(pairOf(items))
	}
	return m.push(scalar(op, arg))
}

// scalar is the value of an opcode that makes a number, a truth value or None.
func scalar(op byte, arg []byte) value {
	switch op {
	case opBinInt:
		return value{int64(int32(binary.LittleEndian.Uint32(arg))), kInt}
	case opBinInt1:
		return value{int64(arg[0]), kInt}
	case opBinInt2:
		return value{int64(binary.LittleEndian.Uint16(arg)), kInt}
	case opBinFloat:
		return value{int64(binary.BigEndian.Uint64(arg)), kFloat}
	case opNewTrue:
		return value{1, kTrue}
	case opNewFalse:
		return value{0, kFalse}
	}
	return value{}
}

// collect does the opcodes that take what stands above the last mark.
func (u *unpickler) collect(op byte) error {
	items, err := u.m.items()
	if err != nil || op == opPopMark {
		return err
	}
	if op == opTuple {
		return u.m.push(pairOf(items))
	}
	o, err := u.m.container()
	if err != nil {
		return err
	}
	if op == opSetItems {
		return u.m.set(o, items)
	}
	return u.m.extend(o, items)
}

// single does SETITEM and APPEND, which take n values.
func (u *unpickler) single(n int) error {
	items, err := u.m.last(n)
	if err != nil {
		return err
	}
	o, err := u.m.container()
	if err != nil {
		return err
	}
	if n == 2 {
		return u.m.set(o, items)
	}
	return u.m.extend(o, items)
}

// sized reads a string, bytes or a long integer, of which only so much is kept in memory as is there.
func (u *unpickler) sized(op byte, count []byte) error {
	var b [8]byte
	copy(b[:], count)
	n := binary.LittleEndian.Uint64(b[:])
	if n > math.MaxInt64 {
		return errors.New("want a length that fits in 63 bits")
	}
	isText := op == opBinUnicode || op == opShortBinUnicode || op == opBinUnicode8
	isLong := (op == opLong1 || op == opLong4) && n <= 9
	if !isText && !isLong || n > maxToken/2 {
		if !u.w.skip(int64(n)) {
			return errCut
		}
		return u.m.push(value{})
	}
	arg := u.w.take(int(n))
	switch {
	case arg == nil && n > 0:
		return errCut
	case isText:
		return u.m.pushText(arg)
	}
	return u.m.push(long(arg))
}

// long reads an integer, little endian in two's complement.
func long(arg []byte) value {
	var b [8]byte
	copy(b[:], arg)
	n := len(arg)
	if n > 0 && n < 8 && arg[n-1]&0x80 != 0 {
		for i := n; i < 8; i++ {
			b[i] = 0xff
		}
	}
	v := value{int64(binary.LittleEndian.Uint64(b[:])), kInt}
	if n == 9 {
		if arg[8] != 0 || v.n >= 0 {
			return value{}
		}
		v.kind = kUint
	}
	return v
}

// put sets a value aside under a number. Picklers count up, so a number far beyond is damage.
func (u *unpickler) put(i uint64) error {
	v, err := u.m.top()
	switch {
	case err != nil:
		return err
	case v.kind != kText && v.kind != kObject && v.kind != kPair && v.kind != kOther:
		return errors.New("want a string, list, dict or tuple to be memoised, have a number")
	case i > uint64(len(u.memo)) || i >= maxMemo:
		return fmt.Errorf("want the next number of the memo, %d, have %d", len(u.memo), i)
	}
	packed := uint64(v.kind)<<memoShift | uint64(v.n)
	if i == uint64(len(u.memo)) {
		u.memo = append(u.memo, packed)
	} else {
		u.memo[i] = packed
	}
	return nil
}

func (u *unpickler) get(i uint64) error {
	if i >= uint64(len(u.memo)) {
		return fmt.Errorf("want a number of the memo below %d, have %d", len(u.memo), i)
	}
	p := u.memo[i]
	return u.m.push(value{int64(p & (1<<memoShift - 1)), kind(p >> memoShift)})
}

// unknown does PUT and GET, which are text, and refuses all other opcodes, with the name of what they would load.
func (u *unpickler) unknown(op byte) error {
	switch op {
	case opPut, opGet:
		i, err := strconv.ParseUint(u.line(), 10, 32)
		if err != nil {
			return errors.New("want a number of the memo")
		}
		if op == opPut {
			return u.put(i)
		}
		return u.get(i)
	case opGlobal:
		module := u.line()
		return &refused{fmt.Sprintf("refused: it would load %s.%s (opcode GLOBAL); a snapshot holds plain values only, and memtide executes nothing", module, u.line())}
	case opStackGlobal:
		what := "a global"
		if items, err := u.m.last(2); err == nil {
			what = u.m.text(items[0]) + "." + u.m.text(items[1])
		}
		return &refused{fmt.Sprintf("refused: it would load %s (opcode STACK_GLOBAL); a snapshot holds plain values only, and memtide executes nothing", clip(what))}
	}
	name := refusedOpcodes[op]
	if name == "" {
		name = fmt.Sprintf("%#02x, which no pickler writes", op)
	}
	return &refused{fmt.Sprintf("refused: opcode %s; a snapshot holds plain values only, and memtide executes nothing", name)}
}

// line takes the text up to a line end, which is short where it is sound.
func (u *unpickler) line() string {
	for {
		i := bytes.IndexByte(u.w.buf[u.w.pos:u.w.end], '\n')
		if i >= 0 {
			return clip(string(u.w.take(i + 1)[:i]))
		}
		if u.w.end-u.w.pos > 4096 || !u.w.more() {
			return clip(string(u.w.buf[u.w.pos:min(u.w.end, u.w.pos+200)]))
		}
	}
}

// place is where the opcode stands: a pickle has no lines, so its offset takes their place, as in the rows.
func (u *unpickler) place() source.Pos { return u.w.in.At(int(u.at), 0) }
