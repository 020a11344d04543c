package main

import "golang.org/x/mod/sumdb/tlog"

var pageMembers = []string{"data", "proofs", "releases", "state", "log", "as_of", "page", "links", "sources_lost"}

// isPageQuestion: who asks for more than is understood must not take the page for an answer to all of it.
var isPageQuestion = closedOr(map[string]form{"as_of": isText},
	map[string]form{"cpt": isText, "region": isText, "npi": isText, "chart": isText})

// A stretch, which proof.md calls a run, is of neighbours in one release, with one proof.
type stretch struct {
	proof  object
	place  int64 // of its release
	of     *release
	rows   []object
	leaves []tlog.Hash
	size   int // of its largest row
}

// addShared takes releases in their form, state and log of a page or a list.
func (f *facts) addShared(body object, fits form) ([]*release, error) {
	if !fits(body["releases"]) || !isState(body["state"]) || !isLogProof(body["log"]) {
		return nil, reason("proof_malformed")
	}
	if err := f.addState(body["state"].(object), body["log"].(object)); err != nil {
		return nil, err
	}
	return f.addReleases(body["releases"].([]any))
}

// addPage is proof.md, "Pages".
func (f *facts) addPage(body, what object, v *verdict) error {
	if !onlyAmong(body, pageMembers) || !isDay(body["as_of"]) || !tellsLost(body) {
		return reason("not_recognised")
	}
	if !isRangeProofs(body["proofs"]) {
		return reason("proof_malformed")
	}
	releases, err := f.addShared(body, listOf(200, isShared))
	if err != nil {
		return err
	}
	var runs []*stretch
	for _, proof := range body["proofs"].([]any) {
		runs = append(runs, &stretch{proof: proof.(object), place: numberOf(proof, "release")})
	}
	last := int64(0)
	for i, item := range body["data"].([]any) {
		if last, err = addItem(item, runs, last); err != nil {
			return at(i, err)
		}
	}
	for _, each := range runs {
		if each.place >= int64(len(releases)) {
			return reason("proof_malformed")
		}
		each.of = releases[each.place]
		if err := f.addRun(each); err != nil {
			return err
		}
		for _, row := range each.rows {
			v.rows = append(v.rows, provedRow{row, each.of.manifest})
		}
	}
	if len(v.rows) == 0 {
		return reason("nothing_proved")
	}
	if what == nil {
		return nil
	}
	return f.pageAnswers(body, what, runs)
}

// addItem puts a row to its run, and gives the place of that.
func addItem(item any, runs []*stretch, last int64) (int64, error) {
	given, ok := item.(object)
	row := without(given, "proof")
	if !ok || !isRow(row) {
		return 0, reason("row_malformed")
	}
	if !isPageProof(given["proof"]) {
		return 0, reason("proof_malformed")
	}
	proof := given["proof"].(object)
	place := numberOf(proof, "proof")
	if place >= int64(len(runs)) || place < last {
		return 0, reason("rows_left_out")
	}
	to := runs[place]
	if numberOf(proof, "index") != numberOf(to.proof, "from")+int64(len(to.rows)) {
		return 0, reason("rows_left_out")
	}
	text := canonical(row)
	hash := tlog.RecordHash(text)
	if encodeHash(hash) != textOf(proof, "leaf_hash") {
		return 0, reason("leaf_hash_mismatch")
	}
	to.rows, to.leaves = append(to.rows, row), append(to.leaves, hash)
	if len(text) > to.size {
		to.size = len(text)
	}
	return place, nil
}

func (f *facts) addRun(r *stretch) error {
	if r.size > maxLeaf {
		return reason("row_too_large")
	}
	from := numberOf(r.proof, "from")
	left, okLeft := decodeHashes(r.proof["left_path"])
	right, okRight := decodeHashes(r.proof["right_path"])
	root, okRoot := decodeHash(textOf(r.of.manifest, "rows_root"))
	if !okLeft || !okRight || !okRoot || !rangeLeadsTo(root, from, r.of.rows.size, r.leaves, left, right) {
		return reason("row_not_in_release")
	}
	for i, row := range r.rows {
		if err := f.keepRow(r.of, row, from+int64(i)); err != nil {
			return err
		}
	}
	return nil
}

// pageAnswers: the rows are of the day and the filters, and no run is broken in two where it need not be.
func (f *facts) pageAnswers(body, what object, runs []*stretch) error {
	if !isPageQuestion(what) {
		return reason("question_malformed")
	}
	if body["as_of"] != what["as_of"] {
		return errAnother
	}
	for _, each := range runs {
		of, told := f.edition(textOf(each.of.manifest, "chart"), textOf(body, "as_of"))
		if !told || of != each.of {
			return errAnother
		}
		if has(what, "chart") && each.of.manifest["chart"] != what["chart"] {
			return errAnother
		}
		for _, row := range each.rows {
			if !fitsPage(row, what) {
				return errAnother
			}
		}
	}
	if !has(what, "cpt") && (has(what, "region") || has(what, "npi")) {
		return nil
	}
	seen := map[*release]bool{}
	for _, each := range runs {
		if seen[each.of] {
			return reason("rows_left_out")
		}
		seen[each.of] = true
	}
	return nil
}

func fitsPage(row, what object) bool {
	if textOf(row, "kind") == "place" {
		return !has(what, "cpt") && !has(what, "region") && !has(what, "npi")
	}
	region := textOf(row, "region")
	return (!has(what, "cpt") || textOf(row, "cpt") == spelledCode(textOf(what, "cpt"))) &&
		(!has(what, "npi") || row["npi"] == what["npi"]) &&
		(!has(what, "region") || capitals(region) == capitals(textOf(what, "region")))
}
