"""Questions: eleven texts in, their meaning out (docs/spec/lookup.md#the-question)."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Any

from .forms import is_day, text
from .row import is_code, is_npi
from .tables import (
    BASES, CHARTS, KINDS, PAYER_BASES, PLACES_OF_SERVICE, PROFESSIONAL_REVENUE, SETTINGS, STATES, WITHOUT_SETTING,
    can_hold, stands_in_for,
)  # fmt: skip
from .verdict import Failure

_SIDE = ("kind", "revenue_code", "place_of_service")
PARTS = ("cpt", "as_of", "region", "npi", "modifier", "setting", "basis", "payer", *_SIDE)
_PAYER = re.compile(r"[a-z0-9-]{1,40}(/[a-z_]{1,20})?", re.ASCII)
_CAPITALS = {small: small - 32 for small in range(ord("a"), ord("z") + 1)}
_REGION = re.compile(
    r"(?P<national>NATIONAL)|(?:US-)?(?P<state>[A-Z]{2})|US-(?P<of>[A-Z]{2})-[0-9]{2}"
    r"|(?:ZIP-)?(?P<zip>[0-9]{5})(?:-(?P<digits>[0-9]{4}))?|(?P<area>CBA-[0-9A-F]{8})",
    re.ASCII,
)
_MODIFIERS = re.compile(r"[A-Z0-9]{2}(-[A-Z0-9]{2}){0,3}", re.ASCII)


@dataclass(frozen=True)
class Side:
    """Whose bill it is, and how that is known."""

    kind: str
    why: str
    setting: str | None

    @property
    def told(self) -> dict[str, str]:
        """What a body says of it."""
        return {"kind": self.kind, "why": self.why}

    @property
    def settings(self) -> list[str]:
        settings: list[str] = KINDS[self.kind]["settings"]
        return settings

    @property
    def classes(self) -> list[str | None]:
        """Whose charges of a hospital's file are of this side."""
        classes: list[str | None] = KINDS[self.kind]["classes"]
        return classes

    def knows(self, chart: str) -> bool:
        """True if a chart speaks for this side: it knows no settings, or one of the kind's."""
        return any(setting is None or setting in self.settings for setting in CHARTS[chart]["settings"])


@dataclass(frozen=True)
class Question:
    code: str
    as_of: str
    region: str | None
    """`national` or a locality."""
    state: str | None
    area: str | None
    zip: str | None
    digits: str | None
    """The last four digits of the ZIP code."""
    npi: str | None
    modifiers: tuple[str, ...]
    setting: str | None
    basis: str | None
    side: Side | None = None
    payer: str | None = None
    """A payer whose own rate at the hospital is asked for, with the kind of plan or without."""

    @property
    def charts(self) -> list[str]:
        """R2: the schedules that may answer, in order, whatever is loaded."""
        known = [name for name in self.charts_of_any_code if can_hold(name, self.code)]
        return known if self.basis else [name for name in known if stands_in_for(name, self.code)]

    @property
    def charts_of_any_code(self) -> list[str]:
        if self.basis is not None:
            return [name for name, chart in CHARTS.items() if self.basis in chart["bases"]]
        if self.setting is not None:
            return SETTINGS[self.setting]
        if self.side is None:
            return WITHOUT_SETTING
        return list(dict.fromkeys(name for setting in self.side.settings for name in SETTINGS[setting]))


def capitals(written: str) -> str:
    """Makes a to z capitals, and no other letters."""
    return written.translate(_CAPITALS)


def read_code(written: str) -> str:
    code = capitals(written.strip(" "))
    _require(is_code(code))
    return code


def read_question(asked: Any) -> Question:
    """Returns the meaning of a question, or fails with `question_malformed`."""
    _require(isinstance(asked, dict) and asked.keys() <= set(PARTS))
    _require(all(isinstance(part, str) for part in asked.values()))
    cpt, as_of = asked.get("cpt", ""), asked.get("as_of", "")
    region, npi, modifier, setting, basis, payer = (asked.get(part) or None for part in PARTS[2:8])
    side = read_side(*(asked.get(part) or None for part in _SIDE))
    _require(is_day(as_of))
    _require(npi is None or (is_npi(npi) and _has_check_digit(npi)))
    modifier = capitals(modifier or "")
    _require(modifier == "" or _MODIFIERS.fullmatch(modifier) is not None)
    _require(setting is None or setting in SETTINGS)
    _require(basis is None or (basis in BASES and basis.startswith("hospital_") == (npi is not None)))
    _require(payer is None or (npi is not None and _PAYER.fullmatch(payer) is not None))
    _require(basis is None or (basis in PAYER_BASES) == (payer is not None))
    modifiers = tuple(sorted(set(modifier.split("-")))) if modifier else ()
    question = Question(read_code(cpt), as_of, **_place(region or "national"), npi=npi,
                        modifiers=modifiers, setting=setting, basis=basis, side=side, payer=payer)  # fmt: skip
    if npi is None:
        _require(bool(question.charts_of_any_code))
        _require(side is None or _fits(side, question))
    if side and setting is None and side.kind == "professional":
        question = replace(question, setting=side.setting)
    return question


def _fits(side: Side, question: Question) -> bool:
    """True if the setting and the basis asked for are of the side."""
    if question.setting is not None:
        own = side.setting if side.kind == "professional" else None
        if question.setting not in side.settings or own not in (None, question.setting):
            return False
    return question.basis is None or any(map(side.knows, question.charts_of_any_code))


_is_revenue_code = text(r"[0-9]{3,4}")


def read_side(kind: str | None, revenue: str | None, place: str | None) -> Side | None:
    _require(kind is None or kind in KINDS)
    _require(revenue is None or _is_revenue_code(revenue))
    _require(place is None or place in PLACES_OF_SERVICE)
    if kind == "professional":
        of_revenue = None if revenue is None else "facility"
        return Side(kind, "kind", of_revenue if place is None else PLACES_OF_SERVICE[place])
    if kind is not None:
        return Side(kind, "kind", _first_setting(kind))
    if revenue is not None:
        kind = "professional" if revenue.rjust(4, "0")[:3] in PROFESSIONAL_REVENUE else "hospital"
        return Side(kind, "revenue_code", "facility" if kind == "professional" else _first_setting(kind))
    return None if place is None else Side("professional", "place_of_service", PLACES_OF_SERVICE[place])


def _first_setting(kind: str) -> str | None:
    settings: list[str] = KINDS[kind]["settings"]
    return None if kind in ("professional", "equipment") else settings[0]


def _require(is_so: bool) -> None:
    if not is_so:
        raise Failure("question_malformed")


def _has_check_digit(npi: str) -> bool:
    digits = [int(digit) for digit in reversed(f"80840{npi}")]
    doubled = [digit * 2 - 9 * (digit > 4) for digit in digits[1::2]]
    return (sum(digits[::2]) + sum(doubled)) % 10 == 0


def _place(region: str) -> dict[str, str | None]:
    written = capitals(region)
    match = _REGION.fullmatch(written)
    _require(match is not None)
    assert match is not None
    state = match["state"] or match["of"]
    _require(state is None or state in STATES)
    whole = "national" if match["national"] else written if match["of"] else None
    return {"region": whole, "state": state, "area": match["area"], "zip": match["zip"], "digits": match["digits"]}
