"""Whether a price, or the reason for none, follows from the inputs that a row states: docs/spec/row.md#derivations."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .forms import Form, closed, is_text, one_of, text
from .money import as_stated, dollars, rounded, scaled
from .tables import BASES
from .verdict import Failure, Verdict, failed

Inputs = dict[str, str]
Price = tuple[str, ...]
"""One amount, or the two ends of a range."""


def verify_derivation(row: Any) -> Verdict:
    """Checks the arithmetic of a row. Its shape is looked at only as far as the arithmetic reads it."""
    try:
        check_derivation(row)
    except Failure as failure:
        return failed(failure)
    return Verdict(ok=True)


def check_derivation(row: Any) -> None:
    if not _is_readable(row):
        raise Failure("inputs_malformed")
    method, inputs = row["derivation"]["method"], row["derivation"]["inputs"]
    is_absence = row["kind"] == "absence"
    if method not in BASES[row["basis"]]["methods"] or method not in (_ABSENCES if is_absence else _PRICES):
        raise Failure("unknown_method")
    if is_absence:
        if row.get("reason") != _ABSENCES[method](inputs):
            raise Failure("reason_mismatch")
        is_capped = False
    else:
        price, is_capped = _PRICES[method](inputs, row["region"])
        stated = row["price"]
        if price != ((stated["amount"],) if "amount" in stated else (stated.get("low"), stated.get("high"))):
            raise Failure("price_mismatch")
    if not _flags_follow(row, is_capped):
        raise Failure("flags_mismatch")


def _is_object(value: Any) -> bool:
    return isinstance(value, dict)


_READ: dict[str, Form] = {
    "kind": one_of("price", "rate", "absence"),
    "basis": one_of(*BASES),
    "region": is_text,
    "flags": lambda value: isinstance(value, list) and all(map(is_text, value)),
    "indicators": _is_object,
    "derivation": closed({"method": is_text, "inputs": _is_object}),
}


def _is_readable(row: Any) -> bool:
    if not _is_object(row) or not all(form(row.get(name)) for name, form in _READ.items()):
        return False
    return "price" not in row if row["kind"] == "absence" else _is_object(row.get("price"))


_ANYWHERE = frozenset(
    "inflation_adjusted_coinsurance reference_biological_add_on amp_based lesser_of hiv_prep see_publisher_page "
    "partial code_restored mixed_units rate_outside_range "
    "by_charge_code also_by_day also_percentage also_formula".split()
)


def _flags_follow(row: dict[str, Any], is_capped: bool) -> bool:
    flags = row["flags"]
    if row["kind"] == "absence":
        return not flags
    needed = {"opps_cap": is_capped, "far_from_medicare": "compared_amount" in row["indicators"]}
    allowed = _ANYWHERE | needed.keys() | ({"unit_unparsed"} if row["price"].get("per") == "1 UNIT" else set())
    return (
        set(flags) <= allowed
        and len(set(flags)) == len(flags)
        and all((flag in flags) == is_needed for flag, is_needed in needed.items())
    )


def _take(inputs: Inputs, forms: dict[str, Form], optional: dict[str, Form] | None = None) -> None:
    if not closed(forms, optional)(inputs):
        raise Failure("inputs_malformed")


_PARTS = ("work", "practice", "malpractice")
_RVU = text(r"[0-9]{1,6}(\.[0-9]{1,2})?")
_GPCI = text(r"[0-9](\.[0-9]{1,3})?")
_PFS_FORMS = {
    **{f"{part}_rvu": _RVU for part in _PARTS},
    **{f"{part}_gpci": _GPCI for part in _PARTS},
    "conversion_factor": text(r"[0-9]{1,4}(\.[0-9]{1,4})?"),
}
_CAP = ("opps_practice_rvu", "opps_malpractice_rvu")
_PFS_OPTIONAL = {
    "conversion_factor_kind": one_of("qualifying_apm", "non_qualifying_apm"),
    **dict.fromkeys(_CAP, _RVU),
}


def _physician_fee(inputs: Inputs, region: str) -> tuple[Price, bool]:
    if region == "national":
        forms = {**_PFS_FORMS, **{f"{part}_gpci": one_of("1.000") for part in _PARTS}}
    else:
        forms = {**_PFS_FORMS, "work_gpci_column": one_of("with_floor", "without_floor")}
    _take(inputs, forms, _PFS_OPTIONAL)
    has_cap = [name in inputs for name in _CAP]
    is_nothing = not any(scaled(inputs[f"{part}_rvu"], 2) for part in _PARTS)
    if is_nothing or any(has_cap) != all(has_cap) or (has_cap[0] and not scaled(inputs[_CAP[0]], 2)):
        raise Failure("inputs_malformed")
    fee = _fee_cents(inputs, [inputs[f"{part}_rvu"] for part in _PARTS])
    ceiling = _fee_cents(inputs, [inputs["work_rvu"], *(inputs[name] for name in _CAP)]) if has_cap[0] else fee
    return (dollars(min(fee, ceiling)),), ceiling < fee


def _fee_cents(inputs: Inputs, rvus: list[str]) -> int:
    """The sum and the product are exact; the result is rounded once, half up."""
    total = sum(scaled(rvu, 2) * scaled(inputs[f"{part}_gpci"], 3) for part, rvu in zip(_PARTS, rvus))
    return (total * scaled(inputs["conversion_factor"], 4) + 5_000_000) // 10_000_000


def _stated(names: tuple[tuple[str, ...], ...], *readings: Callable[[str], str | None]) -> Any:
    """Returns a method that reads the amounts under one of these names, by the first reading that has a result."""

    def price(inputs: Inputs, _: str) -> tuple[Price, bool]:
        found = next((each for each in names if closed(dict.fromkeys(each, is_text))(inputs)), None)
        if found is None:
            raise Failure("inputs_malformed")
        amounts = [next(filter(None, (read(inputs[name]) for read in readings)), None) for name in found]
        if None in amounts or (len(amounts) == 2 and scaled(amounts[0] or "", 4) >= scaled(amounts[1] or "", 4)):
            raise Failure("inputs_malformed")
        return tuple(amount for amount in amounts if amount is not None), False

    return price


_CENTS = text(r"[0-9]{1,6}\.[0-9]{2}")
_STAY_FORMS = {
    "weight": text(r"[0-9]{1,3}\.[0-9]{4}"),
    **dict.fromkeys(("labor", "nonlabor", "capital"), _CENTS),
    "wage_index": one_of("1.0000"),
}


def _stay(inputs: Inputs, _: str) -> tuple[Price, bool]:
    """The federal base rate of a stay: the operating and the capital part, each rounded half up."""
    _take(inputs, _STAY_FORMS)
    weight = scaled(inputs["weight"], 4)
    operating = scaled(inputs["labor"], 2) + scaled(inputs["nonlabor"], 2)
    parts = (operating, scaled(inputs["capital"], 2))
    return (dollars(sum((part * weight + 5_000) // 10_000 for part in parts)),), False


_PRICES: dict[str, Callable[[Inputs, str], tuple[Price, bool]]] = {
    "pfs-formula/1": _physician_fee,
    "verbatim/1": _stated((("rate",), ("amount",)), as_stated),
    "rounded/1": _stated((("rate",), ("amount",)), rounded),
    "least-rate/1": _stated((("amount",),), as_stated, rounded),
    "greatest-rate/1": _stated((("amount",),), as_stated, rounded),
    "ipps-base/1": _stay,
    "range/1": _stated((("low", "high"),), as_stated, rounded),
}


def _reason(forms: dict[str, str], otherwise: str, **words: str) -> Callable[[Inputs], str]:
    """Returns a method that finds the first input among the words of each reason."""
    table = {word: reason for reason, listed in words.items() for word in listed.split()}

    def reason(inputs: Inputs) -> str:
        _take(inputs, {name: text(pattern) for name, pattern in forms.items()})
        return table.get(inputs[next(iter(forms))], otherwise)

    return reason


_NOTHING = r"blank|NA|0{1,20}(\.0{1,20})?"
_ABSENCES = {
    "cms-status/1": _reason(
        {"status_code": r"[A-Z]"}, "no_price_stated", bundled="B P", carrier_priced="C", not_covered="N",
        paid_elsewhere="E X", not_valid="I", anesthesia="J",
    ),
    "pfs-na/1": _reason({"na_indicator": r"NA"}, "not_applicable_in_setting"),
    "clfs-indicator/1": _reason({"indicator": r"L"}, "carrier_priced"),
    "opps-status/1": _reason(
        {"status_indicator": r"[A-Z][0-9]?"}, "no_price_stated", bundled="N", conditionally_packaged="Q1 Q2 Q3 Q4",
        paid_elsewhere="A F L Y", inpatient_only="C", not_covered="E1", not_valid="B D M",
    ),
    "asc-indicator/1": _reason(
        {"payment_indicator": r"[A-Z][0-9]"}, "no_price_stated", bundled="N1 L1 D1", carrier_priced="H7 J7 K7",
        paid_elsewhere="F4 M6", not_valid="B5 D5 U5 X5", inpatient_only="C5", not_covered="E5 Y5",
    ),
    "no-amount/1": _reason({"rate": _NOTHING}, "no_price_stated"),
    "formula-only/1": _reason({"terms": r"formula"}, "algorithm_only"),
    "dmepos-blank/1": _reason({"non_rural": _NOTHING, "rural": _NOTHING}, "no_price_stated"),
    "row-rule/1": _reason(
        {"rule": r"R02|R03|R08_min_max|R10|R14"}, "unreadable", withheld_conflict="R08_min_max R10"
    ),
}  # fmt: skip
