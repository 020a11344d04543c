package main

import (
	"sort"

	"golang.org/x/mod/sumdb/tlog"
)

var (
	isRowPlace    = closed(map[string]form{"release": isCount, "index": isCount})
	isListRelease = closed(map[string]form{
		"type":    oneOf("agent-trust-registry/set-proof@v2"),
		"release": isManifest, "in_force": isPeriodProof, "hashes": isText})
	isListBecause = closedOr(map[string]form{
		"rows": listOf(mostEvidence, isListEvidence),
	}, map[string]form{
		"periods":   listOf(64, isPeriodProof),
		"providers": listOf(64, isProviderProof),
	})
)

// isListEvidence: a row that is like no other is whole.
func isListEvidence(value any) bool {
	given, _ := value.(object)
	return isEvidence(value) && (has(given, "like") || isRow(given["row"]))
}

var isEvidence = closedOr(
	map[string]form{"release": isCount, "index": isCount, "row": isObject},
	map[string]form{"like": isCount})

// A list is of rows of several releases, those of each proved at once: proof.md, "The rows of a list". Rows are taken
// first, and only what was proved after that is a fact.
type list struct {
	facts    *facts
	releases []*listed
	// inShort counts the rows with like, of which a list may have mostInShort.
	inShort int
	// shortBytes are those of the rows that these state their differences from, of which there may be mostShortBytes.
	shortBytes int
}

const (
	mostInShort    = 1024
	mostShortBytes = 1 << 20
)

// listed is one of the releases of a list, with the rows that were taken of it by their places.
type listed struct {
	of      *release
	inForce object
	hashes  string
	taken   map[int64]takenRow
}

type takenRow struct {
	row   object
	hash  tlog.Hash
	bytes int
}

// addList takes releases, at most so many, state and log of the body of a list.
func (f *facts) addList(body object, most int) (*list, error) {
	releases, err := f.addShared(body, listOf(most, isListRelease))
	if err != nil {
		return nil, err
	}
	l := &list{facts: f}
	for i, item := range body["releases"].([]any) {
		given := item.(object)
		l.releases = append(l.releases, &listed{releases[i], given["in_force"].(object), textOf(given, "hashes"), map[int64]takenRow{}})
	}
	return l, nil
}

// take takes a row with its proof. Whether it is in its release is not known before all are proved.
func (l *list) take(value any) (*cited, error) {
	row, proof, err := rowAndProof(value, isRowPlace)
	if err != nil {
		return nil, err
	}
	return l.takeAt(row, numberOf(proof, "release"), numberOf(proof, "index"))
}

// takePlace takes a row that must be one of a place.
func (l *list) takePlace(value any) (*cited, error) {
	return onlyPlace(l.take(value))
}

// takeAt is steps 3 to 5.
func (l *list) takeAt(row object, place, index int64) (*cited, error) {
	if place >= int64(len(l.releases)) {
		return nil, reason("proof_malformed")
	}
	hash, size, err := rowHash(row)
	if err != nil {
		return nil, err
	}
	in := l.releases[place]
	if before, twice := in.taken[index]; twice && before.hash != hash {
		return nil, reason("leaves_contradict")
	}
	in.taken[index] = takenRow{row, hash, size}
	return &cited{row, in.of, in.inForce}, nil
}

func (l *list) takeBecause(value any) error {
	if !isListBecause(value) {
		return reason("proof_malformed")
	}
	because := value.(object)
	for _, item := range because["rows"].([]any) {
		given := item.(object)
		row, ok := l.wholeRow(given)
		if !ok || !isRow(row) {
			return reason("proof_malformed")
		}
		if _, err := l.takeAt(row, numberOf(given, "release"), numberOf(given, "index")); err != nil {
			return err
		}
	}
	return l.facts.addPeriodsAndProviders(because)
}

// wholeRow is the row of an item of a because. With like it is the row taken before at that index of the same place in
// releases, completed by what differs.
func (l *list) wholeRow(given object) (row object, ok bool) {
	row = given["row"].(object)
	if !has(given, "like") {
		return row, true
	}
	place := numberOf(given, "release")
	l.inShort++
	if l.inShort > mostInShort || place >= int64(len(l.releases)) {
		return nil, false
	}
	before, ok := l.releases[place].taken[numberOf(given, "like")]
	l.shortBytes += before.bytes
	if !ok || l.shortBytes > mostShortBytes {
		return nil, false
	}
	return completed(before.row, row), true
}

// completed is an object with the members of another in place of its own or added; objects in both are completed in the
// same way. Neither of the two is changed: the one is a row that was taken, the other a part of the body.
func completed(one, by object) object {
	whole := without(one)
	for name, value := range by {
		inner, isInner := whole[name].(object)
		if more, both := value.(object); both && isInner {
			value = completed(inner, more)
		}
		whole[name] = value
	}
	return whole
}

// prove makes facts of all rows that were taken.
func (l *list) prove() error {
	for _, each := range l.releases {
		if len(each.taken) == 0 {
			if each.hashes != "" {
				return reason("row_not_in_release")
			}
			continue
		}
		var places []int64
		for index := range each.taken {
			places = append(places, index)
		}
		sort.Slice(places, func(i, j int) bool { return places[i] < places[j] })
		var leaves []tlog.Hash
		for _, index := range places {
			leaves = append(leaves, each.taken[index].hash)
		}
		if !setLeadsTo(textOf(each.of.manifest, "rows_root"), each.of.rows.size, places, leaves, each.hashes) {
			return reason("row_not_in_release")
		}
		for _, index := range places {
			if err := l.facts.keepRow(each.of, each.taken[index].row, index); err != nil {
				return err
			}
		}
	}
	return nil
}
