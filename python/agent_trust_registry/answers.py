"""The answers of the service, as far as callers read them. Members that only verifiers read are left out."""

from __future__ import annotations

from typing import Any, TypedDict

_Text = str | None
_Facts = dict[str, Any]

Price = TypedDict("Price", {"amount": str, "low": str, "high": str, "currency": str, "per": _Text}, total=False)
Adjustment = TypedDict(
    "Adjustment", {"modifier": str, "rule": str, "factor": str, "part": str, "amount": str}, total=False
)
Page = TypedDict("Page", {"limit": int, "offset": int, "total": int, "has_more": bool})
Period = TypedDict("Period", {"from": str, "to": str})
Total = TypedDict("Total", {"basis": str, "lines": int, "low": str, "high": str, "billed": _Text})
Summary = TypedDict("Summary", {"lines": int, "priced": int, "totals": list[Total]})

Row = TypedDict(
    "Row",
    {
        "kind": str, "code": str, "region": str, "npi": _Text, "basis": str, "payer": _Text, "modifier": _Text,
        "setting": _Text, "class": _Text, "price": Price, "reason": str, "effective_from": str, "flags": list[str],
        "derivation": _Facts, "indicators": dict[str, str], "locator": list[dict[str, int]],
        "prolonged": dict[str, str], "proof": _Facts,
    },
    total=False,
)  # fmt: skip
"""One stated fact of a release: a price, or with `reason` that there is none."""


class Reference(Row, total=False):
    """The price that answers a lookup, with what a modifier makes of it. `about` is not proved."""

    modifiers_ignored: list[str]
    left_to_bill: list[str]
    adjustment: Adjustment
    side: dict[str, str]
    listed_with: str
    place: _Facts
    about: _Facts


class Line(TypedDict, total=False):
    """The answer to one line: with status 200 `row`, with 400 and 404 `problem`."""

    status: int
    row: Row
    units: int
    billed: str
    extended: dict[str, str] | None
    modifiers_ignored: list[str]
    left_to_bill: list[str]
    adjustment: Adjustment
    listed_with: str
    problem: _Facts


Edition = TypedDict(
    "Edition",
    {
        "release_id": str, "chart": str, "edition": str, "data_class": str, "effective_from": str, "effective_to": str,
        "answer": Line, "in_force": Period, "kind": str, "publisher": str, "rows": int, "state": str, "row_count": int,
        "published_at": str, "withdrawn_at": str, "withdrawn_reason": str, "supersedes": str, "about": _Facts,
    },
    total=False,
)  # fmt: skip
"""A release, as histories (with `answer`), coverage (with `rows`) and lists of releases (with `state`) show it."""

Batch = TypedDict("Batch", {"results": list[Line], "summary": Summary, "as_of": str})
Rows = TypedDict("Rows", {"data": list[Row], "page": Page, "as_of": str})
History = TypedDict("History", {"data": list[Edition], "page": Page})
Coverage = TypedDict("Coverage", {"data": list[Edition], "page": Page, "as_of": str})
Releases = TypedDict("Releases", {"data": list[Edition], "page": Page})
Sheet = TypedDict("Sheet", {"data": list[Row], "not_held": list[str], "place": _Facts, "side": _Facts, "as_of": str}, total=False)


class Figures(TypedDict, total=False):
    """A value that is None is withheld, and `metrics` says why. None is never zero."""

    w: float | None
    r: float | None
    p: float | None
    savings: _Facts
    cases_floor10: int | None
    settlements_floor10: int | None
    as_of: _Text
    release_id: _Text
    metrics: dict[str, _Facts]
    sdc_rule_version: str
    data_class: _Text


class BillCheck(TypedDict, total=False):
    """A checked bill. What could not be checked is in `skipped`, and is no pass."""

    side: dict[str, str]
    claim: str
    lines: list[_Facts]
    findings: list[_Facts]
    skipped: list[_Facts]
    sums: _Facts
    by_history: list[dict[str, str]]
    prolonged: list[dict[str, str]]
    about: _Facts
