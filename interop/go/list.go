package main

import (
	"sort"

	"golang.org/x/mod/sumdb/tlog"
)

var (
	isSetProof = closed(map[string]form{
		"type":    oneOf("agent-trust-registry/set-proof@v2"),
		"release": isCount, "index": isCount, "leaf_hash": isHash})
	isListRelease = closed(map[string]form{"release": isManifest, "in_force": isPeriodProof, "hashes": isText})
	isListBecause = closed(map[string]form{
		"rows":      listOf(256, closed(map[string]form{"release": isCount, "index": isCount, "row": isRow})),
		"periods":   listOf(64, isPeriodProof),
		"providers": listOf(64, isProviderProof),
	})
)

// A list is of rows of several releases, those of each proved at once: proof.md, "The rows of a list". Rows are taken
// first, and only what was proved after that is a fact.
type list struct {
	facts    *facts
	releases []*listed
}

// listed is one of the releases of a list, with the rows that were taken of it by their places.
type listed struct {
	of      *release
	inForce object
	hashes  string
	taken   map[int64]takenRow
}

type takenRow struct {
	row  object
	hash tlog.Hash
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
	given, ok := value.(object)
	if !ok {
		return nil, reason("row_malformed")
	}
	row := without(given, "proof")
	if !isRow(row) {
		return nil, reason("row_malformed")
	}
	if given["proof"] == nil {
		return nil, reason("proof_missing")
	}
	if !isSetProof(given["proof"]) {
		return nil, reason("proof_malformed")
	}
	proof := given["proof"].(object)
	return l.takeAt(row, numberOf(proof, "release"), numberOf(proof, "index"), textOf(proof, "leaf_hash"))
}

// takePlace takes a row that must be one of a place.
func (l *list) takePlace(value any) (*cited, error) {
	one, err := l.take(value)
	if err == nil && textOf(one.row, "kind") != "place" {
		err = reason("row_malformed")
	}
	return one, err
}

// takeAt is steps 3 to 5. Without a leaf hash, given is empty.
func (l *list) takeAt(row object, place, index int64, given string) (*cited, error) {
	if place >= int64(len(l.releases)) {
		return nil, reason("proof_malformed")
	}
	text := canonical(row)
	if len(text) > maxLeaf {
		return nil, reason("row_too_large")
	}
	hash, in := tlog.RecordHash(text), l.releases[place]
	if given != "" && encodeHash(hash) != given {
		return nil, reason("leaf_hash_mismatch")
	}
	if before, twice := in.taken[index]; twice && before.hash != hash {
		return nil, reason("leaves_contradict")
	}
	in.taken[index] = takenRow{row, hash}
	return &cited{row, in.of, in.inForce}, nil
}

func (l *list) takeBecause(value any) error {
	if !isListBecause(value) {
		return reason("proof_malformed")
	}
	because := value.(object)
	for _, item := range because["rows"].([]any) {
		given := item.(object)
		if _, err := l.takeAt(given["row"].(object), numberOf(given, "release"), numberOf(given, "index"), ""); err != nil {
			return err
		}
	}
	return l.facts.addPeriodsAndProviders(because)
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
