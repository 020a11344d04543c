package main

import (
	"sort"
	"strconv"
	"strings"
	"time"

	"golang.org/x/mod/sumdb/tlog"
)

type cosigner struct {
	name    string
	seconds uint64
}

// A head is a checkpoint that was opened.
type head struct {
	origin    string
	size      int64
	root      tlog.Hash
	retired   bool       // only a retired key signed it
	cosigners []cosigner // each pinned witness once, with its latest time, in the order of the first lines
}

// emptyRoot is SHA-256 of nothing. tlog.TreeHash(0) is not used: older versions give zeros.
var emptyRoot, _ = decodeHash("47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=")

// openCheckpoint follows the seven steps of log.md, Checkpoints. tlog.ParseTree takes only the first line of Go's own
// log.
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
	if err := opened.checkSigners(signers, pinned); err != nil {
		return nil, err
	}
	seen, err := opened.addCosigners(text, lines, pinned)
	if err != nil {
		return nil, err
	}
	if !pinned.isMet(seen) {
		return nil, reason("quorum_not_met")
	}
	return opened, nil
}

// logSigners are the keys of log and #retired lines that signed. Only the first line of each key is looked at, and of two
// keys with one name and id the first.
func logSigners(text string, lines []signatureLine, pinned *policy) (map[*key]bool, error) {
	var keys []*key
	for _, log := range pinned.logs {
		keys = append(keys, log.key)
	}
	for _, old := range pinned.retired {
		keys = append(keys, old.key)
	}
	signers := map[*key]bool{}
	for _, line := range lines {
		for _, each := range keys {
			if !line.by(each) {
				continue
			}
			if !signers[each] && !each.signed(text, line.signature) {
				return nil, reason("note_signature_invalid")
			}
			signers[each] = true
			break
		}
	}
	if len(signers) == 0 {
		return nil, reason("note_unsigned")
	}
	return signers, nil
}

// checkSigners: the origin is the name of a key that signed, and a retired key alone did not sign past its end.
func (h *head) checkSigners(signers map[*key]bool, pinned *policy) error {
	for _, log := range pinned.logs {
		if signers[log.key] && log.key.name == h.origin {
			return nil
		}
	}
	known := false
	for _, old := range pinned.retired {
		if !signers[old.key] || old.key.name != h.origin {
			continue
		}
		known = true
		if old.size > h.size || old.size == h.size && old.root == h.root {
			h.retired = true
		}
	}
	switch {
	case !known:
		return reason("origin_not_pinned")
	case !h.retired:
		return reason("key_retired")
	}
	return nil
}

// addCosigners looks at every line of a pinned witness. By witness, not by name: two keys may have one name.
func (h *head) addCosigners(text string, lines []signatureLine, pinned *policy) (map[*witness]bool, error) {
	seen, place := map[*witness]bool{}, map[*witness]int{}
	for _, line := range lines {
		for _, each := range pinned.witnesses {
			if each.key.kind != witnessKey || !line.by(each.key) {
				continue
			}
			seconds, good := each.key.cosigned(text, line.signature)
			if !good {
				return nil, reason("note_signature_invalid")
			}
			if !seen[each] {
				seen[each], place[each] = true, len(h.cosigners)
				h.cosigners = append(h.cosigners, cosigner{each.key.name, seconds})
			} else if at := place[each]; h.cosigners[at].seconds < seconds {
				h.cosigners[at].seconds = seconds
			}
		}
	}
	return seen, nil
}

// endOfTime is the end of the year 9999; what lies past it counts as this.
var endOfTime = time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC)

// viewTime is when the checkpoint was the newest of its log, if anything tells (log.md, Checkpoints). recordedAt is that
// of the state that stands under it, or empty.
func (h *head) viewTime(recordedAt string) (at time.Time, told bool) {
	switch {
	case h.retired:
		return at, false
	case len(h.cosigners) > 0:
		var times []uint64
		for _, each := range h.cosigners {
			times = append(times, each.seconds)
		}
		sort.Slice(times, func(i, j int) bool { return times[i] < times[j] })
		at = time.Unix(int64(times[(len(times)-1)/2]), 0)
	case recordedAt != "":
		at = timeOf(recordedAt)
	default:
		return at, false
	}
	if at.After(endOfTime) {
		at = endOfTime
	}
	return at, true
}

// limits are the oldest view that will do, and the caller's own time; nil where one was not given.
type limits struct {
	notBefore, notAfter *string
}

// checkAge is step 5 of proof.md, Whole answers. Without limits any age will do.
func (h *head) checkAge(recordedAt string, age limits) error {
	for _, limit := range []*string{age.notBefore, age.notAfter} {
		if limit == nil {
			continue
		}
		at, told := h.viewTime(recordedAt)
		if !told || !isInstant(*limit) ||
			limit == age.notBefore && at.Before(timeOf(*limit)) ||
			limit == age.notAfter && at.After(timeOf(*limit)) {
			return reason("state_too_old")
		}
	}
	return nil
}

var isSize = matching(`0|[1-9][0-9]{0,15}`)

func parseSize(text string) (int64, bool) {
	if !isSize(text) {
		return 0, false
	}
	size, err := strconv.ParseInt(text, 10, 64)
	return size, err == nil && size <= maxSafe
}

func parseHead(text string) (*head, bool) {
	lines := strings.Split(text, "\n")
	if len(lines) != 4 || lines[0] == "" || lines[3] != "" {
		return nil, false
	}
	size, isSize := parseSize(lines[1])
	root, isRoot := decodeHash(lines[2])
	return &head{origin: lines[0], size: size, root: root}, isSize && isRoot
}
