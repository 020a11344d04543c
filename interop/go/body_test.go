package main

import "testing"

func sampleFixture() *fixture {
	x := &fixture{}
	x.release("cms-clfs", priceRow("80048", "national", "", "8.46"), priceRow("80053", "national", "", "10.56"))
	x.release("cms-pfs", priceRow("99213", "US-CA-05", "non_facility", "113.34"),
		priceRow("99213", "national", "facility", "70.00"), priceRow("99213", "national", "non_facility", "95.19"))
	x.release("cms-asp")
	x.release("cms-dmepos")
	x.release("zip-locality", placeRow("60611", "US-IL-16"), placeRow("94110", "US-CA-05"))
	x.release("hospital-mrf:1234567893")
	x.seal()
	return x
}

func ask(pairs ...string) asked {
	q := object{"as_of": "2026-06-01"}
	for i := 0; i < len(pairs); i += 2 {
		q[pairs[i]] = pairs[i+1]
	}
	return asked{question: q}
}

func TestLookup(t *testing.T) {
	x := sampleFixture()
	good := x.cite(x.releases[1], 2) // nationally, not in a facility
	x.expect(t, "any", good, asked{}, "ok")
	x.expect(t, "price alone", good, ask("cpt", "99213"), "ok")
	x.expect(t, "locality not there", good, ask("cpt", "99213", "region", "US-IL-16"), "choice_not_proved")
	x.expect(t, "no day", good, asked{question: object{"cpt": "99213"}}, "question_malformed")
	x.expect(t, "a page", good, asked{page: object{"as_of": "2026-06-01"}}, "answers_another_question")
	good["because"] = x.because()
	x.expect(t, "with all", good, ask("cpt", " 99213 "), "ok")
	x.expect(t, "neutral", good, ask("cpt", "99213", "modifier", "25"), "answers_another_question")
	good["modifiers_ignored"] = []any{"25"}
	x.expect(t, "neutral, said", good, ask("cpt", "99213", "modifier", "25"), "ok")
	delete(good, "modifiers_ignored")
	x.expect(t, "not covered", good, ask("cpt", "99213", "region", "60611"), "answers_another_question")
	good["surplus"] = true
	x.expect(t, "a member too many", good, asked{}, "row_malformed")

	local := x.cite(x.releases[1], 0)
	local["because"], local["place"] = x.because(), x.cite(x.releases[4], 1)
	x.expect(t, "by ZIP code", local, ask("cpt", "99213", "region", "zip-94110"), "ok")
	x.expect(t, "by locality, place shown", local, ask("cpt", "99213", "region", "us-ca-05"), "answers_another_question")
	delete(local, "place")
	x.expect(t, "by state", local, ask("cpt", "99213", "region", "ca"), "ok")

	refused := func(code string) object { return object{"code": code, "because": x.because()} }
	x.expect(t, "not on schedule", refused("not_on_schedule"), ask("cpt", "99999"), "ok")
	x.expect(t, "unknown ZIP code", refused("unknown_zip"), ask("cpt", "99213", "region", "00000"), "ok")
	x.expect(t, "not covered", refused("region_not_covered"), ask("cpt", "99213", "region", "60611"), "ok")
	x.expect(t, "no edition", refused("no_edition_for_day"), ask("cpt", "99213", "as_of", "2027-01-01"), "answers_another_question")
	none := refused("no_edition_for_day")
	none["charts"] = []any{object{"chart": "cms-pfs"}, object{"chart": "cms-clfs"}, object{"chart": "cms-asp"}, object{"chart": "cms-dmepos"}}
	x.expect(t, "no edition", none, ask("cpt", "99213", "as_of", "2027-01-01"), "ok")
	none["last_known"] = x.cite(x.releases[1], 2)
	x.expect(t, "last known", none, ask("cpt", "99213", "as_of", "2027-01-01"), "ok")
	none["last_known"] = x.cite(x.releases[1], 1)
	x.expect(t, "another last known", none, ask("cpt", "99213", "as_of", "2027-01-01"), "answers_another_question")
	x.expect(t, "unknown provider", refused("unknown_provider"), ask("cpt", "99213", "npi", "1245319599"), "ok")
	x.expect(t, "nothing in its file", refused("not_on_schedule"), ask("cpt", "99213", "npi", "1234567893"), "ok")
	x.expect(t, "nothing proved", object{"code": "not_on_schedule"}, asked{}, "proof_missing")
	stray := refused("not_on_schedule")
	stray["errors"] = []any{object{"checkpoint": "x"}}
	x.expect(t, "another checkpoint", stray, asked{}, "mixed_checkpoints")
}

