package main

import (
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/mod/sumdb/note"
)

const (
	logKey     = 1
	witnessKey = 4
)

// A key is what a verifier key says.
type key struct {
	name   string
	id     uint32
	public ed25519.PublicKey
	kind   byte
	signed note.Verifier // of a log key
}

func isKeyName(name string) bool {
	return name != "" && utf8.ValidString(name) && strings.IndexFunc(name, func(c rune) bool {
		return c == '+' || c == 0xfeff || unicode.IsSpace(c) || unicode.In(c, unicode.Cc, unicode.Z)
	}) < 0
}

var isKeyID = matching(`[0-9a-f]{8}`)

// parseKey is stricter than note.NewVerifier, which takes capitals and several spellings of base64, and knows one more
// type than it.
func parseKey(text string, kind byte) (*key, bool) {
	parts := strings.SplitN(text, "+", 3) // base64 has pluses of its own
	if len(parts) != 3 || !isKeyName(parts[0]) || !isKeyID(parts[1]) {
		return nil, false
	}
	encoded, ok := decodeBase64(parts[2])
	if !ok || len(encoded) != 1+ed25519.PublicKeySize || encoded[0] != kind {
		return nil, false
	}
	sum := sha256.Sum256(append([]byte(parts[0]+"\n"), encoded...))
	if hex.EncodeToString(sum[:4]) != parts[1] {
		return nil, false
	}
	parsed := &key{name: parts[0], id: binary.BigEndian.Uint32(sum[:4]), public: encoded[1:], kind: kind}
	if kind == logKey {
		verifier, err := note.NewVerifier(text)
		if err != nil || verifier.KeyHash() != parsed.id {
			return nil, false
		}
		parsed.signed = verifier
	}
	return parsed, true
}

// cosigned is the time of a cosignature, if it is good.
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
