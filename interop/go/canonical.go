package main

import (
	"fmt"
	"math"
	"sort"
	"strconv"
	"strings"
	"unicode/utf16"
)

// canonical writes a value that readJSON returned as RFC 8785 has it. Such values hold no NaN, no lone surrogate and
// nothing else that would have to be refused.
func canonical(value any) []byte {
	return appendCanonical(nil, value)
}

func appendCanonical(out []byte, value any) []byte {
	switch v := value.(type) {
	case nil:
		return append(out, "null"...)
	case bool:
		return strconv.AppendBool(out, v)
	case float64:
		return append(out, ecmaNumber(v)...)
	case string:
		return appendString(out, v)
	case []any:
		out = append(out, '[')
		for i, item := range v {
			if i > 0 {
				out = append(out, ',')
			}
			out = appendCanonical(out, item)
		}
		return append(out, ']')
	case object:
		names := make([]string, 0, len(v))
		for name := range v {
			names = append(names, name)
		}
		sort.Slice(names, func(i, j int) bool { return lessUTF16(names[i], names[j]) })
		out = append(out, '{')
		for i, name := range names {
			if i > 0 {
				out = append(out, ',')
			}
			out = append(appendString(out, name), ':')
			out = appendCanonical(out, v[name])
		}
		return append(out, '}')
	}
	panic(fmt.Sprintf("no JSON value: %T", value))
}

// lessUTF16 differs from the order of bytes where a name has characters past U+FFFF.
func lessUTF16(a, b string) bool {
	left, right := utf16.Encode([]rune(a)), utf16.Encode([]rune(b))
	for i := 0; i < len(left) && i < len(right); i++ {
		if left[i] != right[i] {
			return left[i] < right[i]
		}
	}
	return len(left) < len(right)
}

var shortEscapes = map[rune]string{'"': `\"`, '\\': `\\`, '\b': `\b`, '\f': `\f`, '\n': `\n`, '\r': `\r`, '\t': `\t`}

func appendString(out []byte, text string) []byte {
	out = append(out, '"')
	for _, c := range text {
		if short, ok := shortEscapes[c]; ok {
			out = append(out, short...)
		} else if c < 0x20 {
			out = append(out, fmt.Sprintf(`\u%04x`, c)...)
		} else {
			out = append(out, string(c)...)
		}
	}
	return append(out, '"')
}

// ecmaNumber is Number::toString of ECMAScript: the shortest digits, laid out by the place of the decimal point.
func ecmaNumber(value float64) string {
	if value == 0 {
		return "0"
	}
	sign := ""
	if value < 0 {
		sign = "-"
	}
	mantissa, power, _ := strings.Cut(strconv.FormatFloat(math.Abs(value), 'e', -1, 64), "e")
	digits := strings.Replace(mantissa, ".", "", 1)
	exponent, _ := strconv.Atoi(power)
	point := exponent + 1
	switch {
	case len(digits) <= point && point <= 21:
		return sign + digits + strings.Repeat("0", point-len(digits))
	case 0 < point && point <= 21:
		return sign + digits[:point] + "." + digits[point:]
	case -6 < point && point <= 0:
		return sign + "0." + strings.Repeat("0", -point) + digits
	}
	if len(digits) > 1 {
		digits = digits[:1] + "." + digits[1:]
	}
	return fmt.Sprintf("%s%se%+d", sign, digits, exponent)
}
