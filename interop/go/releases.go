package main

import "golang.org/x/mod/sumdb/tlog"

var (
	isReleaseProof = closed(map[string]form{
		"type":       oneOf("agent-trust-registry/release-proof@v2"),
		"release":    isManifest,
		"inclusion":  isPath,
		"withdrawal": nullOr(closed(map[string]form{"entry": isWithdrawal, "inclusion": isPath})),
		"replaced_by": nullOr(closed(map[string]form{
			"release": isManifest, "index": isCount, "inclusion": isPath})),
	})
	ofManifest = []string{"release_id", "chart", "edition", "effective_from", "effective_to", "row_count",
		"rejected_count", "supersedes", "data_class"}
)

// A releaseItem of a page, as it was proved.
type releaseItem struct {
	manifest object
	period   object // nil if it has none in the run
	key      string // of the period that it has, or would have
	state    string
	index    int64 // in the log
}

// addReleaseList checks a page of releases (proof.md, Releases).
func (f *facts) addReleaseList(body, what object, v *verdict) error {
	r, err := f.addListPage(body)
	if err != nil {
		return err
	}
	var items []*releaseItem
	for i, value := range body["data"].([]any) {
		one, err := f.addReleaseItem(value, r)
		if err == nil && i > 0 && !items[i-1].isBefore(one) {
			err = reason("entries_out_of_order")
		}
		if err != nil {
			return at(i, err)
		}
		items = append(items, one)
		v.listed = append(v.listed, listedRelease{one.manifest, one.period})
	}
	v.entries = len(items)
	state := what["state"]
	if len(items) == 0 && (what == nil || !isFirstPage(what) || state == "replaced" || state == "withdrawn") {
		return reason("nothing_proved")
	}
	v.page = placeOf(body)
	if what == nil {
		return nil
	}
	if !answersOffset(body, what) {
		return errAnother
	}
	for _, one := range items {
		if !ofChart(one.manifest["chart"], what) || has(what, "state") && one.state != state {
			return errAnother
		}
	}
	if has(what, "state") && state != "published" {
		return nil
	}
	before, whole := f.listsAll(body, what, r, items)
	if !whole {
		return reason("releases_left_out")
	}
	v.page["before"] = before
	return nil
}

// addReleaseItem checks one item, but for its order.
func (f *facts) addReleaseItem(value any, r *timelineRun) (*releaseItem, error) {
	item, _ := value.(object)
	if !tellsLost(item) {
		return nil, reason("not_recognised")
	}
	if !isReleaseProof(item["proof"]) || !isCount(item["log_index"]) {
		return nil, reason("proof_malformed")
	}
	proof := item["proof"].(object)
	manifest := proof["release"].(object)
	one := &releaseItem{manifest: manifest, index: numberOf(item, "log_index"),
		key: textOf(manifest, "chart") + "|" + textOf(manifest, "effective_from")}
	if !f.inOpened(manifest, one.index, proof["inclusion"]) {
		return nil, reason("release_not_in_log")
	}
	f.known(manifest, leafHash(manifest))
	withdrawal, isWithdrawn := proof["withdrawal"].(object)
	entry, _ := withdrawal["entry"].(object)
	if isWithdrawn {
		place := item["withdrawn_log_index"]
		if !isCount(place) || !f.inOpened(entry, int64(place.(float64)), withdrawal["inclusion"]) {
			return nil, reason("entry_not_in_log")
		}
		if entry["release_id"] != manifest["release_id"] || entry["chart"] != manifest["chart"] {
			return nil, reason("body_contradicts_proof")
		}
	}
	later, isReplaced := proof["replaced_by"].(object)
	if isReplaced {
		release := later["release"].(object)
		if !f.inOpened(release, numberOf(later, "index"), later["inclusion"]) {
			return nil, reason("release_not_in_log")
		}
		f.known(release, leafHash(release))
	}
	at, err := r.periodOf(manifest)
	if err != nil {
		return nil, err
	}
	if at >= 0 {
		one.period = r.periods[at]
	}
	if !one.says(item, entry) || isWithdrawn && one.period != nil || one.period == nil && !r.showsPlace(one.key, f) ||
		isReplaced != (one.state == "replaced") || isReplaced && !one.givesWay(later, r) {
		return nil, reason("body_contradicts_proof")
	}
	return one, nil
}

