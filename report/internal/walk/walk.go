// Package walk copies values of any shape while changing the strings and numbers in them: what redaction and JSON
// need of a result, without naming each of its fields (a new field is handled on the day it is added).
package walk

import (
	"cmp"
	"math"
	"reflect"
	"slices"
)

// Editor says what to change. A nil String keeps strings.
type Editor struct {
	// String changes every string, in the order of the fields, keys of maps too; values of a type of their own, such as
	// a verdict, are words of the program and stay.
	String func(string) string

	// Fields says, by "Type.Field", what changes the strings in a field instead of String; nil keeps them.
	Fields map[string]func(string) string

	// Finite makes the copy writable as JSON: a pointer to a number that is not finite becomes nil, such an entry of
	// a map is left out, a list of numbers ends before the first such one, and a list that is nil becomes empty.
	Finite bool
}

// Copy is a deep copy of v, edited. v must be made of structs, pointers, slices, maps, strings and numbers; unexported
// fields are not copied.
func Copy[T any](v T, e Editor) T {
	out := reflect.New(reflect.TypeOf(v)).Elem()
	e.copy(out, reflect.ValueOf(v))
	return out.Interface().(T)
}

func (e Editor) copy(to, from reflect.Value) {
	switch from.Kind() {
	case reflect.String:
		to.SetString(from.String())
		if e.String != nil && from.Type() == reflect.TypeFor[string]() {
			to.SetString(e.String(from.String()))
		}
	case reflect.Pointer:
		if !from.IsNil() && e.keep(from.Elem()) {
			to.Set(reflect.New(from.Type().Elem()))
			e.copy(to.Elem(), from.Elem())
		}
	case reflect.Struct:
		for i := range from.NumField() {
			if from.Type().Field(i).IsExported() {
				e.of(from.Type(), i).copy(to.Field(i), from.Field(i))
			}
		}
	case reflect.Slice:
		e.list(to, from)
	case reflect.Map:
		e.entries(to, from)
	default:
		to.Set(from)
	}
}

// of is the editor of a field.
func (e Editor) of(owner reflect.Type, field int) Editor {
	if len(e.Fields) > 0 {
		if edit, ok := e.Fields[owner.Name()+"."+owner.Field(field).Name]; ok {
			e.String = edit
		}
	}
	return e
}

func (e Editor) list(to, from reflect.Value) {
	if from.IsNil() && !e.Finite {
		return
	}
	if numbers, ok := from.Interface().([]float64); ok { // timelines are most of a result
		to.Set(reflect.ValueOf(e.numbers(numbers)))
		return
	}
	out := reflect.MakeSlice(from.Type(), 0, from.Len())
	for i := range from.Len() {
		if !e.keep(from.Index(i)) {
			break
		}
		item := reflect.New(from.Type().Elem()).Elem()
		e.copy(item, from.Index(i))
		out = reflect.Append(out, item)
	}
	to.Set(out)
}

// numbers is a copy of a list up to the first number that cannot be written.
func (e Editor) numbers(list []float64) []float64 {
	out := make([]float64, 0, len(list))
	for _, v := range list {
		if e.Finite && (math.IsNaN(v) || math.IsInf(v, 0)) {
			break
		}
		out = append(out, v)
	}
	return out
}

func (e Editor) entries(to, from reflect.Value) {
	if from.IsNil() && !e.Finite {
		return
	}
	out := reflect.MakeMapWithSize(from.Type(), from.Len())
	keys := from.MapKeys()
	slices.SortFunc(keys, func(a, b reflect.Value) int { return cmp.Compare(a.String(), b.String()) })
	for _, key := range keys {
		if !e.keep(from.MapIndex(key)) {
			continue
		}
		k, v := reflect.New(key.Type()).Elem(), reflect.New(from.Type().Elem()).Elem()
		e.copy(k, key)
		e.copy(v, from.MapIndex(key))
		out.SetMapIndex(k, v)
	}
	to.Set(out)
}

// keep says whether a value can be written.
func (e Editor) keep(v reflect.Value) bool {
	return !e.Finite || !v.CanFloat() || !math.IsNaN(v.Float()) && !math.IsInf(v.Float(), 0)
}
