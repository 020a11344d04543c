package main

import "strings"

// A chart speaks by nation, state or locality. An empty setting stands for null.
type chart struct {
	bases    []string
	by       string
	settings []string
}

const hospitalChart = "hospital-mrf:"
const placeChart = "zip-locality"

var (
	hospitalBases = []string{"hospital_cash", "hospital_gross", "hospital_negotiated_low", "hospital_negotiated_high"}
	bothSettings  = []string{"non_facility", "facility"}
	charts        = map[string]*chart{
		"cms-pfs":        {[]string{"medicare_pfs"}, "locality", bothSettings},
		"cms-pfs-qpp":    {[]string{"medicare_pfs_qpp"}, "locality", bothSettings},
		"cms-clfs":       {[]string{"medicare_clfs"}, "nation", []string{""}},
		"cms-asp":        {[]string{"medicare_asp"}, "nation", []string{""}},
		"cms-opps":       {[]string{"medicare_opps"}, "nation", []string{"outpatient"}},
		"cms-asc":        {[]string{"medicare_asc"}, "nation", []string{"asc"}},
		"cms-dmepos":     {[]string{"medicare_dmepos"}, "state", []string{"non_rural", "rural"}},
		"cms-anesthesia": {[]string{"medicare_anesthesia"}, "locality", []string{""}},
	}
	hospital = &chart{hospitalBases, "nation", []string{"outpatient", "", "inpatient"}}
)

// chartOf is nil for a chart without price rows.
func chartOf(name string) *chart {
	if strings.HasPrefix(name, hospitalChart) {
		return hospital
	}
	return charts[name]
}

var isAnesthesiaCode = matching(`0[01][0-9]{3}`)

// codeIn is how a code stands in the keys of a chart: the factor of anesthesia has one row for many codes.
func codeIn(chart, cpt string) string {
	if chart == "cms-anesthesia" && isAnesthesiaCode(cpt) {
		return "00000"
	}
	return cpt
}

// A basis has indicators and methods.
type basis struct{ indicators, methods form }

var (
	pfsBasis = basis{
		oneOf("status", "global_days", "multiple_procedure", "bilateral", "assistant", "co_surgeon", "pc_tc"),
		oneOf("pfs-formula/1", "cms-status/1", "pfs-na/1", "row-rule/1"),
	}
	hospitalBasis = basis{
		oneOf("compared_release", "compared_amount"),
		oneOf("verbatim/1", "rounded/1", "range/1", "least-rate/1", "greatest-rate/1", "row-rule/1"),
	}
	lowBasis = basis{hospitalBasis.indicators, func(value any) bool {
		return hospitalBasis.methods(value) || value == "no-amount/1"
	}}
	bases = map[string]basis{
		"medicare_pfs":     pfsBasis,
		"medicare_pfs_qpp": pfsBasis,
		"medicare_clfs":    {oneOf("indicator"), oneOf("verbatim/1", "clfs-indicator/1", "no-amount/1", "row-rule/1")},
		"medicare_opps":    {oneOf("status_indicator"), oneOf("verbatim/1", "rounded/1", "opps-status/1", "row-rule/1")},
		"medicare_asc": {oneOf("payment_indicator", "multiple_procedure"),
			oneOf("verbatim/1", "asc-indicator/1", "row-rule/1")},
		"medicare_asp": {oneOf("coinsurance"), oneOf("verbatim/1", "no-amount/1", "row-rule/1")},
		"medicare_dmepos": {oneOf("jurisdiction", "category", "ceiling", "floor"),
			oneOf("verbatim/1", "dmepos-blank/1", "row-rule/1")},
		"medicare_anesthesia":      {oneOf(), oneOf("verbatim/1", "rounded/1", "row-rule/1")},
		"hospital_cash":            hospitalBasis,
		"hospital_gross":           hospitalBasis,
		"hospital_negotiated_low":  lowBasis,
		"hospital_negotiated_high": hospitalBasis,
	}
)

// checkOfRelease: whether a row, in its shape, is one that the release can have.
func checkOfRelease(row, manifest object) error {
	locator, citations := row["locator"].([]any), manifest["citations"].([]any)
	for _, each := range locator {
		if numberOf(each, "citation") >= int64(len(citations)) {
			return reason("locator_not_cited")
		}
	}
	if len(locator) == 0 {
		return reason("locator_not_cited")
	}
	if !isOfRelease(row, manifest) {
		return reason("row_not_of_release")
	}
	return nil
}

func isOfRelease(row, manifest object) bool {
	name := textOf(manifest, "chart")
	if textOf(row, "effective_from") > textOf(manifest, "effective_to") {
		return false
	}
	if textOf(row, "kind") == "place" {
		return name == placeChart
	}
	c := chartOf(name)
	if c == nil || !oneOf(c.bases...)(row["basis"]) || !bases[textOf(row, "basis")].methods(methodOf(row)) {
		return false
	}
	if kind := textOf(row, "kind"); kind != "absence" && (kind == "rate") != (textOf(row, "basis") == "medicare_anesthesia") {
		return false
	}
	if c == hospital {
		providers, _ := manifest["providers"].([]any)
		named := false
		for _, npi := range providers {
			named = named || npi == row["npi"]
		}
		if !named { // null is none of them
			return false
		}
	} else if row["npi"] != nil || row["class"] != nil {
		return false
	}
	if row["setting"] != nil && !oneOf(c.settings...)(row["setting"]) {
		return false
	}
	switch region := textOf(row, "region"); {
	case region == "national":
		return true
	case isLocality(region):
		return c.by == "locality"
	}
	return c.by == "state"
}

func methodOf(row object) string { return textOf(row["derivation"], "method") }
