package main

import (
	"strings"

	"golang.org/x/mod/sumdb/tlog"
)

// A release is known by the leaf hash of its manifest.
type release struct {
	manifest object
	rows     *tree
}

// facts are what a body has proved so far.
type facts struct {
	pinned     *policy
	checkpoint string // known if not empty: no note is
	opened     *head  // the checkpoint, opened
	state      object // nil if none is known
	statement  string // state and log proof, in canonical JSON
	periods    *tree
	providers  *tree
	releases   map[string]*release
}

func newFacts(pinned *policy) *facts {
	return &facts{pinned: pinned, releases: map[string]*release{}}
}

// inRegistry checks an entry of the registry log.
func (f *facts) inRegistry(entry, log object, otherwise reason) (*head, error) {
	opened, err := openCheckpoint([]byte(textOf(log, "checkpoint")), f.pinned)
	if err != nil {
		return nil, err
	}
	if !strings.HasSuffix(opened.origin, "/log/registry") {
		return nil, reason("log_of_other_kind")
	}
	if !isInLog(entry, log, opened) {
		return nil, otherwise
	}
	return opened, nil
}

func isInLog(entry, log object, opened *head) bool {
	path, ok := decodeHashes(log["inclusion"])
	return ok && tlog.CheckRecord(path, opened.size, opened.root, numberOf(log, "index"),
		tlog.RecordHash(canonical(entry))) == nil
}

func (f *facts) addState(state, log object) error {
	statement := string(canonical(object{"state": state, "log": log}))
	if f.state != nil {
		if statement != f.statement {
			return reason("mixed_checkpoints")
		}
		return nil
	}
	checkpoint := textOf(log, "checkpoint")
	if f.checkpoint != "" && checkpoint != f.checkpoint {
		return reason("mixed_checkpoints")
	}
	opened, err := f.inRegistry(state, log, "state_not_in_log")
	if err != nil {
		return err
	}
	if numberOf(log, "index") != opened.size-1 {
		return reason("state_not_last")
	}
	f.state, f.statement, f.checkpoint, f.opened = state, statement, checkpoint, opened
	f.periods = &tree{size: numberOf(state, "timeline_size")}
	f.providers = &tree{size: numberOf(state, "providers_size")}
	return nil
}

// known makes a release known, under a name that nothing else has.
func (f *facts) known(manifest object, id string) *release {
	if f.releases[id] == nil {
		f.releases[id] = &release{manifest, &tree{size: numberOf(manifest, "row_count")}}
	}
	return f.releases[id]
}

// canHave: the period is one that the release can have. Its id is the leaf hash of its manifest.
func canHave(manifest object, id string, period object) bool {
	from, to := textOf(period, "from"), textOf(period, "to")
	return textOf(period, "release") == id && period["chart"] == manifest["chart"] &&
		from == textOf(manifest, "effective_from") && from <= to && to <= textOf(manifest, "effective_to")
}

// addInForce takes a manifest and a period proof, which may have a state as well.
func (f *facts) addInForce(manifest, proof object) (*release, error) {
	id := leafHash(manifest)
	if !canHave(manifest, id, proof["period"].(object)) {
		return nil, reason("release_not_in_force")
	}
	if err := f.addPeriod(proof); err != nil {
		return nil, err
	}
	return f.known(manifest, id), nil
}

func (f *facts) addPeriod(proof object) error {
	period, index := proof["period"].(object), numberOf(proof, "index")
	if !stands(tlog.RecordHash(canonical(period)), index, f.periods.size, proof["path"], textOf(f.state, "timeline_root")) {
		return reason("period_not_in_timeline")
	}
	from, to := textOf(period, "from"), textOf(period, "to")
	if from > to {
		return reason("leaves_contradict")
	}
	key := textOf(period, "chart") + "|" + from
	for _, other := range f.periods.beside(key) { // known periods share no day, so only the nearest ones can
		begins, ends := textOf(other.value, "from"), textOf(other.value, "to")
		if other.value["chart"] == period["chart"] && begins != from && begins <= to && ends >= from {
			return reason("leaves_contradict")
		}
	}
	return f.periods.keep(index, key, period)
}

func (f *facts) addProvider(proof object) error {
	provider, index := proof["provider"].(object), numberOf(proof, "index")
	if !stands(tlog.RecordHash(canonical(provider)), index, f.providers.size, proof["path"],
		textOf(f.state, "providers_root")) {
		return reason("provider_not_in_state")
	}
	for _, other := range f.providers.knownUnder(textOf(provider, "npi") + "|") {
		if other.value["chart"] != provider["chart"] {
			return reason("leaves_contradict")
		}
	}
	return f.providers.keep(index, textOf(provider, "npi")+"|"+textOf(provider, "chart"), provider)
}

// addPublished takes a release that may be in force on no day. It makes no state known.
func (f *facts) addPublished(manifest, log object) (*release, error) {
	opened, err := f.inRegistry(manifest, log, "release_not_in_log")
	if err != nil {
		return nil, err
	}
	checkpoint := textOf(log, "checkpoint")
	if f.checkpoint != "" && checkpoint != f.checkpoint {
		return nil, reason("mixed_checkpoints")
	}
	f.checkpoint, f.opened = checkpoint, opened
	return f.known(manifest, leafHash(manifest)), nil
}

// rowHash is the leaf hash of a row and the size of its canonical JSON, if that is not too large.
func rowHash(row object) (hash tlog.Hash, size int, err error) {
	text := canonical(row)
	if len(text) > maxLeaf {
		return hash, 0, reason("row_too_large")
	}
	return tlog.RecordHash(text), len(text), nil
}

// addRow takes a row by its shape. Without a leaf hash, given is empty.
func (f *facts) addRow(of *release, row object, index int64, path any, given string) error {
	hash, _, err := rowHash(row)
	if err != nil {
		return err
	}
	if given != "" && encodeHash(hash) != given {
		return reason("leaf_hash_mismatch")
	}
	if !stands(hash, index, of.rows.size, path, textOf(of.manifest, "rows_root")) {
		return reason("row_not_in_release")
	}
	return f.keepRow(of, row, index)
}

// keepRow is what remains to be done of a row that stands in its release.
func (f *facts) keepRow(of *release, row object, index int64) error {
	if err := checkOfRelease(row, of.manifest); err != nil {
		return err
	}
	return of.rows.keep(index, keyOf(row), row)
}
