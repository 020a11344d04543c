"""Rows: their form, their keys, and whether a row is one of its release (docs/spec/row.md)."""

from __future__ import annotations

import re
from typing import Any

from .canonical_json import canonical
from .forms import Form, closed, is_count, is_day, list_of, null_or, one_of, text
from .merkle import leaf_hash
from .money import scaled
from .tables import (
    ABSENCES,
    ADD_ON_NOTES,
    BASES,
    CODES,
    HOSPITALS,
    LIMIT_REASONS,
    PAIR_REASONS,
    PAYER_BASES,
    SETTINGS,
    chart,
)
from .verdict import Failure

Row = dict[str, Any]
MAX_LEAF_BYTES, MAX_ENTRIES = 65_535, 2048
_KEY = ("code", "region", "npi", "basis", "payer", "modifier", "setting", "class")

is_code = text("|".join(CODES.values()))
is_npi = text(r"[12][0-9]{9}")
is_amount = text(r"(0|[1-9][0-9]{0,11})\.[0-9]{2}([0-9]?[1-9])?")
_LOCALITY, _AREA = r"US-[A-Z]{2}-[0-9]{2}", r"CBA-[0-9A-F]{8}"
_UNITS = "MG|ML|MCG|IU|UNIT|UNITS|GM|CC|DOSE|EA|EACH|MICROCURIE|MILLICURIE|MEQ|GR|ME|UN|F2"
_is_input_name = text(r"[a-z][a-z0-9_]*")


def _is_price_amount(value: Any) -> bool:
    return is_amount(value) and scaled(value, 4) > 0


def _object_of(form: Form) -> Form:
    return lambda value: isinstance(value, dict) and all(map(_is_input_name, value)) and all(map(form, value.values()))


_MONEY = {
    "currency": one_of("USD"),
    "per": null_or(text(rf"MONTH|DAY|MILE|UNIT|100 USD|([1-9][0-9]{{0,6}}(\.[0-9]{{1,4}})?|0\.[0-9]{{1,4}}) ({_UNITS})")),
}
_is_one_amount = closed({"amount": _is_price_amount, **_MONEY})
_is_range = closed({"low": _is_price_amount, "high": _is_price_amount, **_MONEY})


def _is_price(value: Any) -> bool:
    return _is_one_amount(value) or (_is_range(value) and scaled(value["low"], 4) < scaled(value["high"], 4))


_is_locator = list_of(closed({"citation": is_count, "line": lambda value: is_count(value) and value > 0}))
_FACT: dict[str, Form] = {
    "kind": one_of("price", "rate", "absence"),
    "code": is_code,
    "region": text(rf"national|US-[A-Z]{{2}}|{_LOCALITY}|{_AREA}"),
    "npi": null_or(is_npi),
    "basis": one_of(*BASES),
    "payer": null_or(text(r"[a-z0-9-]{1,40}/[a-z_]{1,20}")),
    "modifier": null_or(text(r"[A-Z0-9]{2}(-[A-Z0-9]{2}){0,3}")),
    "setting": null_or(one_of(*SETTINGS)),
    "class": null_or(one_of("facility", "professional")),
    "effective_from": is_day,
    "flags": list_of(text(r"[a-z][a-z0-9_]*")),
    "derivation": closed(
        {"method": text(r"[a-z][a-z0-9-]*/[1-9][0-9]*"), "inputs": _object_of(text(r"[A-Za-z0-9.,_-]{1,64}"))}
    ),
    "indicators": _object_of(text(r"[A-Za-z0-9.,:_-]{1,80}")),
    "locator": _is_locator,
}
_is_stated = closed({**_FACT, "price": _is_price})
_is_absence = closed({**_FACT, "reason": one_of(*ABSENCES)})
_is_place = closed(
    {
        "kind": one_of("place"),
        "zip": text(r"[0-9]{5}"),
        "plus_four": null_or(text(r"[0-9]{4}-[0-9]{4}")),
        "region": null_or(text(_LOCALITY)),
        "state": null_or(text(r"[A-Z]{2}")),
        "effective_from": is_day,
        "locator": _is_locator,
    },
    {"rural": lambda value: isinstance(value, bool), "bidding_area": null_or(text(_AREA))},
)


# Rows of edits

_is_procedure = text(CODES["procedure"])
_EDIT: dict[str, Form] = {"code": _is_procedure, "effective_from": is_day, "locator": _is_locator}


def _number_of(numbers: frozenset[int]) -> Form:
    return lambda value: type(value) is int and value in numbers


