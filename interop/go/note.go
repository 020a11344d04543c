package main

import (
	"bytes"
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Key types (log.md, Signed notes). Lines of type 6 are passed over: Go's library has no ML-DSA-44.
const (
	logKey     = 1
	witnessKey = 4
	latticeKey = 6

	latticeKeySize = 1312
)

// A key is what a verifier key says.
type key struct {
	name   string
	id     uint32
	kind   byte
	public []byte
}

func isKeyName(name string) bool {
	return name != "" && utf8.ValidString(name) && strings.IndexFunc(name, func(c rune) bool {
		return c == '+' || c == 0xfeff || unicode.IsSpace(c) || unicode.In(c, unicode.Cc, unicode.Z)
	}) < 0
}

var isKeyID = matching(`[0-9a-f]{8}`)

// parseKey is stricter than note.NewVerifier of x/mod, which takes capitals and several spellings of base64.
func parseKey(text string) (*key, bool) {
	parts := strings.SplitN(text, "+", 3) // base64 has pluses of its own
	if len(parts) != 3 || !isKeyName(parts[0]) || !isKeyID(parts[1]) {
		return nil, false
	}
	encoded, ok := decodeBase64(parts[2])
	if !ok || len(encoded) == 0 {
		return nil, false
	}
	sum := sha256.Sum256(append([]byte(parts[0]+"\n"), encoded...))
	if hex.EncodeToString(sum[:4]) != parts[1] {
		return nil, false
	}
	parsed := &key{name: parts[0], id: binary.BigEndian.Uint32(sum[:4]), kind: encoded[0], public: encoded[1:]}
	switch parsed.kind {
	case logKey, witnessKey:
		ok = len(parsed.public) == ed25519.PublicKeySize && isSound(parsed.public)
	case latticeKey:
		ok = len(parsed.public) == latticeKeySize
	default:
		ok = false
	}
	return parsed, ok
}

// smallOrder are the y of the points under which anyone can write signatures, least byte first (log.md, Sound keys).
var smallOrder = map[string]bool{
	"0000000000000000000000000000000000000000000000000000000000000000": true,
	"0100000000000000000000000000000000000000000000000000000000000000": true,
	"ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f": true,
	"26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05": true,
	"c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a": true,
}

// isSound: y is smaller than 2^255 - 19, and of none of the points of small order.
func isSound(public []byte) bool {
	y := append([]byte{}, public...)
	y[31] &= 0x7f
	if y[0] >= 0xed && y[31] == 0x7f && bytes.Equal(y[1:31], bytes.Repeat([]byte{0xff}, 30)) {
		return false
	}
	return !smallOrder[hex.EncodeToString(y)]
}

// signed: a log's signature is over the text alone. Go's library refuses an S that is not reduced.
func (k *key) signed(text string, signature []byte) bool {
	return len(signature) == ed25519.SignatureSize && ed25519.Verify(k.public, []byte(text), signature)
}

// cosigned is the time of a witness's cosignature, if it is good.
func (k *key) cosigned(text string, signature []byte) (seconds uint64, ok bool) {
	if len(signature) != 8+ed25519.SignatureSize {
		return 0, false
	}
	seconds = binary.BigEndian.Uint64(signature)
	message := "cosignature/v1\ntime " + strconv.FormatUint(seconds, 10) + "\n" + text
	return seconds, seconds <= maxSafe && ed25519.Verify(k.public, []byte(message), signature[8:])
}

type signatureLine struct {
	name      string
	id        uint32
	signature []byte
}

func (s signatureLine) by(k *key) bool { return s.name == k.name && s.id == k.id }

const (
	maxNote       = 65536
	maxSignatures = 100
)

// parseNote parts a note into its text and its signature lines. note.Open does not do: it takes a megabyte, DEL, and
// careless base64, and does not tell a false signature of a second pinned key from one that was never looked at.
func parseNote(given []byte) (text string, lines []signatureLine, ok bool) {
	whole := string(given)
	if len(whole) > maxNote || !utf8.ValidString(whole) || !strings.HasSuffix(whole, "\n") {
		return "", nil, false
	}
	if strings.IndexFunc(whole, func(c rune) bool { return c < 0x20 && c != '\n' || c == 0x7f }) >= 0 {
		return "", nil, false
	}
	parting := strings.LastIndex(whole, "\n\n")
	if parting < 0 || parting+2 == len(whole) {
		return "", nil, false
	}
	for _, line := range strings.Split(strings.TrimSuffix(whole[parting+2:], "\n"), "\n") {
		parsed, good := parseSignature(line)
		if !good || len(lines) == maxSignatures {
			return "", nil, false
		}
		lines = append(lines, parsed)
	}
	return whole[:parting+1], lines, true
}

func parseSignature(line string) (signatureLine, bool) {
	rest := strings.TrimPrefix(line, "— ")
	name, encoded, there := strings.Cut(rest, " ")
	bytes, ok := decodeBase64(encoded)
	if rest == line || !there || !isKeyName(name) || !ok || len(bytes) < 5 {
		return signatureLine{}, false
	}
	return signatureLine{name: name, id: binary.BigEndian.Uint32(bytes), signature: bytes[4:]}, true
}
