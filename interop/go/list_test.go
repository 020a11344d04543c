package main

import (
	"encoding/base64"
	"sort"
	"testing"

	"golang.org/x/mod/sumdb/tlog"
)

// setRow is a row of a list whose releases are all there are, in their order.
func (x *fixture) setRow(at, i int) object {
	row := without(x.releases[at].rows[i])
	row["proof"] = object{"release": float64(at), "index": float64(i)}
	return row
}

// listed are the releases of a list in which these rows were taken of each.
func (x *fixture) listed(taken map[int][]int) []any {
	releases := []any{}
	for at, r := range x.releases {
		var leaves []tlog.Hash
		for _, row := range r.rows {
			leaves = append(leaves, tlog.RecordHash(canonical(row)))
		}
		text := []byte{}
		if len(taken[at]) > 0 {
			for _, hash := range besides(leaves, 0, func(i int) bool {
				place := sort.SearchInts(taken[at], i)
				return place < len(taken[at]) && taken[at][place] == i
			}) {
				text = append(text, hash[:]...)
			}
		}
		one := x.shared(r)
		one["type"], one["hashes"] = "agent-trust-registry/set-proof@v2", base64.StdEncoding.EncodeToString(text)
		releases = append(releases, one)
	}
	return releases
}

// listBecause shows all periods and providers, and these rows.
func (x *fixture) listBecause(rows map[int][]int) object {
	whole := x.because()
	shown := []any{}
	for at, places := range rows {
		for _, i := range places {
			shown = append(shown, object{"release": float64(at), "index": float64(i), "row": x.releases[at].rows[i]})
		}
	}
	return object{"rows": shown, "periods": whole["periods"], "providers": whole["providers"]}
}

func (x *fixture) page() object {
	r := x.releases[1]
	data := []any{}
	for i, row := range r.rows[:2] {
		item := without(row)
		item["proof"] = object{"type": "agent-trust-registry/page-proof@v2", "proof": 0.0, "index": float64(i), "leaf_hash": leafHash(row)}
		data = append(data, item)
	}
	return object{"data": data, "as_of": "2026-06-01", "state": x.state, "log": x.log, "releases": []any{x.shared(r)},
		"proofs": []any{object{"type": "agent-trust-registry/range-proof@v2", "release": 0.0, "from": 0.0,
			"left_path": []any{}, "right_path": []any{leafHash(r.rows[2])}}}}
}

func TestPage(t *testing.T) {
	x := sampleFixture()
	page := x.page()
	x.expect(t, "page", page, asked{page: object{"as_of": "2026-06-01", "cpt": "99213"}}, "ok")
	x.expect(t, "another code", page, asked{page: object{"as_of": "2026-06-01", "cpt": "99214"}}, "answers_another_question")
	x.expect(t, "a part that is none", page, asked{page: object{"as_of": "2026-06-01", "modifier": "26"}}, "question_malformed")
	x.expect(t, "a number", page, asked{page: object{"as_of": "2026-06-01", "cpt": 99213.0}}, "question_malformed")
	x.expect(t, "no day", page, asked{page: object{}}, "question_malformed")
	data := page["data"].([]any)
	page["data"] = data[1:]
	x.expect(t, "one left out", page, asked{}, "rows_left_out")
	page["data"] = data[:1]
	x.expect(t, "the last left out", page, asked{}, "row_not_in_release")
}

// batch has a price, a question without meaning, and a refusal.
func (x *fixture) batch() (batch object, questions asked) {
	line := object{"status": 200.0, "row": x.setRow(1, 2), "units": 3.0, "extended": object{"amount": "285.57"}}
	problem := object{"code": "not_on_schedule", "because": x.listBecause(map[int][]int{0: {1}, 1: {2}})}
	batch = object{"results": []any{line, object{"status": 400.0}, object{"status": 404.0, "problem": problem}},
		"releases": x.listed(map[int][]int{0: {1}, 1: {2}}),
		"state":    x.state, "log": x.log, "summary": object{"lines": 3.0, "priced": 1.0, "totals": []any{
			object{"basis": "medicare_pfs", "lines": 1.0, "low": "285.57", "high": "285.57", "billed": nil}}}}
	return batch, asked{questions: []any{ask("cpt", "99213").question, object{}, ask("cpt", "99999").question}}
}

