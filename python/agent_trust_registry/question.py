"""Questions: eight texts in, their meaning out (docs/spec/lookup.md#the-question)."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from .forms import is_day
from .row import is_code, is_npi
from .tables import BASES, CHARTS, PAYER_BASES, SETTINGS, STATES, WITHOUT_SETTING, can_hold
from .verdict import Failure

PARTS = ("cpt", "as_of", "region", "npi", "modifier", "setting", "basis", "payer")
_PAYER = re.compile(r"[a-z0-9-]{1,40}(/[a-z_]{1,20})?", re.ASCII)
_CAPITALS = {small: small - 32 for small in range(ord("a"), ord("z") + 1)}
_REGION = re.compile(
    r"(?P<national>NATIONAL)|(?:US-)?(?P<state>[A-Z]{2})|US-(?P<of>[A-Z]{2})-[0-9]{2}"
    r"|(?:ZIP-)?(?P<zip>[0-9]{5})(?:-(?P<digits>[0-9]{4}))?|(?P<area>CBA-[0-9A-F]{8})",
    re.ASCII,
)
_MODIFIERS = re.compile(r"[A-Z0-9]{2}(-[A-Z0-9]{2}){0,3}", re.ASCII)


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
    payer: str | None
    """A payer whose own rate at the hospital is asked for, with the kind of plan or without."""

    @property
    def charts(self) -> list[str]:
        """R2: the schedules that may answer, in order, whatever is loaded."""
        return [name for name in _charts_of(self.basis, self.setting) if can_hold(name, self.code)]


def _charts_of(basis: str | None, setting: str | None) -> list[str]:
    if basis is not None:
        return [name for name, chart in CHARTS.items() if basis in chart["bases"]]
    return WITHOUT_SETTING if setting is None else SETTINGS[setting]


def capitals(text: str) -> str:
    """Makes a to z capitals, and no other letters."""
    return text.translate(_CAPITALS)


def read_code(text: str) -> str:
    code = capitals(text.strip(" "))
    _require(is_code(code))
    return code


def read_question(asked: Any) -> Question:
    """Returns the meaning of a question, or fails with `question_malformed`."""
    _require(isinstance(asked, dict) and asked.keys() <= set(PARTS))
    _require(all(isinstance(part, str) for part in asked.values()))
    cpt, as_of = asked.get("cpt", ""), asked.get("as_of", "")
    region, npi, modifier, setting, basis, payer = (asked.get(part) or None for part in PARTS[2:])
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
                        modifiers=modifiers, setting=setting, basis=basis, payer=payer)  # fmt: skip
    _require(npi is not None or bool(_charts_of(basis, setting)))
    return question


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
