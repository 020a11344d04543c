package main

import (
	"strings"
	"testing"

	"golang.org/x/mod/sumdb/tlog"
)

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
	x.expect(t, "by a state that is divided", local, ask("cpt", "99213", "region", "ca"), "answers_another_question")

	refused := func(code string) object { return object{"code": code, "because": x.because()} }
	x.expect(t, "a divided state", refused("region_ambiguous"), ask("cpt", "99213", "region", "ca"), "ok")
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

func TestLostSources(t *testing.T) {
	x := sampleFixture()
	lost := func(member string, value any) object {
		one := object{"release_id": "none:that:1", "sha256": strings.Repeat("0a", 32), "state": "gone", "since": "2026-06-01T00:00:00Z"}
		one[member] = value
		return one
	}
	many := []any{}
	for len(many) < 20 {
		many = append(many, lost("state", "changed"))
	}
	told := x.cite(x.releases[1], 2)
	for name, each := range map[string]any{"none": []any{}, "another release": []any{lost("state", "gone")}, "20": many} {
		told["sources_lost"] = each
		x.expect(t, name, told, ask("cpt", "99213"), "ok")
	}
	for name, each := range map[string]any{"null": nil, "one alone": lost("state", "gone"), "21": append(many, many[0]), "no object": []any{nil},
		"another state": []any{lost("state", "moved")}, "a state that is null": []any{lost("state", nil)}, "a day": []any{lost("since", "2026-06-01")},
		"base64": []any{lost("sha256", encodeHash(tlog.Hash{}))}, "more": []any{lost("price", "1.00")}, "less": []any{without(lost("state", "gone"), "since")}} {
		told["sources_lost"] = each
		x.expect(t, name, told, asked{}, "not_recognised")
	}
	told["sources_lost"], told["proof"] = nil, nil
	x.expect(t, "before the proof", told, asked{}, "not_recognised")

	refused := object{"code": "not_on_schedule", "because": x.because(), "sources_lost": many}
	x.expect(t, "of a refusal", refused, asked{}, "not_recognised")
	delete(refused, "sources_lost")
	refused["last_known"] = x.cite(x.releases[1], 2)
	x.expect(t, "last known", refused, asked{}, "ok")
	refused["last_known"].(object)["sources_lost"] = many
	x.expect(t, "of what was last known", refused, asked{}, "row_malformed")
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
	undecided := func(zip string) object {
		row := placeRow(zip, "US-CA-05")
		row["region"], row["state"] = nil, nil
		return row
	}
	x.release("zip-locality", placeRow("94110", "US-CA-05"), later(placeRow("60611", "US-IL-16")),
		undecided("10001"), parted("10001", "0000-4999", "US-CA-05"), later(parted("10001", "5000-9999", "US-IL-16")),
		undecided("10002"), parted("10002", "0000-0000", "US-IL-16"), parted("10002", "0001-9999", "US-CA-05"))
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
	local["because"], local["place"] = x.because(), x.cite(x.releases[4], 5)
	x.expect(t, "the part that holds the digits", local, ask("cpt", "99213", "region", "10002-6000"), "ok")
	x.expect(t, "the part before it", local, ask("cpt", "99213", "region", "10002-0000"), "answers_another_question")
	x.expect(t, "a part that begins later is left out", refused("region_ambiguous"), ask("cpt", "99213", "region", "10001-6000"), "ok")
}

// TestSettings: all rows of the region come before what the nation has, and only missing settings are asked of the nation.
func TestSettings(t *testing.T) {
	const here = "US-CA-05"
	x := &fixture{}
	stated := func(cpt, region string, setting any, reason string) object {
		row := absenceRow(cpt, "medicare_pfs", "", setting, reason)
		row["region"] = region
		return row
	}
	x.release("cms-pfs",
		priceRow("10001", here, "facility", "70.00"), stated("10001", "national", "non_facility", "not_covered"),
		stated("10002", here, "non_facility", "no_price_stated"), stated("10002", "national", nil, "bundled"),
		stated("10003", here, "non_facility", "no_price_stated"), stated("10003", here, "facility", "not_applicable_in_setting"),
		stated("10003", "national", nil, "bundled"),
		stated("10004", here, "facility", "no_price_stated"), priceRow("10004", "national", "non_facility", "95.19"),
		stated("10005", here, "non_facility", "no_price_stated"), priceRow("10005", "national", "non_facility", "95.19"))
	x.seal()
	expect := func(name, cpt, code, region string, setting any) {
		t.Helper()
		body := object{"code": code}
		for i, row := range x.releases[0].rows {
			if row["cpt"] != cpt || row["region"] != region || row["setting"] != setting {
				continue
			}
			if body["row"] = x.cite(x.releases[0], i); code == "" {
				body = body["row"].(object)
			}
		}
		body["because"] = x.because()
		x.expect(t, name, body, ask("cpt", cpt, "region", here, "basis", "medicare_pfs"), "ok")
	}
	expect("a price of the region before an absence of the nation", "10001", "", here, "facility")
	expect("the status where a setting is missing", "10002", "absent_bundled", "national", nil)
	expect("no status where none is missing", "10003", "absent_no_price_stated", here, "non_facility")
	expect("a price of the nation in a setting that is missing", "10004", "region_not_covered", "", nil)
	expect("none in a setting that is not", "10005", "absent_no_price_stated", here, "non_facility")
}

// TestPlaces: a ZIP code has a state of its own, a territory has Hawaii's localities, and anesthesia has one row.
func TestPlaces(t *testing.T) {
	x := &fixture{}
	factor := ofBasis(priceRow("00000", "US-HI-01", "", "20.00"), "medicare_anesthesia", "", nil)
	factor["kind"], factor["derivation"] = "rate", object{"method": "verbatim/1", "inputs": object{"rate": "20.00"}}
	x.release("cms-anesthesia", factor)
	x.release("cms-dmepos", ofBasis(priceRow("E0260", "US-KY", "", "80.00"), "medicare_dmepos", "RR", "non_rural"))
	beyond := placeRow("42223", "US-TN-35") // a locality that reaches into Kentucky
	beyond["state"] = "KY"
	x.release("zip-locality", beyond)
	x.seal()
	rate := x.cite(x.releases[0], 0)
	rate["because"] = x.because()
	for _, region := range []string{"HI", "GU", "US-MP", "US-HI-01"} {
		x.expect(t, "anesthesia in "+region, rate, ask("cpt", "00100", "region", region, "basis", "medicare_anesthesia"), "ok")
	}
	x.expect(t, "no code of anesthesia", rate, ask("cpt", "02000", "region", "HI", "basis", "medicare_anesthesia"), "answers_another_question")
	refused := func(code string) object { return object{"code": code, "because": x.because()} }
	x.expect(t, "no national factor", refused("region_ambiguous"), ask("cpt", "01999", "basis", "medicare_anesthesia"), "ok")
	x.expect(t, "no factor there", refused("region_not_covered"), ask("cpt", "01999", "region", "PR", "basis", "medicare_anesthesia"), "ok")
	bed := x.cite(x.releases[1], 0)
	bed["because"], bed["place"] = x.because(), x.cite(x.releases[2], 0)
	x.expect(t, "by the state of the address", bed, ask("cpt", "E0260", "region", "42223", "modifier", "RR", "basis", "medicare_dmepos"), "ok")
	x.expect(t, "other modifiers only", refused("modifier_not_priced"), ask("cpt", "E0260", "region", "KY", "basis", "medicare_dmepos"), "ok")
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
