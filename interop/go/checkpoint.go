package main

import (
	"strconv"
	"strings"

	"golang.org/x/mod/sumdb/tlog"
)

type cosigner struct {
	name    string
	seconds uint64
}

type head struct {
	origin    string
	size      int64
	root      tlog.Hash
	cosigners []cosigner
}

var isSize = matching(`0|[1-9][0-9]{0,15}`)

// emptyRoot is SHA-256 of nothing. tlog.TreeHash(0) is not used: older versions give zeros.
var emptyRoot, _ = decodeHash("47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=")

// openCheckpoint follows the six steps of log.md. tlog.ParseTree takes only the first line of Go's own log.
func openCheckpoint(given []byte, pinned *policy) (*head, error) {
	text, lines, ok := parseNote(given)
	if !ok {
		return nil, reason("note_malformed")
	}
	signers, err := logSigners(text, lines, pinned)
	if err != nil {
		return nil, err
	}
	opened, ok := parseHead(text)
	if !ok {
		return nil, reason("checkpoint_malformed")
	}
	if !signers[opened.origin] {
		return nil, reason("origin_not_pinned")
	}
	seen := map[*witness]bool{}
	place := map[*witness]int{} // by witness, not by name: two keys may have one name
	for _, line := range lines {
		for _, each := range pinned.witnesses {
			if !line.by(each.key) {
				continue
			}
			seconds, good := each.key.cosigned(text, line.signature)
			if !good {
				return nil, reason("note_signature_invalid")
			}
			if !seen[each] {
				seen[each], place[each] = true, len(opened.cosigners)
				opened.cosigners = append(opened.cosigners, cosigner{each.key.name, seconds})
			} else if at := place[each]; opened.cosigners[at].seconds < seconds {
				opened.cosigners[at].seconds = seconds
			}
		}
	}
	if !pinned.isMet(seen) {
		return nil, reason("quorum_not_met")
	}
	return opened, nil
}

// logSigners are the names of the pinned log keys that signed. Only the first line of each key is looked at.
func logSigners(text string, lines []signatureLine, pinned *policy) (map[string]bool, error) {
	names, looked := map[string]bool{}, map[*key]bool{}
	for _, line := range lines {
		for _, log := range pinned.logs {
			if looked[log.key] || !line.by(log.key) {
				continue
			}
			looked[log.key] = true
			if !log.key.signed.Verify([]byte(text), line.signature) {
				return nil, reason("note_signature_invalid")
			}
			names[log.key.name] = true
		}
	}
	if len(names) == 0 {
		return nil, reason("note_unsigned")
	}
	return names, nil
}

func parseHead(text string) (*head, bool) {
	lines := strings.Split(text, "\n")
	if len(lines) != 4 || lines[0] == "" || !isSize(lines[1]) || lines[3] != "" {
		return nil, false
	}
	size, err := strconv.ParseInt(lines[1], 10, 64)
	root, ok := decodeHash(lines[2])
	return &head{origin: lines[0], size: size, root: root}, err == nil && ok && size <= maxSafe
}