func TestAbsence(t *testing.T) {
	x := sampleFixture()
	r := x.releases[0]
	neighbour := func(i int) object {
		return object{"row": r.rows[i], "index": float64(i), "path": pathIn(r.rows, i)}
	}
	inForce := without(x.shared(r)["in_force"].(object))
	inForce["state"] = x.state
	proof := object{"type": "agent-trust-registry/absence-proof@v2", "key_prefix": "80050|", "left": neighbour(0),
		"right": neighbour(1), "release": r.manifest, "in_force": inForce, "log": x.log}
	body := object{"code": "not_on_schedule", "absence": []any{proof}}
	x.expect(t, "between", body, asked{}, "ok")
	proof["key_prefix"] = "80053|"
	x.expect(t, "there", body, asked{}, "key_not_enclosed")
	proof["key_prefix"] = "8005"
	x.expect(t, "cut", body, asked{}, "key_prefix_malformed")
	proof["key_prefix"], proof["left"] = "80050|", nil
	x.expect(t, "not at the end", body, asked{}, "key_not_enclosed")
	body["absence"] = nil
	x.expect(t, "null", body, asked{}, "proof_missing")
}

func (x *fixture) pageAndBatch() (page, batch object, questions asked) {
	r := x.releases[1]
	data := []any{}
	for i, row := range r.rows[:2] {
		item := without(row)
		item["proof"] = object{"type": "agent-trust-registry/page-proof@v2", "proof": 0.0, "index": float64(i), "leaf_hash": leafHash(row)}
		data = append(data, item)
	}
	page = object{"data": data, "as_of": "2026-06-01", "state": x.state, "log": x.log, "releases": []any{x.shared(r)},
		"proofs": []any{object{"type": "agent-trust-registry/range-proof@v2", "release": 0.0, "from": 0.0,
			"left_path": []any{}, "right_path": []any{leafHash(r.rows[2])}}}}
	row := without(r.rows[2])
	row["proof"] = object{"type": "agent-trust-registry/shared-proof@v2", "release": 0.0, "index": 2.0,
		"leaf_hash": leafHash(r.rows[2]), "path": []any{0.0}}
	line := object{"status": 200.0, "row": row, "units": 3.0, "extended": object{"amount": "285.57"}}
	batch = object{"results": []any{line, object{"status": 400.0}}, "hashes": pathIn(r.rows, 2), "releases": []any{x.shared(r)},
		"state": x.state, "log": x.log, "summary": object{"lines": 2.0, "priced": 1.0, "totals": []any{
			object{"basis": "medicare_pfs", "lines": 1.0, "low": "285.57", "high": "285.57", "billed": nil}}}}
	return page, batch, asked{questions: []any{ask("cpt", "99213").question, object{}}}
}

func TestPageAndBatch(t *testing.T) {
	x := sampleFixture()
	page, batch, questions := x.pageAndBatch()
	x.expect(t, "page", page, asked{page: object{"as_of": "2026-06-01", "cpt": "99213"}}, "ok")
	x.expect(t, "another code", page, asked{page: object{"as_of": "2026-06-01", "cpt": "99214"}}, "answers_another_question")
	data := page["data"].([]any)
	page["data"] = data[1:]
	x.expect(t, "one left out", page, asked{}, "rows_left_out")
	page["data"] = data[:1]
	x.expect(t, "the last left out", page, asked{}, "row_not_in_release")

	x.expect(t, "batch", batch, questions, "ok")
	line := batch["results"].([]any)[0].(object)
	line["billed"] = "300.00"
	x.expect(t, "another summary", batch, questions, "body_contradicts_proof")
	delete(line, "billed")
	line["row"].(object)["proof"].(object)["path"] = []any{1.0}
	x.expect(t, "no such hash", batch, questions, "proof_malformed")
}