// givesWay: a later release counts in place of this one, which is in force on no day.
func (one *releaseItem) givesWay(later object, r *timelineRun) bool {
	release := later["release"].(object)
	if release["chart"] != one.manifest["chart"] || numberOf(later, "index") <= one.index {
		return false
	}
	return release["edition"] == one.manifest["edition"] || r.hasPeriod(one.key, leafHash(release))
}

// inOpened: an entry stands in the log of the page, whose checkpoint is open.
func (f *facts) inOpened(entry object, index int64, inclusion any) bool {
	path, ok := decodeHashes(inclusion)
	return ok && tlog.CheckRecord(path, f.opened.size, f.opened.root, index, tlog.RecordHash(canonical(entry))) == nil
}

// hasPeriod: a period of the run has the key and names the release.
func (r *timelineRun) hasPeriod(key, release string) bool {
	if r == nil {
		return false
	}
	for _, period := range r.periods {
		if periodKey(period) == key && textOf(period, "release") == release {
			return true
		}
	}
	return false
}

// says: the members of an item are those that follow; the withdrawal is nil if none is shown.
func (one *releaseItem) says(item, withdrawal object) bool {
	follows := object{"published_at": one.manifest["recorded_at"], "in_force": nil, "log_index": item["log_index"],
		"withdrawn_at": nil, "withdrawn_reason": nil, "withdrawn_log_index": nil}
	for _, name := range ofManifest {
		follows[name] = one.manifest[name]
	}
	if one.period != nil {
		follows["in_force"] = object{"from": one.period["from"], "to": one.period["to"]}
	}
	switch {
	case withdrawal != nil:
		one.state = "withdrawn"
		follows["withdrawn_at"], follows["withdrawn_reason"] = withdrawal["recorded_at"], withdrawal["reason"]
		follows["withdrawn_log_index"] = item["withdrawn_log_index"]
	case one.period != nil:
		one.state = "published"
	default:
		one.state = "replaced"
	}
	follows["state"] = one.state
	return same(without(item, "proof", "sources_lost"), follows)
}

// isBefore is the order of the list.
func (one *releaseItem) isBefore(other *releaseItem) bool {
	if one.key != other.key {
		return one.key < other.key
	}
	if (one.period != nil) != (other.period != nil) {
		return one.period != nil
	}
	return one.index < other.index
}

// listsAll: no release that is in force was left out (proof.md, Whether it is whole). Also the period before, or nil.
func (f *facts) listsAll(body, what object, r *timelineRun, items []*releaseItem) (last any, whole bool) {
	if !isLastPage(body) && len(items) == 0 {
		return nil, false
	}
	if r == nil {
		return nil, f.periods.size == 0
	}
	first, end := textOf(what, "chart")+"|", ""
	startsInForce := true
	if len(items) > 0 {
		first, end = items[0].key, items[len(items)-1].key
		startsInForce = items[0].period != nil
	}
	var before, within, after []object
	for _, period := range r.periods {
		switch key := periodKey(period); {
		case key < first || key == first && !startsInForce:
			before = append(before, period)
		case len(items) == 0 || key > end:
			after = append(after, period)
		default:
			within = append(within, period)
		}
	}
	if len(before) == 0 && !r.beginsAtFirst() || len(after) == 0 && !r.endsAtLast(f) {
		return nil, false
	}
	for _, period := range before {
		if ofChart(period["chart"], what) {
			last = period
		}
	}
	for _, one := range items {
		if one.period == nil {
			continue
		}
		if len(within) == 0 || periodKey(within[0]) != periodKey(one.period) {
			return nil, false
		}
		within = within[1:]
	}
	return last, len(within) == 0 && (!isFirstPage(what) || noneOf(before, what)) && (!isLastPage(body) || noneOf(after, what))
}

// noneOf: none of the periods is of the chart asked for, or if none was, there is none at all.
func noneOf(periods []object, what object) bool {
	for _, period := range periods {
		if ofChart(period["chart"], what) {
			return false
		}
	}
	return true
}
