"""Bills are checked by their rules. The registry of each test has the rows that it states, and no others."""

import itertools
import unittest
from typing import Any

from agent_trust_registry.bill import read_bill
from agent_trust_registry.check import check
from agent_trust_registry.envelope import Evidence, Release
from agent_trust_registry.known import Known
from agent_trust_registry.row import key_of
from agent_trust_registry.verdict import Failure

DAY = "2026-11-19"
PLACE = {"effective_from": "2026-10-01", "locator": [{"citation": 0, "line": 7}]}


def fee(code: str, amount: str, modifier: Any = None, reason: Any = None, **indicators: str) -> Any:
    return {
        "kind": "absence" if reason else "price", "code": code, "modifier": modifier, "region": "national", "npi": None,
        "basis": "medicare_pfs", "payer": None, "setting": None if reason else "non_facility", "class": None,
        "flags": [], "indicators": indicators, "derivation": {"method": "verbatim/1", "inputs": {}}, **PLACE,
        **({"reason": reason} if reason else {"price": {"amount": amount, "currency": "USD", "per": None}}),
    }  # fmt: skip


def outpatient(code: str, amount: str, status: str) -> Any:
    row = fee(code, amount, status_indicator=status)
    if status in ("N", "Q4"):
        del row["price"]
        return {**row, "kind": "absence", "reason": "bundled", "basis": "medicare_opps", "setting": "outpatient"}
    return {**row, "basis": "medicare_opps", "setting": "outpatient"}


def limit(code: str, units: int, by: int = 3) -> Any:
    return {"kind": "limit", "code": code, "units": units, "adjudication": by, "rationale": 1, **PLACE}


def edits(code: str, *pairs: Any) -> Any:
    return {"kind": "edits", "code": code, "edits": [list(pair) for pair in pairs], **PLACE}


def add_on(code: str, *primaries: Any) -> Any:
    return {"kind": "add_on", "code": code, "primaries": [list(each) for each in primaries], **PLACE}


def a_registry(first: str = "2026-10-01", **charts: Any) -> Evidence:
    """All rows of these charts, each with an edition of one quarter."""
    releases, periods = [], []
    for chart, rows in charts.items():
        name = chart.replace("_", "-")
        period = {"chart": name, "from": first, "to": "2026-12-31", "release": name}
        leaves = list(enumerate(sorted(rows, key=key_of)))
        known = Known(leaves, key_of, len(leaves), "rows_contradict")
        releases.append(Release({"chart": name, "citations": []}, name, period, known))
        periods.append(period)
    periods.sort(key=lambda period: f"{period['chart']}|{period['from']}")
    timeline = Known(list(enumerate(periods)), "{chart}|{from}".format_map, len(periods), "periods_contradict")
    nothing = Known([], str, 0, "periods_contradict")
    return Evidence(None, {}, timeline, nothing, {}, tuple(releases))  # type: ignore[arg-type]


def checked(registry: Evidence, *lines: Any, **bill: Any) -> Any:
    return check(read_bill({"kind": "professional", "day": DAY, "lines": list(lines), **bill}), registry)


def told(answer: Any) -> list[tuple[str, list[int]]]:
    return [(finding["rule"], finding["lines"]) for finding in answer["findings"]]


VISIT, TEST = fee("99213", "95.19"), fee("80053", "10.56")


