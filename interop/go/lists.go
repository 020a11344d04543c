package main

import "golang.org/x/mod/sumdb/tlog"

// Lists of releases (proof.md): pages that show the stretch of the timeline that they are of.

const maxListed = 200

var (
	isRun = closed(map[string]form{"from": isCount, "periods": notEmpty(listOf(2000, isPeriod)),
		"left_path": isPath, "right_path": isPath})
	isRuns          = listOf(64, isRun)
	isTimelineProof = closed(map[string]form{
		"type": oneOf("agent-trust-registry/timeline-proof@v2"), "runs": isRuns, "state": isState, "log": isLogProof})
)

// A timelineRun is a stretch of neighbours in the timeline.
type timelineRun struct {
	from    int64
	periods []object
}

func periodKey(period object) string { return textOf(period, "chart") + "|" + textOf(period, "from") }

func holds(period object, day string) bool {
	return textOf(period, "from") <= day && day <= textOf(period, "to")
}

func (r *timelineRun) beginsAtFirst() bool { return r.from == 0 }

func (r *timelineRun) endsAtLast(f *facts) bool {
	return r.from+int64(len(r.periods)) == f.periods.size
}

// periodOf is the place in the run of the period of a release, or -1 if none names it. Without a run there is none.
func (r *timelineRun) periodOf(manifest object) (int, error) {
	if r == nil {
		return -1, nil
	}
	id := leafHash(manifest)
	for i, period := range r.periods {
		if textOf(period, "release") != id {
			continue
		}
		if !canHave(manifest, id, period) {
			return 0, reason("release_not_in_force")
		}
		return i, nil
	}
	return -1, nil
}

// addRuns checks stretches of the timeline under the known state. Their order within one run is all that is looked at.
func (f *facts) addRuns(items []any) (runs []*timelineRun, err error) {
	root, ok := decodeHash(textOf(f.state, "timeline_root"))
	for _, item := range items {
		given := item.(object)
		r := &timelineRun{from: numberOf(given, "from")}
		var leaves []tlog.Hash
		for _, each := range given["periods"].([]any) {
			period := each.(object)
			r.periods = append(r.periods, period)
			leaves = append(leaves, tlog.RecordHash(canonical(period)))
		}
		left, okLeft := decodeHashes(given["left_path"])
		right, okRight := decodeHashes(given["right_path"])
		if !ok || !okLeft || !okRight || !rangeLeadsTo(root, r.from, f.periods.size, leaves, left, right) {
			return nil, reason("period_not_in_timeline")
		}
		if !inOrder(r.periods) {
			return nil, reason("leaves_contradict")
		}
		runs = append(runs, r)
	}
	return runs, nil
}

// inOrder: no period ends before it begins, keys rise, and no two of one chart share a day.
func inOrder(periods []object) bool {
	for i, period := range periods {
		if textOf(period, "from") > textOf(period, "to") {
			return false
		}
		if i == 0 {
			continue
		}
		before := periods[i-1]
		if periodKey(before) >= periodKey(period) ||
			before["chart"] == period["chart"] && textOf(before, "to") >= textOf(period, "from") {
			return false
		}
	}
	return true
}

// isListPage: data and page of any of these lists by their forms. Of page only offset and has_more are used.
func isListPage(body object) bool {
	data, isList := body["data"].([]any)
	page, _ := body["page"].(object)
	return isList && len(data) <= maxListed && isCount(page["offset"]) && isBool(page["has_more"])
}

// addListPage checks a page of releases or of coverage but for its items; the run is nil if there is none.
func (f *facts) addListPage(body object, members ...string) (*timelineRun, error) {
	members = append(members, "data", "page", "links", "proof")
	if !onlyAmong(body, members) || len(body) != len(members) || !isListPage(body) {
		return nil, reason("not_recognised")
	}
	if has(body, "as_of") && !isDay(body["as_of"]) {
		return nil, reason("not_recognised")
	}
	proof, _ := body["proof"].(object)
	if !isTimelineProof(body["proof"]) || len(proof["runs"].([]any)) > 1 {
		return nil, reason("proof_malformed")
	}
	if err := f.addState(proof["state"].(object), proof["log"].(object)); err != nil {
		return nil, err
	}
	runs, err := f.addRuns(proof["runs"].([]any))
	if err != nil || len(runs) == 0 {
		return nil, err
	}
	return runs[0], nil
}

// offsetOf is what was asked for, 0 if left out.
func offsetOf(what object) any {
	if offset, there := what["offset"]; there {
		return offset
	}
	return 0.0
}

func isFirstPage(what object) bool { return offsetOf(what) == 0.0 }

func isLastPage(body object) bool { return body["page"].(object)["has_more"] == false }

// answersOffset: the page is from where it was asked for.
func answersOffset(body, what object) bool {
	return same(body["page"].(object)["offset"], offsetOf(what))
}

// placeOf is where a page stands in its list, but for the period before it (proof.md, Page after page).
func placeOf(body object) object { return object{"has_more": !isLastPage(body)} }

// showsPlace: the run shows what there is at a key of the timeline. Without a run there is nothing.
func (r *timelineRun) showsPlace(key string, f *facts) bool {
	if r == nil {
		return f.periods.size == 0
	}
	before, after := r.beginsAtFirst(), r.endsAtLast(f)
	for _, period := range r.periods {
		if periodKey(period) == key {
			return true
		}
		before = before || periodKey(period) < key
		after = after || periodKey(period) > key
	}
	return before && after
}

// ofChart: the chart is the one asked for, if one was.
func ofChart(chart any, what object) bool { return !has(what, "chart") || chart == what["chart"] }
