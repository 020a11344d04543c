"""The answers of the service, as far as callers read them. Members that only verifiers read are left out."""

from __future__ import annotations

from typing import Any, TypedDict

_Text = str | None

Price = TypedDict("Price", {"amount": str, "low": str, "high": str, "currency": str, "per": _Text}, total=False)
Adjustment = TypedDict("Adjustment", {"modifier": str, "rule": str, "factor": str, "amount": str})
Page = TypedDict("Page", {"limit": int, "offset": int, "total": int, "has_more": bool})
Period = TypedDict("Period", {"from": str, "to": str})

_Key = TypedDict(
    "_Key",
    {
        "kind": str, "cpt": str, "region": str, "npi": _Text,
        "modifier": _Text, "basis": str, "setting": _Text, "class": _Text,
    },
    total=False,
)  # fmt: skip


class Row(_Key, total=False):
    price: Price
    reason: str
    effective_from: str
    flags: list[str]
    derivation: dict[str, Any]
    indicators: dict[str, str]
    locator: list[dict[str, int]]
    proof: dict[str, Any]


class Reference(Row, total=False):
    """The price that answers a lookup, with what a modifier makes of it."""

    modifiers_ignored: list[str]
    adjustment: Adjustment
    place: dict[str, Any]
    related: list[dict[str, _Text]]
    sources_lost: list[dict[str, str]]


class Question(TypedDict, total=False):
    """A lookup, or a line of a bill: then with `units` and `billed`."""

    cpt: str
    region: str
    npi: str
    as_of: str
    modifier: str
    setting: str
    basis: str
    units: int
    billed: str


class Line(TypedDict, total=False):
    """The answer to one line: with status 200 `row`, with 400 and 404 `problem`."""

    status: int
    row: Row
    units: int
    billed: str
    extended: dict[str, str] | None
    modifiers_ignored: list[str]
    adjustment: Adjustment
    problem: dict[str, Any]


Total = TypedDict("Total", {"basis": str, "lines": int, "low": str, "high": str, "billed": _Text})
Summary = TypedDict("Summary", {"lines": int, "priced": int, "totals": list[Total]})
Batch = TypedDict("Batch", {"results": list[Line], "summary": Summary, "as_of": str})
Sheet = TypedDict(
    "Sheet", {"data": list[Row], "not_held": list[str], "place": dict[str, Any], "as_of": str}, total=False
)
Rows = TypedDict("Rows", {"data": list[Row], "page": Page, "as_of": str})


class _Edition(TypedDict, total=False):
    release_id: str
    chart: str
    edition: str
    data_class: str
    effective_from: str
    effective_to: str


class PastEdition(_Edition, total=False):
    answer: Line


class CoveredEdition(TypedDict, total=False):
    """`kind` is `chart`, or `code` where codes were asked for by their first characters."""

    kind: str
    release_id: str
    chart: str
    edition: str
    data_class: str
    effective_from: str
    title: str
    publisher: str
    in_force: Period
    rows: int


class Release(_Edition, total=False):
    in_force: Period | None
    state: str
    row_count: int
    published_at: str
    withdrawn_at: _Text
    supersedes: _Text


History = TypedDict("History", {"data": list[PastEdition], "page": Page})
Coverage = TypedDict("Coverage", {"data": list[CoveredEdition], "page": Page, "as_of": str})
Releases = TypedDict("Releases", {"data": list[Release], "page": Page})

Figure = TypedDict(
    "Figure",
    {
        "value": float | str | None,
        "standard_error": float | str | None,
        "suppressed": bool,
        "reason": _Text,
        "as_of": _Text,
        "definition": str,
    },
    total=False,
)
Savings = TypedDict(
    "Savings", {"total": _Text, "median": _Text, "median_band": dict[str, _Text] | None, "currency": str}, total=False
)


class Figures(TypedDict, total=False):
    w: float | None
    r: float | None
    p: float | None
    savings: Savings
    cases_floor10: int | None
    settlements_floor10: int | None
    as_of: _Text
    release_id: _Text
    metrics: dict[str, Figure]
    sdc_rule_version: str
    data_class: _Text
