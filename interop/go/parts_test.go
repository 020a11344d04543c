package main

import "testing"

func TestPrefixes(t *testing.T) {
	for _, each := range []string{"99213|", "99213|US-CA-", "99213|national||26|", "99213|national|||medicare_pfs|facility|"} {
		if !isPrefix(each, "cms-pfs") {
			t.Error(each)
		}
	}
	for _, each := range []string{"", "9921", "99213", "99213|US-", "99213||", "99213|national|||foo|", "|",
		"99213|national|||medicare_pfs|facility||"} {
		if isPrefix(each, "cms-pfs") {
			t.Error(each)
		}
	}
	if !isPrefix("60611|", placeChart) || isPrefix("60611", placeChart) {
		t.Error("places")
	}
}

func TestMoney(t *testing.T) {
	for text, want := range map[string]string{"00720.00": "720.00", "6.4970": "6.497", "5": "5.00", "5.": "5.00", "0.00": "",
		"140.20951": "", "1.23456000": "", "1.23450000": "1.2345", "1234567890": "", "0001234567890": "", "a": ""} {
		if got := asStated(text); got != want {
			t.Errorf("as stated %s: %s", text, got)
		}
	}
	for text, want := range map[string]string{"140.20951": "140.21", "1.2345": "", "0.00400001": "", "0.99999": "1.00"} {
		if got := rounded(text); got != want {
			t.Errorf("rounded %s: %s", text, got)
		}
	}
}

func TestFormula(t *testing.T) {
	inputs := object{"work_rvu": "0.86", "practice_rvu": "2.46", "malpractice_rvu": "0.06", "work_gpci": "1.000",
		"practice_gpci": "1.000", "malpractice_gpci": "1.000", "conversion_factor": "33.4009",
		"opps_practice_rvu": "1.84", "opps_malpractice_rvu": "0.05"}
	row := priceRow("70450", "national", "non_facility", "91.85")
	row["derivation"].(object)["inputs"] = inputs
	if err := checkDerivation(row); err != reason("flags_mismatch") {
		t.Error(err)
	}
	row["flags"] = []any{"opps_cap"}
	if err := checkDerivation(row); err != nil {
		t.Error(err)
	}
	row["basis"] = "medicare_clfs"
	if err := checkDerivation(row); err != reason("unknown_method") {
		t.Error(err)
	}
}

func TestTree(t *testing.T) {
	known := &tree{size: 5}
	for _, each := range []leaf{{1, "b", nil}, {2, "c", nil}, {4, "e", nil}} {
		if known.keep(each.index, each.key, nil) != nil {
			t.Fatal(each)
		}
	}
	for key, want := range map[string]bool{"a": false, "b": true, "c": false, "e": true, "f": true} {
		if _, told := known.notAfter(key); told != want {
			t.Error(key)
		}
	}
	if known.keep(3, "b", nil) == nil || known.keep(3, "f", nil) == nil || known.keep(1, "x", nil) == nil {
		t.Error("kept")
	}
	if found, told := known.under("bb"); !told || len(found) > 0 {
		t.Error("under bb")
	}
	if _, told := known.under("c"); told {
		t.Error("under c")
	}
}

func TestInstants(t *testing.T) {
	if !timeOf("2026-12-31T24:00:00.0Z").Equal(timeOf("2027-01-01T00:00:00Z")) {
		t.Error("midnight")
	}
	if !isInstant("2026-12-31T23:59:59.9Z") || isInstant("2026-12-31T23:59:60Z") || isInstant("2026-02-29T00:00:00Z") {
		t.Error("instants")
	}
	if !timeOf("2026-12-31T23:59:59.9Z").After(timeOf("2026-12-31T23:59:59.89Z")) {
		t.Error("fractions")
	}
}

func TestQuestions(t *testing.T) {
	good := []object{{"cpt": "a0425"}, {"cpt": "99213", "region": "Zip-60611-1234"}, {"cpt": "99213", "npi": "1234567893"},
		{"cpt": "99213", "setting": "inpatient", "basis": "medicare_pfs"}, {"cpt": "99213", "modifier": "26-tc-26"}}
	bad := []object{{}, {"cpt": "9921"}, {"cpt": "99213", "region": "US-XX"}, {"cpt": "99213", "npi": "1234567890"},
		{"cpt": "99213", "setting": "inpatient"}, {"cpt": "99213", "region": " IL"}, {"cpt": "99213", "basis": "hospital_cash"}}
	for _, each := range good {
		each["as_of"] = "2026-01-01"
		if parseQuestion(each) == nil {
			t.Error(each)
		}
	}
	for _, each := range bad {
		each["as_of"] = "2026-01-01"
		if parseQuestion(each) != nil {
			t.Error(each)
		}
	}
}

func TestNewMethods(t *testing.T) {
	blank := absenceRow("E0260", "medicare_dmepos", "", nil, "no_price_stated")
	for _, each := range []struct {
		inputs object
		want   error
	}{
		{object{"non_rural": "blank", "rural": "blank"}, nil},
		{object{"non_rural": "0.00", "rural": "0"}, nil},
		{object{"non_rural": "0.0000", "rural": "blank"}, nil},
		{object{"non_rural": "NA", "rural": "000.00000"}, nil},
		{object{"non_rural": "0.", "rural": "blank"}, reason("inputs_malformed")},
		{object{"non_rural": "0.01", "rural": "blank"}, reason("inputs_malformed")},
		{object{"non_rural": "blank"}, reason("inputs_malformed")},
		{object{"non_rural": "blank", "rural": "blank", "rate": "0"}, reason("inputs_malformed")},
	} {
		blank["derivation"] = object{"method": "dmepos-blank/1", "inputs": each.inputs}
		if err := checkDerivation(blank); err != each.want {
			t.Error(each.inputs, err)
		}
	}
	blank["basis"] = "medicare_asp"
	if err := checkDerivation(blank); err != reason("unknown_method") {
		t.Error(err)
	}
	rate := ofBasis(priceRow("00100", "national", "", "20.32"), "medicare_anesthesia", "", nil)
	rate["kind"], rate["derivation"] = "rate", object{"method": "rounded/1", "inputs": object{"rate": "20.31789"}}
	if err := checkDerivation(rate); err != nil {
		t.Error(err)
	}
}