func TestBatch(t *testing.T) {
	x := sampleFixture()
	batch, questions := x.batch()
	x.expect(t, "any", batch, asked{}, "ok")
	x.expect(t, "batch", batch, questions, "ok")
	first := questions.questions[0].(object)
	first["units"], first["billed"] = 3.0, ""
	x.expect(t, "units as asked", batch, questions, "ok")
	first["units"] = 2.0
	x.expect(t, "other units", batch, questions, "answers_another_question")
	delete(first, "units")
	for name, question := range map[string]any{"null": nil, "a text": "99213", "units": object{"cpt": "99213", "as_of": "2026-06-01", "units": 0.0},
		"billed": object{"cpt": "99213", "as_of": "2026-06-01", "billed": "1"}} {
		questions.questions[1] = question
		x.expect(t, "refused for "+name, batch, questions, "ok")
	}
	questions.questions[1] = object{"cpt": "99213", "as_of": "2026-06-01", "billed": "1.00"}
	x.expect(t, "refused for nothing", batch, questions, "answers_another_question")
	questions.questions[1] = object{}

	line := batch["results"].([]any)[0].(object)
	line["billed"] = "300.00"
	x.expect(t, "another summary", batch, questions, "body_contradicts_proof")
	delete(line, "billed")
	proof := line["row"].(object)["proof"].(object)
	proof["release"] = 9.0
	x.expect(t, "no such release", batch, questions, "proof_malformed")
	proof["release"], proof["index"] = 1.0, 1.0
	x.expect(t, "another place", batch, questions, "row_not_in_release")
	proof["index"] = 2.0
	batch["releases"].([]any)[2].(object)["hashes"] = encodeHash(tlog.Hash{})
	x.expect(t, "hashes of a release without rows", batch, questions, "row_not_in_release")
}

// TestLines: what stands in a line of a batch beside its proof.
func TestLines(t *testing.T) {
	x := &fixture{}
	row := priceRow("99213", "national", "non_facility", "95.19")
	row["indicators"] = object{"bilateral": "1"}
	x.release("cms-pfs", row)
	x.seal()
	batchOf := func(change func(line object), amount string) object {
		line := object{"status": 200.0, "row": x.setRow(0, 0), "extended": object{"amount": amount}}
		change(line)
		return object{"results": []any{line}, "releases": x.listed(map[int][]int{0: {0}}), "state": x.state, "log": x.log,
			"summary": object{"lines": 1.0, "priced": 1.0, "totals": []any{
				object{"basis": "medicare_pfs", "lines": 1.0, "low": amount, "high": amount, "billed": nil}}}}
	}
	adjusted := func(name string, value any) func(object) {
		return func(line object) {
			made := adjustment("50", row)
			if name != "" {
				made[name] = value
			}
			line["adjustment"] = made
		}
	}
	x.expect(t, "plain", batchOf(func(object) {}, "95.19"), asked{}, "ok")
	x.expect(t, "null is no adjustment", batchOf(func(l object) { l["adjustment"] = nil }, "95.19"), asked{}, "ok")
	x.expect(t, "adjusted", batchOf(adjusted("", nil), "142.79"), asked{}, "ok")
	for name, value := range map[string]any{"factor": "2.000", "amount": "95.19", "rule": "bilateral/2", "modifier": "62", "more": 1.0} {
		x.expect(t, "another "+name, batchOf(adjusted(name, value), "142.79"), asked{}, "body_contradicts_proof")
	}
	x.expect(t, "an invented amount", batchOf(adjusted("amount", "1.00"), "1.00"), asked{}, "body_contradicts_proof")
	x.expect(t, "no modifier", batchOf(func(l object) { l["adjustment"] = object{"amount": "1.00"} }, "1.00"), asked{},
		"body_contradicts_proof")
	x.expect(t, "too many units", batchOf(func(l object) { l["units"] = 1e6 }, "95190000.00"), asked{}, "not_recognised")
	x.expect(t, "a row with a code", batchOf(func(l object) { l["row"].(object)["code"] = nil }, "95.19"), asked{}, "row_malformed")
	x.expect(t, "a whole proof", batchOf(func(l object) { l["row"] = x.cite(x.releases[0], 0) }, "95.19"), asked{}, "proof_malformed")
	x.expect(t, "last known", batchOf(func(l object) { l["last_known"] = x.setRow(0, 0) }, "95.19"), asked{}, "not_recognised")
	for name, line := range map[string]any{
		"null": nil, "a number": 7.0, "no members": object{}, "no problem": object{"status": 404.0},
		"a problem that is null": object{"status": 400.0, "problem": nil}, "another status": object{"status": 500.0},
		"a row as a problem":  object{"status": 404.0, "problem": x.setRow(0, 0)},
		"a code that is null": object{"status": 404.0, "problem": object{"code": nil}}} {
		body := batchOf(func(object) {}, "95.19")
		body["results"] = append(body["results"].([]any), line)
		x.expect(t, name, body, asked{}, "not_recognised")
	}
}

// sheet is of one code at a ZIP code, in a registry that holds few schedules.
func (x *fixture) sheet() (object, asked) {
	data := []any{x.setRow(1, 0), x.setRow(1, 1), x.setRow(1, 2)}
	return object{"data": data, "because": x.listBecause(map[int][]int{0: {1}}), "place": x.setRow(4, 1),
		"releases": x.listed(map[int][]int{0: {1}, 1: {0, 1, 2}, 4: {1}}), "state": x.state, "log": x.log,
		"not_held": []any{"cms-anesthesia", "cms-asc", "cms-opps", "cms-pfs-qpp"}, "as_of": "2026-06-01",
	}, asked{sheet: ask("cpt", "99213", "region", "94110").question}
}

