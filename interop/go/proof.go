package main

import "strings"

// cited is a row that was proved, by a proof of its own or as one of a list.
type cited struct {
	row     object
	of      *release
	inForce object // nil if nothing is said but that it was published
}

// rowAndProof takes the proof off a row: steps 1 and 2 of a row with its whole proof, and of a row of a list.
func rowAndProof(value any, fits form) (row, proof object, err error) {
	given, ok := value.(object)
	row = without(given, "proof")
	switch {
	case !ok || !isRow(row):
		return nil, nil, reason("row_malformed")
	case given["proof"] == nil:
		return nil, nil, reason("proof_missing")
	case !fits(given["proof"]):
		return nil, nil, reason("proof_malformed")
	}
	return row, given["proof"].(object), nil
}

// onlyPlace lets a row pass that is one of a place.
func onlyPlace(one *cited, err error) (*cited, error) {
	if err == nil && textOf(one.row, "kind") != "place" {
		err = reason("row_malformed")
	}
	return one, err
}

// addCited takes a row with its whole proof.
func (f *facts) addCited(value any) (*cited, error) {
	row, proof, err := rowAndProof(value, isRowProof)
	if err != nil {
		return nil, err
	}
	manifest, log, place := proof["release"].(object), proof["log"].(object), proof["row"].(object)
	one := &cited{row: row}
	if inForce, there := proof["in_force"].(object); there {
		one.inForce = inForce
		if err = f.addState(inForce["state"].(object), log); err != nil {
			return nil, err
		}
		one.of, err = f.addInForce(manifest, inForce)
	} else {
		one.of, err = f.addPublished(manifest, log)
	}
	if err != nil {
		return nil, err
	}
	return one, f.addRow(one.of, row, numberOf(place, "index"), place["path"], textOf(place, "leaf_hash"))
}

func (f *facts) addAbsence(value any) error {
	if !isAbsenceProof(value) {
		return reason("proof_malformed")
	}
	proof := value.(object)
	prefix, manifest := textOf(proof, "key_prefix"), proof["release"].(object)
	if !isPrefix(prefix, textOf(manifest, "chart")) {
		return reason("key_prefix_malformed")
	}
	inForce := proof["in_force"].(object)
	if err := f.addState(inForce["state"].(object), proof["log"].(object)); err != nil {
		return err
	}
	of, err := f.addInForce(manifest, inForce)
	if err != nil {
		return err
	}
	left, _ := proof["left"].(object)
	right, _ := proof["right"].(object)
	for _, neighbour := range []object{left, right} {
		if neighbour == nil {
			continue
		}
		if err := f.addRow(of, neighbour["row"].(object), numberOf(neighbour, "index"), neighbour["path"], ""); err != nil {
			return err
		}
	}
	if !encloses(left, right, of.rows.size, prefix) {
		return reason("key_not_enclosed")
	}
	return nil
}

// encloses: there is no room for the prefix between the neighbours. Go compares strings by their bytes.
func encloses(left, right object, count int64, prefix string) bool {
	switch {
	case left != nil && right != nil:
		if numberOf(left, "index")+1 != numberOf(right, "index") {
			return false
		}
	case left != nil:
		if numberOf(left, "index") != count-1 {
			return false
		}
	case right != nil:
		if numberOf(right, "index") != 0 {
			return false
		}
	default:
		return count == 0
	}
	if left != nil {
		if key := keyOf(left["row"].(object)); key >= prefix || strings.HasPrefix(key, prefix) {
			return false
		}
	}
	if right != nil {
		if key := keyOf(right["row"].(object)); key <= prefix || strings.HasPrefix(key, prefix) {
			return false
		}
	}
	return true
}

// addBecause takes what shows that an answer is the first choice; own is the release of the answer's own row, or nil.
func (f *facts) addBecause(value any, own *release) error {
	because, _ := value.(object)
	if !isBecause(value) || has(because, "state") != has(because, "log") {
		return reason("proof_malformed")
	}
	if state, there := because["state"].(object); there {
		if err := f.addState(state, because["log"].(object)); err != nil {
			return err
		}
	}
	if f.state == nil {
		return reason("proof_missing")
	}
	releases, err := f.addReleases(because["releases"].([]any))
	if err != nil {
		return err
	}
	for _, item := range because["rows"].([]any) {
		neighbour, of := item.(object), own
		if neighbour["release"] != nil {
			of = nil
			if place := numberOf(neighbour, "release"); place < int64(len(releases)) {
				of = releases[place]
			}
		}
		if of == nil {
			return reason("proof_malformed")
		}
		if err := f.addRow(of, neighbour["row"].(object), numberOf(neighbour, "index"), neighbour["path"], ""); err != nil {
			return err
		}
	}
	return f.addPeriodsAndProviders(because)
}

// addPeriodsAndProviders takes those of a because, of an answer or of a list. A list may leave them out.
func (f *facts) addPeriodsAndProviders(because object) error {
	periods, _ := because["periods"].([]any)
	for _, item := range periods {
		if err := f.addPeriod(item.(object)); err != nil {
			return err
		}
	}
	providers, _ := because["providers"].([]any)
	for _, item := range providers {
		if err := f.addProvider(item.(object)); err != nil {
			return err
		}
	}
	return nil
}

// addReleases takes shared releases, each as one in force.
func (f *facts) addReleases(items []any) (releases []*release, err error) {
	for _, item := range items {
		shared := item.(object)
		one, err := f.addInForce(shared["release"].(object), shared["in_force"].(object))
		if err != nil {
			return nil, err
		}
		releases = append(releases, one)
	}
	return releases, nil
}
