package main

var (
	isEditionProof = closed(map[string]form{
		"type": oneOf("agent-trust-registry/edition-proof@v2"), "release": isManifest})
	unproved = []string{"title", "codes", "code_prefixes", "regions", "npis", "code"}
)

// addCoverage checks a page of the editions in force on a day (proof.md, Coverage).
func (f *facts) addCoverage(body, what object, v *verdict) error {
	r, err := f.addListPage(body, "as_of")
	if err != nil {
		return err
	}
	var places []int // of the items, in the run
	for i, value := range body["data"].([]any) {
		place, manifest, err := r.addEdition(value, textOf(body, "as_of"))
		if err == nil && i > 0 && places[i-1] >= place {
			err = reason("entries_out_of_order")
		}
		if err != nil {
			return at(i, err)
		}
		f.known(manifest, leafHash(manifest))
		places = append(places, place)
		v.listed = append(v.listed, listedRelease{manifest, r.periods[place]})
	}
	v.entries = len(places)
	some := has(what, "cpt") || has(what, "npi")
	if len(places) == 0 && (what == nil || some || !isFirstPage(what)) {
		return reason("nothing_proved")
	}
	v.page = placeOf(body)
	if what == nil {
		return nil
	}
	if body["as_of"] != what["as_of"] || !answersOffset(body, what) {
		return errAnother
	}
	for _, place := range places {
		if !ofChart(r.periods[place]["chart"], what) {
			return errAnother
		}
	}
	if some {
		return nil
	}
	before, whole := f.coversAll(body, what, r, places)
	if !whole {
		return reason("releases_left_out")
	}
	v.page["before"] = before
	return nil
}

// addEdition checks one item, but for its order.
func (r *timelineRun) addEdition(value any, day string) (place int, manifest object, err error) {
	item, _ := value.(object)
	if !isEditionProof(item["proof"]) {
		return 0, nil, reason("proof_malformed")
	}
	manifest = item["proof"].(object)["release"].(object)
	place, err = r.periodOf(manifest)
	if err != nil {
		return 0, nil, err
	}
	if place < 0 || !holds(r.periods[place], day) {
		return 0, nil, reason("release_not_in_force")
	}
	period := r.periods[place]
	follows := object{"kind": "chart", "rows": manifest["row_count"],
		"in_force": object{"from": period["from"], "to": period["to"]}}
	for _, name := range []string{"chart", "publisher", "release_id", "edition", "effective_from", "data_class"} {
		follows[name] = manifest[name]
	}
	if !same(without(item, append([]string{"proof"}, unproved...)...), follows) {
		return 0, nil, reason("body_contradicts_proof")
	}
	return place, manifest, nil
}

// coversAll: no edition of the day was left out. Also the period before the page, or nil.
func (f *facts) coversAll(body, what object, r *timelineRun, places []int) (before any, whole bool) {
	if !isLastPage(body) && len(places) == 0 {
		return nil, false
	}
	if r == nil {
		return nil, f.periods.size == 0
	}
	chart := textOf(what, "chart")
	if isFirstPage(what) && !r.beginsAtFirst() && !(has(what, "chart") && periodKey(r.periods[0]) < chart+"|") {
		return nil, false
	}
	last := r.periods[len(r.periods)-1]
	if isLastPage(body) && !r.endsAtLast(f) &&
		!(has(what, "chart") && last["chart"] != chart && periodKey(last) > chart+"|") {
		return nil, false
	}
	skip := !isFirstPage(what) // the first is the last of the page before
	for i, period := range r.periods {
		switch {
		case !holds(period, textOf(body, "as_of")) || !ofChart(period["chart"], what):
		case skip:
			before, skip = period, false
		case len(places) == 0 || places[0] != i:
			return nil, false
		default:
			places = places[1:]
		}
	}
	return before, len(places) == 0
}