func TestSheet(t *testing.T) {
	x := sampleFixture()
	sheet, question := x.sheet()
	x.expect(t, "any", sheet, asked{}, "ok")
	x.expect(t, "sheet", sheet, question, "ok")
	x.expect(t, "with the file of a hospital that has nothing", sheet,
		asked{sheet: ask("cpt", "99213", "region", "94110", "npi", "1234567893").question}, "ok")
	x.expect(t, "of a divided state", sheet, asked{sheet: ask("cpt", "99213", "region", "CA").question}, "answers_another_question")
	x.expect(t, "a part that is none", sheet, asked{sheet: ask("cpt", "99213", "setting", "asc").question}, "question_malformed")
	x.expect(t, "another ZIP code", sheet, asked{sheet: ask("cpt", "99213", "region", "10001").question}, "choice_not_proved")
	x.expect(t, "asked as a page", sheet, asked{page: object{"as_of": "2026-06-01"}}, "answers_another_question")
	delete(sheet, "place")
	x.expect(t, "the place must be taken somewhere", sheet, question, "row_not_in_release")
	sheet["because"] = x.listBecause(map[int][]int{0: {1}, 4: {1}})
	x.expect(t, "the place elsewhere", sheet, question, "ok")
	x.expect(t, "of a divided state, without a place", sheet, asked{sheet: ask("cpt", "99213", "region", "CA").question}, "ok")
	data := sheet["data"].([]any)
	sheet["data"] = []any{data[1], data[0], data[2]}
	x.expect(t, "another order", sheet, question, "answers_another_question")
	sheet["data"], sheet["because"] = data[:2], x.listBecause(map[int][]int{0: {1}, 1: {2}, 4: {1}})
	x.expect(t, "a row left out that is known", sheet, question, "answers_another_question")
	sheet["data"], sheet["because"] = []any{}, x.listBecause(map[int][]int{0: {1}, 1: {0, 1, 2}, 4: {1}})
	x.expect(t, "no row", sheet, question, "nothing_proved")
}

// TestLike: evidence that states only what differs from a row that was taken before.
func TestLike(t *testing.T) {
	x := sampleFixture()
	differs := func() object {
		return object{"cpt": "80053", "price": object{"amount": "10.56"}, "derivation": object{"inputs": object{"rate": "10.56"}}}
	}
	first := object{"release": 0.0, "index": 0.0, "row": x.releases[0].rows[0]}
	second := func(name string, value any) object {
		item := object{"release": 0.0, "index": 1.0, "like": 0.0, "row": differs()}
		if name != "" {
			item[name] = value
		}
		return item
	}
	changed := func(name string, value any) object {
		row := differs()
		row[name] = value
		return second("row", row)
	}
	expect := func(name, want string, because object) {
		t.Helper()
		x.expect(t, name, object{"results": []any{object{"status": 404.0, "problem": object{"code": "not_on_schedule", "because": because}}},
			"releases": x.listed(map[int][]int{0: {0, 1}}), "state": x.state, "log": x.log,
			"summary": object{"lines": 1.0, "priced": 0.0, "totals": []any{}}}, asked{}, want)
	}
	rows := func(items ...any) object { return object{"rows": items} }
	before := string(canonical(first))
	expect("like the one before", "ok", rows(first, second("", nil)))
	expect("like one that is itself like another", "ok", rows(first, second("", nil),
		object{"release": 0.0, "index": 0.0, "like": 1.0, "row": first["row"]}))
	expect("a whole row beside what it is like", "ok", rows(first, second("row", x.releases[0].rows[1])))
	expect("like one that comes later", "proof_malformed", rows(second("", nil), first))
	expect("like itself", "proof_malformed", rows(first, second("like", 1.0)))
	expect("like a row of another release", "proof_malformed", rows(first, second("release", 1.0)))
	expect("like a row of no release", "proof_malformed", rows(first, second("release", 9.0)))
	expect("like null", "proof_malformed", rows(first, second("like", nil)))
	expect("a row that is no object", "proof_malformed", rows(first, second("row", nil)))
	expect("parts of a row, like nothing", "proof_malformed", rows(first, without(second("", nil), "like")))
	expect("null takes nothing away", "proof_malformed", rows(first, changed("price", nil)))
	expect("a member too many", "proof_malformed", rows(first, changed("proof", object{})))
	expect("a list is taken whole", "proof_malformed", rows(first, changed("locator", []any{object{"line": 5.0}})))
	expect("an amount that is not the one that was hashed", "row_not_in_release", rows(first, changed("price", object{"amount": "10.57"})))
	expect("a row of its own place that differs", "leaves_contradict", rows(first, second("index", 0.0)))
	expect("rows are taken in turn", "leaves_contradict", rows(first, second("index", 0.0), second("like", 7.0)))
	expect("but whole rows are looked at first", "proof_malformed", rows(first, second("index", 0.0), without(second("", nil), "like")))
	expect("periods that are null", "proof_malformed", object{"rows": []any{first, second("", nil)}, "periods": nil})
	if string(canonical(first)) != before {
		t.Error("the row that another is like was changed")
	}
}
