"""Adjustments: what a modifier makes of the amount of a row (docs/spec/lookup.md#tables)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from .money import dollars, scaled
from .row import Row, is_amount
from .tables import COLUMNS, FACTORS

_SHARE = re.compile(r"[0-9]{1,3}(\.[0-9]{1,3})?", re.ASCII)


@dataclass(frozen=True)
class Change:
    """A factor on the amount of a row, or on one part of the service alone: the row with the modifier `part` has it."""

    modifier: str
    rule: str
    factor: str
    part: str | None = None

    def of(self, row: Row, part: str | None) -> dict[str, str] | None:
        """Returns the adjustment, None where it is not allowed. `part` is the amount of the part, or of the row."""
        whole = row.get("price", {}).get("amount")
        if whole is None or part is None:
            return None
        rest = (scaled(whole, 4) - scaled(part, 4)) * 1000
        cents = (rest + scaled(part, 4) * scaled(self.factor, 3) + 50_000) // 100_000
        stated = {"part": part} if self.part else {}
        return {"modifier": self.modifier, "rule": self.rule, "factor": self.factor, **stated, "amount": dollars(cents)}


def class_on(row: Row, modifier: str) -> str | None:
    """Returns as what a modifier counts on a row, `neutral` or `by_report`; None where it changes the amount."""
    if modifier in COLUMNS:
        return None
    cases = _cases(row, modifier)
    if not cases:
        otherwise: str | None = FACTORS[modifier].get("otherwise")
        return otherwise
    parts = {case.get("part") for case in cases}
    return "neutral" if None not in parts and row["modifier"] not in {None, *parts} else None


def changes(row: Row, modifier: str, day: str | None) -> Iterator[Change]:
    """The changes that a modifier may make of a row on a day, the first of which counts; without a day those of any."""
    if modifier in COLUMNS:
        entry = COLUMNS[modifier]
        shares = [row["indicators"].get(name, "") for name in entry["columns"]]
        total = sum(scaled(share, 3) for share in shares) if all(map(_SHARE.fullmatch, shares)) else 0
        if 0 < total <= 1000:
            yield Change(modifier, entry["rule"], f"{total // 1000}.{total % 1000:03d}")
        return
    for case in _cases(row, modifier):
        if day is not None and not case.get("from", day) <= day <= case.get("to", day):
            continue
        part, pc_tc = case.get("part"), row["indicators"].get("pc_tc")
        if part and row["modifier"] != part and (row["modifier"] is not None or pc_tc not in ("1", "3")):
            continue
        factor = case.get("factor") or case["factors"].get(row["indicators"].get(case["indicator"]))
        if factor:
            is_of_part = part and row["modifier"] is None and pc_tc == "1"
            yield Change(modifier, FACTORS[modifier]["rule"], factor, part if is_of_part else None)


def _cases(row: Row, modifier: str) -> list[dict[str, Any]]:
    cases: list[dict[str, Any]] = FACTORS[modifier]["cases"]
    return [case for case in cases if row["basis"] in case["bases"] and row["code"] in case.get("codes", (row["code"],))]


def is_adjustment(row: Row, stated: Any) -> bool:
    """True if this is what its modifier makes of a row on some day, with the part that it states."""
    if not isinstance(stated, dict) or "basis" not in row:
        return False
    modifier, part = stated.get("modifier"), stated.get("part")
    if not isinstance(modifier, str) or modifier not in FACTORS.keys() | COLUMNS.keys():
        return False
    if part is not None and not is_amount(part):
        return False
    amount = row.get("price", {}).get("amount")
    return any(change.of(row, part if change.part else amount) == stated for change in changes(row, modifier, None))
