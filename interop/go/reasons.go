package main

// isNothing is a cell without an amount, as row.md has it under "Absences". Zero never means free.
var isNothing = matching(`blank|NA|0{1,20}(\.0{1,20})?`)

// A stating is a method of absences (row.md): one input, and what follows from each of its values. A second input has the same
// form, and nothing more follows from it.
type stating struct {
	input   string
	fits    form
	reasons map[string]string
	other   string
	second  string
}

var absenceMethods = map[string]*stating{
	"cms-status/1": {"status_code", matching(`[A-Z]`), map[string]string{
		"B": "bundled", "P": "bundled", "C": "carrier_priced", "N": "not_covered", "E": "paid_elsewhere",
		"X": "paid_elsewhere", "I": "not_valid", "J": "anesthesia"}, "no_price_stated", ""},
	"pfs-na/1":         {"na_indicator", oneOf("NA"), nil, "not_applicable_in_setting", ""},
	"clfs-indicator/1": {"indicator", oneOf("L"), nil, "carrier_priced", ""},
	"opps-status/1": {"status_indicator", matching(`[A-Z][0-9]?`), map[string]string{
		"N": "bundled", "Q1": "conditionally_packaged", "Q2": "conditionally_packaged", "Q3": "conditionally_packaged",
		"Q4": "conditionally_packaged", "A": "paid_elsewhere", "F": "paid_elsewhere", "L": "paid_elsewhere",
		"Y": "paid_elsewhere", "C": "inpatient_only", "E1": "not_covered", "B": "not_valid", "D": "not_valid",
		"M": "not_valid"}, "no_price_stated", ""},
	"asc-indicator/1": {"payment_indicator", matching(`[A-Z][0-9]`), map[string]string{
		"N1": "bundled", "L1": "bundled", "D1": "bundled", "H7": "carrier_priced", "J7": "carrier_priced",
		"K7": "carrier_priced", "F4": "paid_elsewhere", "M6": "paid_elsewhere", "B5": "not_valid", "D5": "not_valid",
		"U5": "not_valid", "X5": "not_valid", "C5": "inpatient_only", "E5": "not_covered", "Y5": "not_covered"},
		"no_price_stated", ""},
	"no-amount/1":    {"rate", isNothing, nil, "no_price_stated", ""},
	"dmepos-blank/1": {"non_rural", isNothing, nil, "no_price_stated", "rural"},
	"row-rule/1": {"rule", oneOf("R02", "R03", "R08_min_max", "R10", "R14"), map[string]string{
		"R08_min_max": "withheld_conflict", "R10": "withheld_conflict"}, "unreadable", ""},
}

func (s *stating) reasonOf(inputs object) (string, bool) {
	wanted := map[string]form{s.input: s.fits}
	if s.second != "" {
		wanted[s.second] = s.fits
	}
	if !closed(wanted)(inputs) {
		return "", false
	}
	if follows, listed := s.reasons[textOf(inputs, s.input)]; listed {
		return follows, true
	}
	return s.other, true
}