// TestLines: what stands in a line of a batch beside its proof.
func TestLines(t *testing.T) {
	x := &fixture{}
	row := priceRow("99213", "national", "non_facility", "95.19")
	row["indicators"] = object{"bilateral": "1"}
	x.release("cms-pfs", row)
	x.seal()
	cited := x.cite(x.releases[0], 0)
	batchOf := func(change func(line object), amount string) object {
		line := object{"status": 200.0, "row": cited, "extended": object{"amount": amount}}
		change(line)
		return object{"results": []any{line}, "releases": []any{x.shared(x.releases[0])}, "state": x.state, "log": x.log,
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
	coded := without(cited)
	for _, code := range []any{nil, "not_on_schedule", 1.0} {
		coded["code"] = code
		x.expect(t, "a row with a code", batchOf(func(l object) { l["row"] = coded }, "95.19"), asked{}, "not_recognised")
	}
	for name, line := range map[string]any{
		"null": nil, "a number": 7.0, "no members": object{}, "no problem": object{"status": 404.0},
		"a row as a problem": object{"status": 404.0, "problem": cited}, "a code that is null": object{"status": 404.0,
			"problem": object{"code": nil, "because": x.because()}}} {
		body := batchOf(func(object) {}, "95.19")
		body["results"] = append(body["results"].([]any), line)
		x.expect(t, name, body, asked{}, "not_recognised")
	}
}

func ofBasis(row object, basis, modifier string, setting any) object {
	row["basis"], row["setting"], row["derivation"] = basis, setting, object{"method": "verbatim/1", "inputs": object{}}
	if modifier != "" {
		row["modifier"] = modifier
	}
	return row
}

// absenceRow states that there is no price nationally, whatever the setting.
func absenceRow(cpt, basis, modifier string, setting any, reason string) object {
	row := without(ofBasis(priceRow(cpt, "national", "", "1.00"), basis, modifier, setting), "price")
	row["kind"], row["reason"] = "absence", reason
	row["derivation"] = object{"method": "row-rule/1", "inputs": object{"rule": "R02"}}
	return row
}

func TestRule(t *testing.T) {
	x := &fixture{}
	later := func(row object) object { row["effective_from"] = "2026-09-01"; return row }
	x.release("cms-clfs", absenceRow("99213", "medicare_clfs", "", nil, "carrier_priced"))
	x.release("cms-pfs", priceRow("99213", "national", "non_facility", "95.19"), priceRow("99213", "US-CA-05", "non_facility", "99.00"))
	x.release("cms-asp")
	x.release("cms-dmepos", ofBasis(priceRow("E0260", "US-IL", "", "80.00"), "medicare_dmepos", "RR", "non_rural"),
		ofBasis(priceRow("E0260", "US-CA", "", "90.00"), "medicare_dmepos", "RR", "rural"),
		ofBasis(priceRow("E0260", "US-CA", "", "81.00"), "medicare_dmepos", "RR", "non_rural"))
	parted := func(zip, four, region string) object {
		row := placeRow(zip, region)
		row["plus_four"] = four
		return row
	}
	x.release("zip-locality", placeRow("94110", "US-CA-05"), later(placeRow("60611", "US-IL-16")),
		parted("10001", "0000-4999", "US-CA-05"), later(parted("10001", "5000-9999", "US-IL-16")))
	x.seal()
	// Sorted by bytes: US-CA before US-IL, and non_rural before rural.
	rural := x.cite(x.releases[3], 2)
	rural["because"] = x.because()
	x.expect(t, "not rural where the rural amount is left out", rural,
		ask("cpt", "E0260", "region", "IL", "modifier", "RR", "setting", "rural"), "ok")
	x.expect(t, "rural where it is there", rural,
		ask("cpt", "E0260", "region", "CA", "modifier", "RR", "setting", "rural"), "answers_another_question")
	refused := func(code string) object { return object{"code": code, "because": x.because()} }
	stated := x.cite(x.releases[0], 0)
	absent := refused("absent_carrier_priced")
	absent["row"] = stated
	x.expect(t, "no price with the modifier before a stated absence", refused("modifier_not_priced"), ask("cpt", "99213", "modifier", "26"), "ok")
	x.expect(t, "a stated absence after it", absent, ask("cpt", "99213", "modifier", "26"), "answers_another_question")
	x.expect(t, "a stated absence before a region that is not covered", absent, ask("cpt", "99213", "region", "US-IL-16"), "ok")
	x.expect(t, "a place that begins later", refused("unknown_zip"), ask("cpt", "99213", "region", "60611"), "ok")
	local := x.cite(x.releases[1], 0)
	local["because"], local["place"] = x.because(), x.cite(x.releases[4], 0)
	x.expect(t, "a part that begins later is left out", local, ask("cpt", "99213", "region", "10001-6000"), "ok")
}

// TestEditions: the same row in two editions is two rows beside an answer.
func TestEditions(t *testing.T) {
	x := &fixture{}
	rows := func() (object, object) {
		return priceRow("99213", "US-CA-05", "non_facility", "99.00"), placeRow("94110", "US-CA-05")
	}
	for _, days := range [][2]string{{"2026-01-01", "2026-04-30"}, {"2026-05-01", "2026-12-31"}} {
		price, where := rows()
		for chart, row := range map[string]object{"cms-pfs": price, "zip-locality": where} {
			x.release(chart, row)
			m := x.releases[len(x.releases)-1].manifest
			m["edition"], m["release_id"] = days[0], chart+":"+days[0]+":1"
			m["effective_from"], m["effective_to"] = days[0], days[1]
		}
	}
	x.seal()
	find := func(chart, from string) *fixtureRelease {
		for _, r := range x.releases {
			if r.manifest["chart"] == chart && r.manifest["effective_from"] == from {
				return r
			}
		}
		panic(chart)
	}
	const first, second = "2026-01-01", "2026-05-01"
	body := x.cite(find("cms-pfs", second), 0)
	body["because"] = x.because()
	question := ask("cpt", "99213", "region", "94110", "basis", "medicare_pfs")
	x.expect(t, "no place", body, question, "ok")
	body["place"] = x.cite(find("zip-locality", second), 0)
	x.expect(t, "the place", body, question, "ok")
	body["place"] = x.cite(find("zip-locality", first), 0)
	x.expect(t, "the place, of the edition before", body, question, "answers_another_question")
	refused := object{"code": "no_edition_for_day", "because": x.because(), "charts": []any{object{"chart": "cms-pfs"}},
		"last_known": x.cite(find("cms-pfs", second), 0)}
	after := ask("cpt", "99213", "region", "US-CA-05", "basis", "medicare_pfs", "as_of", "2027-01-01")
	x.expect(t, "last known", refused, after, "ok")
	refused["last_known"] = x.cite(find("cms-pfs", first), 0)
	x.expect(t, "last known, of the edition before", refused, after, "answers_another_question")
}

// TestLastOfAnotherFile: two files of hospitals may have the same row, and only one of them speaks for the hospital.
func TestLastOfAnotherFile(t *testing.T) {
	const npi, other = "1234567893", "1245319599"
	x := &fixture{}
	for chart, to := range map[string]string{npi: "2026-05-15", other: "2026-04-30"} {
		row := ofBasis(priceRow("99213", "national", "", "50.00"), "hospital_cash", "", "outpatient")
		row["npi"], row["class"] = npi, "facility"
		x.release(hospitalChart+chart, row)
		m := x.releases[len(x.releases)-1].manifest
		m["providers"], m["effective_to"] = []any{npi}, to
	}
	if x.releases[0].manifest["chart"] != hospitalChart+npi { // the first to name it speaks for it
		x.releases[0], x.releases[1] = x.releases[1], x.releases[0]
		x.entries[0], x.entries[1] = x.entries[1], x.entries[0]
	}
	x.seal()
	body := object{"code": "no_edition_for_day", "because": x.because(), "charts": []any{object{"chart": hospitalChart + npi}}}
	for i, want := range []string{"ok", "answers_another_question"} {
		body["last_known"] = x.cite(x.releases[i], 0)
		x.expect(t, "last known", body, ask("cpt", "99213", "npi", npi), want)
	}
}
