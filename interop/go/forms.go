package main

import (
	"encoding/base64"
	"regexp"
	"strings"
	"time"

	"golang.org/x/mod/sumdb/tlog"
)

// reason is why something does not verify, in the words of proof.md.
type reason string

func (r reason) Error() string { return string(r) }

// A form says whether a value has the shape it must have.
type form func(any) bool

// closed is an object with exactly these members.
func closed(members map[string]form) form { return closedOr(members, nil) }

// closedOr is an object with exactly the first members, and each of the second or not.
func closedOr(members, optional map[string]form) form {
	return func(value any) bool {
		given, ok := value.(object)
		if !ok {
			return false
		}
		for name := range members {
			if _, there := given[name]; !there {
				return false
			}
		}
		for name, member := range given {
			fits := members[name]
			if fits == nil {
				fits = optional[name]
			}
			if fits == nil || !fits(member) {
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

func isBool(value any) bool {
	_, ok := value.(bool)
	return ok
}

func isObject(value any) bool {
	_, ok := value.(object)
	return ok
}

func isText(value any) bool {
	_, ok := value.(string)
	return ok
}

var (
	isCount   = integerFrom(0)
	isHash    = matching(`[A-Za-z0-9+/]{43}=`)
	isSha256  = matching(`[0-9a-f]{64}`)
	isPath    = listOf(63, isHash)
	isToken   = matching(`[!-~]{1,300}`)
	isLabel   = matching(`[ -~]{0,300}`)
	isName    = matching(`[a-z][a-z0-9_]*`)
	isChart   = matching(`[a-z][a-z0-9-]{0,39}(:[12][0-9]{9})?`)
	isNpi     = matching(`[12][0-9]{9}`)
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

// decodeHashes takes a list of hashes in base64.
func decodeHashes(list any) ([]tlog.Hash, bool) {
	items, isList := list.([]any)
	if !isList {
		return nil, false
	}
	hashes := []tlog.Hash{}
	for _, item := range items {
		text, _ := item.(string)
		hash, ok := decodeHash(text)
		if !ok {
			return nil, false
		}
		hashes = append(hashes, hash)
	}
	return hashes, true
}

// timeOf is the time of what isInstant has accepted; 24:00:00 is the beginning of the next day.
func timeOf(instant string) time.Time {
	day, clock, _ := strings.Cut(instant, "T")
	if midnight(clock) {
		at, _ := time.Parse("2006-01-02", day)
		return at.AddDate(0, 0, 1)
	}
	at, _ := time.Parse("2006-01-02T15:04:05.999Z", instant)
	return at
}

func encodeHash(hash tlog.Hash) string { return base64.StdEncoding.EncodeToString(hash[:]) }

// leafHash is the hash of an entry, state, period, provider or row, in base64.
func leafHash(value any) string { return encodeHash(tlog.RecordHash(canonical(value))) }

// stands: all hashes decode, and from leaf, index, size and path the root follows.
func stands(leaf tlog.Hash, index, size int64, path any, root string) bool {
	want, ok := decodeHash(root)
	hashes, decoded := decodeHashes(path)
	return ok && decoded && tlog.CheckRecord(hashes, size, want, index, leaf) == nil
}

// textOf is a member that is a text; null and what is missing are the empty text.
func textOf(value any, name string) string {
	members, _ := value.(object)
	text, _ := members[name].(string)
	return text
}

// numberOf takes a member that a form has accepted as a count.
func numberOf(value any, name string) int64 {
	return int64(value.(object)[name].(float64))
}

// without is an object with some members less; what was read is never changed.
func without(from object, names ...string) object {
	rest := object{}
	for each, value := range from {
		if !oneOf(names...)(each) {
			rest[each] = value
		}
	}
	return rest
}

func onlyAmong(body object, names []string) bool {
	allowed := oneOf(names...)
	for name := range body {
		if !allowed(name) {
			return false
		}
	}
	return true
}

func has(body object, name string) bool {
	_, there := body[name]
	return there
}

func same(a, b any) bool { return string(canonical(a)) == string(canonical(b)) }
