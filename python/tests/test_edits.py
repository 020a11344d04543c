"""Rows of edits: limits of units, pairs of codes, and add-on codes."""

import copy
import unittest
from typing import Any

from agent_trust_registry.row import check_is_of_release, is_row, key_of
from agent_trust_registry.verdict import Failure

PLACE = {"effective_from": "2026-10-01", "locator": [{"citation": 0, "line": 7}]}
LIMIT: Any = {"kind": "limit", "code": "80053", "units": 1, "adjudication": 3, "rationale": 3, **PLACE}
PAIRS: Any = {
    "kind": "edits",
    "code": "80053",
    "edits": [
        ["82947", 1, "2020-01-01", "2024-12-31", 0],
        ["82947", 1, "2020-01-01", None, 0],
        ["84075", 0, "2020-01-01", None, 0],
    ],
    **PLACE,
}
ADD_ON: Any = {
    "kind": "add_on",
    "code": "99292",
    "primaries": [["99291", 1, "2013-01-01", None, None], ["CCCCC", 2, "2013-01-01", "2024-01-01", 0]],
    **PLACE,
}


def with_(row: Any, *path: Any, value: Any) -> Any:
    changed = copy.deepcopy(row)
    at = changed
    for step in path[:-1]:
        at = at[step]
    at[path[-1]] = value
    return changed


class Edits(unittest.TestCase):
    def test_a_row_of_edits_has_its_form_and_the_code_as_key(self) -> None:
        for row in (LIMIT, PAIRS, ADD_ON):
            self.assertTrue(is_row(row))
            self.assertEqual(key_of(row), row["code"])
        self.assertTrue(is_row(with_(LIMIT, "units", value=0)))

    def test_what_differs_from_the_form_is_none(self) -> None:
        bad = [
            with_(LIMIT, "adjudication", value=4),
            with_(LIMIT, "rationale", value=99),
            with_(LIMIT, "rationale", value=True),
            with_(LIMIT, "units", value="1"),
            with_(LIMIT, "code", value="RC-0450"),
            with_(LIMIT, "region", value="national"),
            with_(PAIRS, "edits", value=[]),
            with_(PAIRS, "edits", value=list(reversed(PAIRS["edits"]))),
            with_(PAIRS, "edits", value=[PAIRS["edits"][0]] * 2),
            with_(PAIRS, "edits", 0, 1, value=2),
            with_(PAIRS, "edits", 0, 2, value="2026-02-30"),
            with_(PAIRS, "edits", 0, 4, value=None),
            with_(PAIRS, "edits", 0, value=["82947", 1, "2020-01-01", None]),
            with_(ADD_ON, "primaries", 0, 0, value="CCCC"),
            with_(ADD_ON, "primaries", 0, 1, value=4),
            with_(ADD_ON, "kind", value="edits"),
        ]
        for row in bad:
            with self.subTest(row):
                self.assertFalse(is_row(row))

    def test_a_row_of_edits_is_of_a_chart_of_its_kind(self) -> None:
        release: Any = {"chart": "ncci-mue-outpatient", "citations": [{}], "effective_to": "2026-12-31"}
        check_is_of_release(LIMIT, release)
        for row, chart in ((PAIRS, "ncci-mue-outpatient"), (LIMIT, "cms-pfs"), (LIMIT, "zip-locality"), (LIMIT, "x")):
            with self.subTest(chart), self.assertRaises(Failure):
                check_is_of_release(row, {**release, "chart": chart})


if __name__ == "__main__":
    unittest.main()
