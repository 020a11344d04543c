"""The answers of the service, as far as callers read them. Members that only verifiers read are left out."""

from __future__ import annotations

from typing import Any, TypedDict

_Text = str | None

Price = TypedDict("Price", {"amount": str, "low": str, "high": str, "currency": str, "per": _Text}, total=False)
Adjustment = TypedDict("Adjustment", {"modifier": str, "rule": str, "factor": str, "amount": str})
Page = TypedDict("Page", {"limit": int, "offset": int, "total": int, "has_more": bool})
Period = TypedDict("Period", {"from": str, "to": str})
_Class = TypedDict("_Class", {"class": _Text}, total=False)


class Row(_Class, total=False):
    """One stated fact of a release: a price, or with `reason` that there is none."""

    kind: str
    cpt: str
    region: str
    npi: _Text
    modifier: _Text
    basis: str
    setting: _Text
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


class Edition(TypedDict, total=False):
    """A release, as histories (with `answer`), coverage (with `rows`) and lists of releases (with `state`) show it."""

    release_id: str
    chart: str
    edition: str
    data_class: str
    effective_from: str
    effective_to: str
    answer: Line
    in_force: Period | None
    kind: str
    title: str
    publisher: str
    rows: int
    state: str
    row_count: int
    published_at: str
    withdrawn_at: _Text
    supersedes: _Text


Total = TypedDict("Total", {"basis": str, "lines": int, "low": str, "high": str, "billed": _Text})
Summary = TypedDict("Summary", {"lines": int, "priced": int, "totals": list[Total]})
Batch = TypedDict("Batch", {"results": list[Line], "summary": Summary, "as_of": str})
Rows = TypedDict("Rows", {"data": list[Row], "page": Page, "as_of": str})
History = TypedDict("History", {"data": list[Edition], "page": Page})
Coverage = TypedDict("Coverage", {"data": list[Edition], "page": Page, "as_of": str})
Releases = TypedDict("Releases", {"data": list[Edition], "page": Page})


class Sheet(TypedDict, total=False):
    data: list[Row]
    not_held: list[str]
    place: dict[str, Any]
    as_of: str


class Figures(TypedDict, total=False):
    """A value that is None is withheld, and `metrics` says why. None is never zero."""

    w: float | None
    r: float | None
    p: float | None
    savings: dict[str, Any]
    cases_floor10: int | None
    settlements_floor10: int | None
    as_of: _Text
    release_id: _Text
    metrics: dict[str, dict[str, Any]]
    sdc_rule_version: str
    data_class: _Text