def _entries(code: Form, second: Form, fifth: Form) -> Form:
    """The form of a list of `[code, second, first day, last day, fifth]`, each greater than the one before."""
    members = (code, second, is_day, null_or(is_day), fifth)

    def is_entry(value: Any) -> bool:
        return (
            isinstance(value, list)
            and len(value) == len(members)
            and all(form(member) for form, member in zip(members, value))
        )

    def is_sorted(value: Any) -> bool:
        order = [(of[0], of[2], of[3] or "~", of[1], -1 if of[4] is None else of[4]) for of in value]
        return all(before < after for before, after in zip(order, order[1:]))

    is_listed = list_of(is_entry, 1, MAX_ENTRIES)
    return lambda value: is_listed(value) and is_sorted(value)


_EDITS: dict[str, Form] = {
    "limit": closed(
        {
            **_EDIT,
            "kind": one_of("limit"),
            "units": is_count,
            "adjudication": _number_of(frozenset({1, 2, 3})),
            "rationale": _number_of(LIMIT_REASONS),
        }
    ),
    "edits": closed(
        {
            **_EDIT,
            "kind": one_of("edits"),
            "edits": _entries(_is_procedure, _number_of(frozenset({0, 1, 9})), _number_of(PAIR_REASONS)),
        }
    ),
    "add_on": closed(
        {
            **_EDIT,
            "kind": one_of("add_on"),
            "primaries": _entries(
                text(rf"{CODES['procedure']}|CCCCC"),
                _number_of(frozenset({1, 2, 3})),
                null_or(_number_of(ADD_ON_NOTES)),
            ),
        }
    ),
}
"""The forms of rows of edits, by their kind."""


def is_place(row: Any) -> bool:
    return _is_place(row)


def is_price_row(row: Row) -> bool:
    """True of rows of prices, factors and absences: neither of places nor of edits."""
    return "basis" in row


def is_row(value: Any) -> bool:
    """True if a value has the form of a row, of prices, places or edits."""
    if not isinstance(value, dict) or value.get("kind") == "place":
        return _is_place(value)
    kind = value.get("kind")
    if isinstance(kind, str) and kind in _EDITS:
        return _EDITS[kind](value)
    is_shaped = _is_absence if value.get("kind") == "absence" else _is_stated
    return is_shaped(value) and value["indicators"].keys() <= set(BASES[value["basis"]]["indicators"])


def key_of(row: Row) -> str:
    """Returns the key under which a row stands in its release. Keys are ASCII, so texts sort as their bytes do."""
    if row["kind"] == "place":
        return f"{row['zip']}|{row['plus_four'] or ''}"
    if not is_price_row(row):
        return str(row["code"])
    return "|".join(row[name] or "" for name in _KEY)


def leaf_of(row: Row) -> bytes:
    """Returns the leaf hash of a row."""
    leaf = canonical(row).encode()
    if len(leaf) > MAX_LEAF_BYTES:
        raise Failure("row_too_large")
    return leaf_hash(leaf)


def check_is_of_release(row: Row, manifest: dict[str, Any]) -> None:
    """Checks what a tree cannot tell: that a row and the manifest of its release go together."""
    cited = row["locator"]
    if not cited or not all(each["citation"] < len(manifest["citations"]) for each in cited):
        raise Failure("locator_not_cited")
    if row["effective_from"] > manifest["effective_to"] or not _is_of_chart(row, manifest):
        raise Failure("row_not_of_release")


def _is_of_chart(row: Row, manifest: dict[str, Any]) -> bool:
    known = chart(manifest["chart"])
    if not is_price_row(row):
        return known is not None and row["kind"] == known.get("rows")
    if known is None or row["basis"] not in known["bases"]:
        return False
    if manifest["chart"].startswith(f"{HOSPITALS}:"):
        is_of_provider = row["npi"] in manifest["providers"]
    else:
        is_of_provider = row["npi"] is None and row["class"] is None
    return (
        is_of_provider
        and row["derivation"]["method"] in BASES[row["basis"]]["methods"]
        and row["kind"] in (*BASES[row["basis"]].get("kinds", ["price"]), "absence")
        and (row["payer"] is not None) == (row["basis"] in PAYER_BASES)
        and (row["setting"] is None or row["setting"] in known["settings"])
        and _speaks_for(known["speaks"], row["region"])
    )


def _speaks_for(speaks: str, region: str) -> bool:
    if region == "national" or speaks == "national":
        return region == "national"
    return (re.fullmatch(_LOCALITY, region) is not None) == (speaks == "locality")
