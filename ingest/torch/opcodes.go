package torch

// opcode numbers are those of Python's Lib/pickletools.py.
const (
	opMark            = '('
	opStop            = '.'
	opPop             = '0'
	opPopMark         = '1'
	opBinFloat        = 'G'
	opBinInt          = 'J'
	opBinInt1         = 'K'
	opBinInt2         = 'M'
	opNone            = 'N'
	opBinUnicode      = 'X'
	opEmptyList       = ']'
	opAppend          = 'a'
	opAppends         = 'e'
	opGet             = 'g'
	opBinGet          = 'h'
	opLongBinGet      = 'j'
	opPut             = 'p'
	opBinPut          = 'q'
	opLongBinPut      = 'r'
	opSetItem         = 's'
	opTuple           = 't'
	opEmptyTuple      = ')'
	opSetItems        = 'u'
	opEmptyDict       = '}'
	opBinBytes        = 'B'
	opShortBinBytes   = 'C'
	opProto           = 0x80
	opTuple1          = 0x85
	opTuple2          = 0x86
	opTuple3          = 0x87
	opNewTrue         = 0x88
	opNewFalse        = 0x89
	opLong1           = 0x8a
	opLong4           = 0x8b
	opShortBinUnicode = 0x8c
	opBinUnicode8     = 0x8d
	opBinBytes8       = 0x8e
	opMemoize         = 0x94
	opFrame           = 0x95
)

const (
	opGlobal      = 'c'
	opStackGlobal = 0x93
)

// refusedOpcodes are those that a snapshot never needs: they name code, call it, or are of older picklers.
var refusedOpcodes = map[byte]string{
	opGlobal: "GLOBAL", opStackGlobal: "STACK_GLOBAL", 'R': "REDUCE", 'b': "BUILD", 'i': "INST", 'o': "OBJ", 0x81: "NEWOBJ", 0x92: "NEWOBJ_EX",
	0x82: "EXT1", 0x83: "EXT2", 0x84: "EXT4", 'P': "PERSID", 'Q': "BINPERSID", 0x96: "BYTEARRAY8", 0x97: "NEXT_BUFFER", 0x98: "READONLY_BUFFER",
	'I': "INT", 'L': "LONG", 'F': "FLOAT", 'S': "STRING", 'T': "BINSTRING", 'U': "SHORT_BINSTRING", 'V': "UNICODE", 'l': "LIST", 'd': "DICT", '2': "DUP",
	0x8f: "EMPTY_SET", 0x90: "ADDITEMS", 0x91: "FROZENSET",
}

// argument says how many bytes follow an opcode: a fixed number, or as many as a number of 1, 4 or 8 bytes tells.
type argument struct {
	known bool
	fixed int // bytes of the argument, or of the number that tells its length
	sized bool
}

// arguments are the opcodes that are read, with what follows them. PUT and GET end with their line and stand apart.
var arguments = func() (out [256]argument) {
	for _, op := range []byte{opMark, opStop, opPop, opPopMark, opNone, opEmptyList, opAppend, opAppends, opSetItem, opTuple, opEmptyTuple, opSetItems,
		opEmptyDict, opTuple1, opTuple2, opTuple3, opNewTrue, opNewFalse, opMemoize} {
		out[op] = argument{known: true}
	}
	for op, n := range map[byte]int{opProto: 1, opFrame: 8, opBinInt: 4, opBinInt1: 1, opBinInt2: 2, opBinFloat: 8, opBinGet: 1, opLongBinGet: 4,
		opBinPut: 1, opLongBinPut: 4} {
		out[op] = argument{known: true, fixed: n}
	}
	for op, n := range map[byte]int{opBinUnicode: 4, opShortBinUnicode: 1, opBinUnicode8: 8, opBinBytes: 4, opShortBinBytes: 1, opBinBytes8: 8,
		opLong1: 1, opLong4: 4} {
		out[op] = argument{known: true, fixed: n, sized: true}
	}
	return out
}()
