"""The tables of docs/spec/tables, which this package carries: charts, bases, modifiers, states and reasons as data."""

from __future__ import annotations

import re
from hashlib import sha256
from importlib.resources import files
from typing import Any

from .canonical_json import canonical, read_json

_NAMES = ("bill-rules", "charts", "edits", "localities", "modifiers", "place-of-service", "reasons")
_UNREAD = ("is", "says", "source", "sources", "spelled")


def _without_words(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _without_words(member) for name, member in value.items() if name not in _UNREAD}
    return list(map(_without_words, value)) if isinstance(value, list) else value


_FOLDER = files("agent_trust_registry") / "tables"
_READ = {name: read_json((_FOLDER / f"{name}.json").read_text("utf-8")) for name in _NAMES}
DIGEST = sha256(canonical(_without_words(_READ)).encode()).hexdigest()
"""What a state of the registry must name as its tables."""

CHARTS: dict[str, dict[str, Any]] = _READ["charts"]["charts"]
BASES: dict[str, dict[str, Any]] = _READ["charts"]["bases"]
CODES: dict[str, str] = {system: entry["form"] for system, entry in _READ["charts"]["codes"].items()}
"""The form of each kind of code."""
SETTINGS: dict[str, list[str]] = _READ["charts"]["settings"]
"""The charts that may answer, by the setting asked for; the keys are all settings there are."""
WITHOUT_SETTING: list[str] = _READ["charts"]["without_setting"]
NEUTRAL = frozenset(each["modifier"] for each in _READ["modifiers"]["neutral"])
FACTORS: dict[str, dict[str, Any]] = {each["modifier"]: each for each in _READ["modifiers"]["factor"]}
COLUMNS: dict[str, dict[str, Any]] = {each["modifier"]: each for each in _READ["modifiers"]["column"]}
ADJUSTING = FACTORS.keys() | COLUMNS.keys()
OF_THE_BILL = frozenset(each["modifier"] for each in _READ["modifiers"]["whole_bill"])
MAY_BE_NEUTRAL = NEUTRAL | {
    modifier
    for modifier, entry in FACTORS.items()
    if entry.get("otherwise") == "neutral" or any("part" in case for case in entry["cases"])
}
STATES: dict[str, dict[str, Any]] = {each["state"]: each for each in _READ["localities"]["states"]}
PLACES_OF_SERVICE: dict[str, str] = {each["place"]: each["setting"] for each in _READ["place-of-service"]["places"]}
"""The rate at which a professional is paid at each place of service."""
PROFESSIONAL_REVENUE = frozenset(_READ["place-of-service"]["revenue_codes"]["professional"])
KINDS: dict[str, dict[str, Any]] = _READ["place-of-service"]["kinds"]
"""The kinds of bills, with their settings and with the classes of a hospital's charges."""
BILL_RULES: dict[str, Any] = _READ["bill-rules"]
ABSENCES = frozenset(_READ["reasons"]["absences"])
WITHDRAWALS = frozenset(_READ["reasons"]["withdrawals"])
LIMIT_REASONS, PAIR_REASONS, ADD_ON_NOTES = (
    frozenset(int(number) for number in _READ["edits"][name])
    for name in ("limit_rationales", "pair_rationales", "add_on_notes")
)
"""The numbers that rows of edits may state."""

PLACES, HOSPITALS = "zip-locality", "hospital-mrf"
HOSPITAL_BASES: list[str] = CHARTS[HOSPITALS]["bases"]
PAYER_BASES = frozenset(name for name, basis in BASES.items() if basis.get("per_payer"))
OF_PAYERS = "hospital_payer"
SCHEDULES = [name for name, chart in CHARTS.items() if chart["bases"] and name != HOSPITALS]


def chart(name: str) -> dict[str, Any] | None:
    """Returns what the table says of a chart, None if there is no such chart. Each hospital has a chart of its own."""
    return CHARTS[HOSPITALS] if name.startswith(f"{HOSPITALS}:") else CHARTS.get(name) if name != HOSPITALS else None


def can_hold(name: str, code: str) -> bool:
    """True if a chart can have rows for a code: of what it cannot have, it says nothing."""
    kinds: list[str] = CHARTS[name].get("codes", ["procedure"])
    return any(re.fullmatch(CODES[kind], code, re.ASCII) for kind in kinds)


def stands_in_for(name: str, code: str) -> bool:
    """False of a chart whose one row stands for other codes than this."""
    stand_in: dict[str, str] = CHARTS[name].get("stand_in", {})
    return not stand_in or re.fullmatch(stand_in["for"].strip("^$"), code, re.ASCII) is not None


def code_in(name: str, code: str) -> str:
    """Returns the code under which a chart has a code: one row of anesthesia stands for many."""
    stand_in: dict[str, str] = CHARTS.get(name, {}).get("stand_in", {})
    return stand_in["as"] if stand_in and re.fullmatch(stand_in["for"].strip("^$"), code, re.ASCII) else code


def of_any_line(code: str) -> list[str]:
    """Returns the modifiers that say of a hospital's line only what any line of the code is."""
    entries = _READ["modifiers"]["any_line"]
    return [each["modifier"] for each in entries if re.fullmatch(each["for"].strip("^$"), code, re.ASCII)]


def both_sides(modifiers: list[str]) -> list[str]:
    """Returns modifiers, sorted, with the one for both sides in place of those for each."""
    sides = _READ["modifiers"]["both_sides"]
    if not set(sides["modifiers"]) <= set(modifiers):
        return sorted(modifiers)
    return sorted({*modifiers, sides["count_as"]} - set(sides["modifiers"]))
