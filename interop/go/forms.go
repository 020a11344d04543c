package main

import (
	"encoding/base64"
	"regexp"
	"strings"
	"time"
	"unicode"
	"unicode/utf16"

	"golang.org/x/mod/sumdb/tlog"
	"golang.org/x/text/unicode/norm"
)

// reason is why something does not verify, in the words of proof.md.
type reason string

func (r reason) Error() string { return string(r) }

// A form says whether a value has the shape it must have.
type form func(any) bool

// closed is an object with exactly these members. Two objects with the same number of members, each of the first in
// the second, have the same members.
func closed(members map[string]form) form {
	return func(value any) bool {
		given, ok := value.(object)
		if !ok || len(given) != len(members) {
			return false
		}
		for name, fits := range members {
			member, there := given[name]
			if !there || !fits(member) {
				return false
			}
		}
		return true
	}
}

// matching is a text that a pattern matches from end to end. Go's $ without (?m) is the end of the text and nothing
// else, and its classes are those written.
func matching(pattern string) form {
	whole := regexp.MustCompile(`^(?:` + pattern + `)$`)
	return func(value any) bool {
		text, ok := value.(string)
		return ok && whole.MatchString(text)
	}
}

func oneOf(words ...string) form {
	return func(value any) bool {
		text, ok := value.(string)
		if !ok {
			return false
		}
		for _, word := range words {
			if word == text {
				return true
			}
		}
		return false
	}
}

func nullOr(fits form) form {
	return func(value any) bool { return value == nil || fits(value) }
}

func listOf(most int, fits form) form {
	return func(value any) bool {
		items, ok := value.([]any)
		if !ok || len(items) > most {
			return false
		}
		for _, item := range items {
			if !fits(item) {
				return false
			}
		}
		return true
	}
}

func integerFrom(least float64) form {
	return func(value any) bool {
		number, ok := value.(float64)
		return ok && number == float64(int64(number)) && number >= least && number <= maxSafe
	}
}

func isText(value any) bool {
	_, ok := value.(string)
	return ok
}

var (
	isCount   = integerFrom(0)
	isHash    = matching(`[A-Za-z0-9+/]{43}=`)
	isPath    = listOf(63, isHash)
	isToken   = matching(`[!-~]{1,300}`)
	dayForm   = matching(`[0-9]{4}-[0-9]{2}-[0-9]{2}`)
	clockForm = matching(`([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](\.[0-9]{1,3})?Z`)
	midnight  = matching(`24:00:00(\.0{1,3})?Z`)
)

func isDay(value any) bool {
	if !dayForm(value) {
		return false
	}
	_, err := time.Parse("2006-01-02", value.(string))
	return err == nil
}

func isInstant(value any) bool {
	text, ok := value.(string)
	if !ok {
		return false
	}
	day, clock, there := strings.Cut(text, "T")
	return there && isDay(day) && (clockForm(clock) || midnight(clock))
}

func isLabel(value any) bool {
	text, ok := value.(string)
	if !ok || len(utf16.Encode([]rune(text))) > 300 || !norm.NFC.IsNormalString(text) {
		return false
	}
	return strings.IndexFunc(text, func(c rune) bool { return unicode.In(c, unicode.Cc, unicode.Cf) }) < 0
}

// decodeBase64 is strict: Go's decoder skips line breaks and, unless told, unused bits. A text is the one spelling of
// its bytes exactly if they are written as it is.
func decodeBase64(text string) ([]byte, bool) {
	bytes, err := base64.StdEncoding.DecodeString(text)
	return bytes, err == nil && base64.StdEncoding.EncodeToString(bytes) == text
}

func decodeHash(text string) (hash tlog.Hash, ok bool) {
	bytes, ok := decodeBase64(text)
	if !ok || len(bytes) != tlog.HashSize {
		return hash, false
	}
	copy(hash[:], bytes)
	return hash, true
}

// decodeHashes takes what isPath has accepted.
func decodeHashes(list any) ([]tlog.Hash, bool) {
	hashes := []tlog.Hash{}
	for _, item := range list.([]any) {
		hash, ok := decodeHash(item.(string))
		if !ok {
			return nil, false
		}
		hashes = append(hashes, hash)
	}
	return hashes, true
}
