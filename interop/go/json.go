package main

import (
	"math"
	"regexp"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
)

// Values are nil, bool, float64, string, []any and object. encoding/json is not used for anything that is verified: it
// lets the last of two equal members win, repairs lone surrogates and knows no limit of depth.
type object = map[string]any

const maxDepth = 32
const maxSafe = 1<<53 - 1

var numberForm = regexp.MustCompile(`^-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?`)

type jsonReader struct {
	text []byte
	at   int
}

// readJSON reads strictly, as canonical-json.md says. Every refusal is the same to a verifier.
func readJSON(text []byte) (value any, err error) {
	if !utf8.Valid(text) {
		return nil, reason("json_malformed")
	}
	defer func() {
		if said := recover(); said != nil {
			if said != errSyntax {
				panic(said)
			}
			value, err = nil, reason("json_malformed")
		}
	}()
	r := &jsonReader{text: text}
	value = r.value(1)
	if r.at != len(text) {
		panic(errSyntax)
	}
	return value, nil
}

var errSyntax = reason("json_malformed")

func (r *jsonReader) peek() byte {
	if r.at >= len(r.text) {
		panic(errSyntax)
	}
	return r.text[r.at]
}

func (r *jsonReader) space() {
	for r.at < len(r.text) {
		switch r.text[r.at] {
		case ' ', '\t', '\n', '\r':
			r.at++
		default:
			return
		}
	}
}

func (r *jsonReader) word(word string) {
	if r.at+len(word) > len(r.text) || string(r.text[r.at:r.at+len(word)]) != word {
		panic(errSyntax)
	}
	r.at += len(word)
}

// value reads one value and the white space on both sides of it.
func (r *jsonReader) value(level int) (value any) {
	if level > maxDepth {
		panic(errSyntax)
	}
	r.space()
	switch r.peek() {
	case '{':
		value = r.object(level)
	case '[':
		value = r.list(level)
	case '"':
		value = r.string()
	case 't':
		r.word("true")
		value = true
	case 'f':
		r.word("false")
		value = false
	case 'n':
		r.word("null")
	default:
		value = r.number()
	}
	r.space()
	return value
}

func (r *jsonReader) object(level int) object {
	members := object{}
	r.at++
	r.space()
	if r.peek() == '}' {
		r.at++
		return members
	}
	for {
		r.space()
		if r.peek() != '"' {
			panic(errSyntax)
		}
		name := r.string()
		if _, twice := members[name]; twice {
			panic(errSyntax)
		}
		r.space()
		r.word(":")
		members[name] = r.value(level + 1)
		if r.peek() == '}' {
			r.at++
			return members
		}
		r.word(",")
	}
}

func (r *jsonReader) list(level int) []any {
	items := []any{}
	r.at++
	r.space()
	if r.peek() == ']' {
		r.at++
		return items
	}
	for {
		items = append(items, r.value(level+1))
		if r.peek() == ']' {
			r.at++
			return items
		}
		r.word(",")
	}
}

func (r *jsonReader) number() float64 {
	text := numberForm.Find(r.text[r.at:])
	if text == nil {
		panic(errSyntax)
	}
	r.at += len(text)
	value, err := strconv.ParseFloat(string(text), 64)
	// An underflow is not an error here, as it is none to ECMAScript.
	if err != nil || math.IsInf(value, 0) || (value == math.Trunc(value) && math.Abs(value) > maxSafe) {
		panic(errSyntax)
	}
	if value == 0 {
		return 0 // -0 is 0
	}
	return value
}

func (r *jsonReader) string() string {
	var out []byte
	r.at++
	for {
		c := r.peek()
		switch {
		case c == '"':
			r.at++
			return string(out)
		case c < 0x20:
			panic(errSyntax)
		case c == '\\':
			r.at++
			out = utf8.AppendRune(out, r.escape())
		default:
			out = append(out, c)
			r.at++
		}
	}
}

var simpleEscapes = map[byte]rune{'"': '"', '\\': '\\', '/': '/', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t'}

func (r *jsonReader) escape() rune {
	c := r.peek()
	r.at++
	if plain, ok := simpleEscapes[c]; ok {
		return plain
	}
	if c != 'u' {
		panic(errSyntax)
	}
	unit := r.hex4()
	if !utf16.IsSurrogate(unit) {
		return unit
	}
	r.word(`\u`)
	pair := utf16.DecodeRune(unit, r.hex4())
	if pair == utf8.RuneError {
		panic(errSyntax) // alone, or in the wrong order
	}
	return pair
}

func (r *jsonReader) hex4() rune {
	if r.at+4 > len(r.text) {
		panic(errSyntax)
	}
	var unit rune
	for _, c := range r.text[r.at : r.at+4] {
		switch {
		case '0' <= c && c <= '9':
			unit = unit<<4 | rune(c-'0')
		case 'a' <= c && c <= 'f':
			unit = unit<<4 | rune(c-'a'+10)
		case 'A' <= c && c <= 'F':
			unit = unit<<4 | rune(c-'A'+10)
		default:
			panic(errSyntax)
		}
	}
	r.at += 4
	return unit
}