class Checks(unittest.TestCase):
    def test_a_bill_without_faults_is_paid_as_listed_and_says_what_was_not_checked(self) -> None:
        answer = checked(a_registry(cms_pfs=[VISIT]), {"code": "99213", "billed": "250.00"})
        self.assertEqual(answer["findings"], [])
        expected = {"billed": "250.00", "medicare": dict.fromkeys(("listed", "at_most", "by_rules"), "95.19")}
        self.assertEqual(answer["sums"], {**expected, "at_issue": "0.00"})
        skipped = [(each["rule"], each["chart"]) for each in answer["skipped"]]
        self.assertEqual(skipped[0], ("units_over_limit", "ncci-mue-practitioner"))
        self.assertIn(("add_on_alone", "ncci-add-on"), skipped)

    def test_all_units_above_a_limit_are_denied(self) -> None:
        registry = a_registry(cms_pfs=[VISIT], ncci_mue_practitioner=[limit("99213", 1, 2)])
        answer = checked(registry, {"code": "99213", "units": "2", "billed": "9.00"})
        self.assertEqual(told(answer), [("units_over_limit", [1])])
        self.assertEqual(answer["lines"][0]["by_rules"]["amount"], "0.00")
        self.assertEqual(answer["findings"][0]["amount_at_issue"], "9.00")
        by_line = a_registry(cms_pfs=[VISIT], ncci_mue_practitioner=[limit("99213", 1, 1)])
        lines = [{"code": "99213"}, {"code": "99213", "modifiers": ["76"]}]
        self.assertEqual(told(checked(by_line, *lines)), [])

    def test_a_pair_is_paid_together_only_where_a_modifier_separates_it(self) -> None:
        def answer(indicator: int, *modifiers: str, until: Any = None) -> Any:
            pairs = edits("99213", ["80053", indicator, "2020-01-01", until, 1])
            registry = a_registry(cms_pfs=[VISIT, TEST], ncci_ptp_practitioner=[pairs])
            return told(checked(registry, {"code": "99213"}, {"code": "80053", "modifiers": list(modifiers)}))

        found = [("pair_not_paid_together", [1, 2])]
        self.assertEqual(answer(0, "59"), found)
        self.assertEqual(answer(1), found)
        self.assertEqual(answer(1, "59"), [])
        self.assertEqual(answer(1, "LT"), [])
        self.assertEqual(answer(9), [])
        self.assertEqual(answer(0, until=DAY), found)
        self.assertEqual(answer(0, until="2026-11-18"), [])

    def test_a_later_edition_answers_for_earlier_days_and_says_so(self) -> None:
        pairs = edits("99213", ["80053", 0, "2020-01-01", None, 1])
        registry = a_registry(ncci_ptp_practitioner=[pairs])
        lines = {"code": "99213", "day": "2026-08-01"}, {"code": "80053", "day": "2026-08-01"}
        answer = checked(registry, *lines)
        self.assertEqual(told(answer), [("pair_not_paid_together", [1, 2])])
        self.assertEqual(answer["by_history"], [{"chart": "ncci-ptp-practitioner", "day": "2026-08-01"}])
        old = [{**line, "day": "2024-10-01"} for line in lines]
        self.assertEqual(told(checked(registry, *old)), [])

    def test_an_addition_needs_a_service_that_it_adds_to(self) -> None:
        registry = a_registry(ncci_add_on=[add_on("99292", ["99291", 1, "2013-01-01", None, None])])
        self.assertEqual(told(checked(registry, {"code": "99292"})), [("add_on_alone", [1])])
        self.assertEqual(told(checked(registry, {"code": "99292"}, {"code": "99291"})), [])
        by_contractor = a_registry(ncci_add_on=[add_on("99292", ["CCCCC", 2, "2013-01-01", None, None])])
        answer = checked(by_contractor, {"code": "99292"})
        self.assertEqual(told(answer), [])
        self.assertIn("by_contractor", [each.get("why") for each in answer["skipped"]])

    def test_the_same_line_twice_is_one_too_many_unless_a_modifier_says_otherwise(self) -> None:
        line = {"code": "99213", "billed": "9.00"}
        self.assertEqual(told(checked(a_registry(), line, line)), [("duplicate", [1, 2])])
        again = {**line, "modifiers": ["76"]}
        self.assertEqual(told(checked(a_registry(), again, again)), [])

    def test_a_hospital_is_paid_for_a_visit_with_all_that_belongs_to_it(self) -> None:
        rows = [outpatient("99284", "400.00", "V"), outpatient("80053", "0", "Q4"), outpatient("27447", "9000.00", "J1")]
        registry = a_registry(cms_opps=rows, cms_clfs=[])
        answer = checked(registry, {"code": "99284"}, {"code": "80053"}, kind="hospital")
        self.assertEqual(told(answer), [("packaged", [2])])
        alone = checked(registry, {"code": "80053"}, kind="hospital")
        self.assertEqual(told(alone), [])
        whole = checked(registry, {"code": "99284"}, {"code": "27447"}, kind="hospital")
        self.assertEqual(told(whole), [("packaged", [1])])
        self.assertEqual(whole["sums"]["medicare"]["by_rules"], "9000.00")

    def test_the_second_operation_is_paid_at_half(self) -> None:
        rows = [fee(code, amount, multiple_procedure="2") for code, amount in (("10060", "100.01"), ("11102", "80.00"))]
        answer = checked(a_registry(cms_pfs=rows), {"code": "11102"}, {"code": "10060", "units": "2"})
        self.assertEqual([line["by_rules"]["amount"] for line in answer["lines"]], ["40.00", "150.02"])
        rows = [outpatient("10060", "100.01", "T"), outpatient("11102", "80.00", "T")]
        answer = checked(a_registry(cms_opps=rows), {"code": "11102"}, {"code": "10060"}, kind="hospital")
        self.assertEqual(answer["sums"]["medicare"]["by_rules"], "140.01")

    def test_endoscopies_of_one_family_are_paid_without_their_base(self) -> None:
        scope: Any = {"multiple_procedure": "3", "endoscopic_base": "45378"}
        rows = [fee("45378", "200.00", multiple_procedure="2"), fee("45380", "260.00", **scope), fee("45385", "300.00", **scope)]
        answer = checked(a_registry(cms_pfs=rows), {"code": "45380"}, {"code": "45385"})
        self.assertEqual([line["by_rules"]["amount"] for line in answer["lines"]], ["60.00", "300.00"])

    def test_of_several_scans_the_parts_of_the_others_are_reduced(self) -> None:
        rows = []
        for code, whole, technical, professional in (("72148", "200.00", "140.00", "60.00"), ("73721", "150.00", "100.00", "50.00")):
            for modifier, amount in ((None, whole), ("TC", technical), ("26", professional)):
                rows.append(fee(code, amount, modifier, multiple_procedure="4", pc_tc="1"))
        answer = checked(a_registry(cms_pfs=rows), {"code": "72148"}, {"code": "73721"})
        self.assertEqual([line["by_rules"]["amount"] for line in answer["lines"]], ["200.00", "97.50"])
        again = checked(a_registry(cms_pfs=rows), {"code": "72148"}, {"code": "73721", "modifiers": ["59"]})
        self.assertEqual(again["findings"], [])

    def test_both_sides_are_paid_at_one_and_a_half(self) -> None:
        rows = [fee("27447", "100.00", multiple_procedure="2", bilateral="1")]
        sides = {"code": "27447", "modifiers": ["LT"]}, {"code": "27447", "modifiers": ["RT"]}
        self.assertEqual(checked(a_registry(cms_pfs=rows), *sides)["sums"]["medicare"]["by_rules"], "150.00")
        once = [fee("27447", "100.00", bilateral="2")]
        self.assertEqual(told(checked(a_registry(cms_pfs=once), *sides)), [("reduced", [1, 2])])

    def test_a_bill_adds_up_and_keeps_to_its_estimate(self) -> None:
        lines = {"code": "99213", "billed": "100.00", "patient": "20.00"}, {"code": "80053", "billed": "10.00", "patient": "30.00"}
        answer = checked(a_registry(), *lines, totals={"billed": "510.00", "patient": "60.00", "estimate": "110.00"})
        rules = [rule for rule, _ in told(answer)]
        self.assertEqual(rules, ["arithmetic", "arithmetic", "bill_above_statement", "estimate_exceeded"])
        self.assertEqual(answer["sums"]["at_issue"], "400.00")
        exact = checked(a_registry(), *lines[:1], totals={"billed": "100.00", "estimate": "0.00"})
        self.assertEqual(told(exact), [])

    def test_what_is_no_bill_is_refused(self) -> None:
        good = {"code": "99213"}
        bad: Any = [
            {"lines": []},
            {"lines": [good] * 201},
            {"lines": [{}]},
            {"lines": [{**good, "patient_name": "X"}]},
            {"lines": [{**good, "units": 1}]},
            {"lines": [{**good, "units": "0"}]},
            {"lines": [{**good, "billed": "1"}]},
            {"lines": [good], "name": "X"},
            {"lines": [good], "day": "2026-02-30"},
        ]
        for bill in bad:
            with self.subTest(bill), self.assertRaises(Failure):
                read_bill({"day": DAY, **bill})
        with self.assertRaises(Failure):
            read_bill({"lines": [good]})

    def test_the_order_of_the_lines_changes_no_sum(self) -> None:
        rows = [fee(code, amount, multiple_procedure="2") for code, amount in (("10060", "99.99"), ("11102", "80.01"))]
        registry = a_registry(cms_pfs=[*rows, VISIT], ncci_mue_practitioner=[limit("10060", 5)])
        lines = [{"code": "11102"}, {"code": "10060", "units": "2"}, {"code": "99213"}]
        sums = [checked(registry, *order)["sums"]["medicare"] for order in itertools.permutations(lines)]
        self.assertTrue(all(each == sums[0] for each in sums))


if __name__ == "__main__":
    unittest.main()
