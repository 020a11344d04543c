"""A bill as it is checked: its lines, whose they are, and what is listed for them (docs/spec/check.md, 1 to 7)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from .choose import Decision, choose
from .envelope import Evidence, Release
from .forms import Form, closed, is_day, list_of, one_of, text
from .money import scaled
from .question import Question, Side, capitals, read_question, read_side
from .row import Row, is_amount, is_code, is_npi
from .tables import HOSPITAL_BASES, KINDS, PAYER_BASES, both_sides
from .verdict import Failure

NO_SIDE = Side("professional", "none_stated", None)
_is_modifier, _is_text = text(r"[A-Za-z0-9]{2}"), text(r".{0,100}")
_LINE: dict[str, Form] = {
    "code": lambda value: isinstance(value, str) and is_code(capitals(value.strip(" "))),
    "modifiers": list_of(_is_modifier, most=4),
    "revenue_code": text(r"[0-9]{3,4}"),
    "place_of_service": text(r"[0-9]{2}"),
    "day": is_day,
    "units": text(r"[1-9][0-9]{0,5}"),
    "billed": is_amount,
    "allowed": is_amount,
    "patient": is_amount,
}
_TOTALS: dict[str, Form] = dict.fromkeys(("billed", "allowed", "patient", "estimate"), is_amount)
_is_bill = closed(
    {"lines": list_of(closed({}, _LINE), 1, 200)},
    {
        "kind": one_of(*KINDS),
        "region": _is_text,
        "npi": is_npi,
        "payer": text(r"[a-z0-9-]{1,40}(/[a-z_]{1,20})?"),
        "type_of_bill": text(r"[0-9A-Za-z]{3,4}"),
        "day": is_day,
        "totals": closed({}, _TOTALS),
    },
)


def amount_of(members: dict[str, Any], name: str) -> int | None:
    """Returns an amount in ten-thousandths of a dollar, None where it is not stated."""
    return scaled(members[name], 4) if name in members else None


def rounded(amount: int) -> int:
    return (amount + 50) // 100 * 100


def by_factor(amount: int, thousandths: int) -> int:
    """Returns an amount times a factor, rounded half up to the cent."""
    return (amount * thousandths + 50_000) // 100_000 * 100


@dataclass
class Line:
    """A line of the bill, with what the lookup says of it."""

    number: int
    code: str | None
    modifiers: tuple[str, ...]
    day: str
    units: int
    side: Side
    setting: str | None
    stated: dict[str, Any]
    decision: Decision | None = None
    question: Question | None = None
    unit: int | None = None
    procedures: int = 1
    listed: int | None = None
    status_row: Row | None = None
    denied: bool = False

    @property
    def row(self) -> Row | None:
        return self.decision.row if self.decision else None

    @property
    def status(self) -> str | None:
        return self.status_row["indicators"].get("status_indicator") if self.status_row else None

    @property
    def charge(self) -> int | None:
        amounts = (amount_of(self.stated, name) for name in ("billed", "allowed", "patient"))
        return next((amount for amount in amounts if amount is not None), None)

    @property
    def is_inpatient(self) -> bool:
        return self.setting == "inpatient"

    def indicator(self, name: str) -> str | None:
        return self.row["indicators"].get(name) if self.row else None

    def has(self, modifiers: Sequence[str]) -> bool:
        return any(modifier in modifiers for modifier in self.modifiers)


@dataclass
class Bill:
    stated: dict[str, Any]
    lines: list[Line]
    side: Side
    claim: str
    places: dict[int, tuple[int, int]] = field(default_factory=dict)
    """Where each known row stands in the proof: its release and its index there, by the identity of the row."""

    def claims(self) -> list[list[Line]]:
        """The paid lines of one side are a claim, or those of one day."""
        is_daily, paid = self.claim == "one day's lines", [line for line in self.lines if not line.denied]
        return grouped(paid, lambda line: (line.side.kind, line.day if is_daily else None))


def grouped(lines: Sequence[Line], key: Any) -> list[list[Line]]:
    groups: dict[Any, list[Line]] = {}
    for line in lines:
        groups.setdefault(key(line), []).append(line)
    return list(groups.values())


def read_bill(asked: Any) -> Bill:
    """Takes a bill as it was sent. Fails with `question_malformed`."""
    if not _is_bill(asked):
        raise Failure("question_malformed")
    sides = [_side(asked, line) for line in asked["lines"]]
    side = next((each for each in sides if each), NO_SIDE)
    is_stay = asked.get("type_of_bill", "").startswith(("11", "011"))
    lines = []
    for number, (stated, own) in enumerate(zip(asked["lines"], sides), 1):
        day = stated.get("day") or asked.get("day")
        if day is None or not {"code", "revenue_code", "billed"} & stated.keys():
            raise Failure("question_malformed")
        whose = own or side
        setting = "inpatient" if is_stay and whose.kind == "hospital" else whose.setting
        code = capitals(stated["code"].strip(" ")) if "code" in stated else None
        modifiers = tuple(sorted({capitals(each) for each in stated.get("modifiers", [])}))
        lines.append(Line(number, code, modifiers, day, int(stated.get("units", "1")), whose, setting, stated))
    return Bill(asked, lines, side, _claim(asked, lines))


def _side(asked: dict[str, Any], line: dict[str, Any]) -> Side | None:
    return read_side(asked.get("kind"), line.get("revenue_code"), line.get("place_of_service"))


def _claim(asked: dict[str, Any], lines: list[Line]) -> str:
    if len({line.day for line in lines}) > 1:
        if "type_of_bill" in asked:
            return "type of bill"
        if "billed" in asked.get("totals", {}):
            return "total"
    return "one day's lines"


# What is listed


def look_up(bill: Bill, evidence: Evidence) -> None:
    """Runs the lookup for every line with a code, but those of inpatients."""
    for place, release in enumerate(evidence.releases):
        for index, row in zip(release.rows.indexes, release.rows.leaves):
            bill.places[id(row)] = (place, index)
    for line in bill.lines:
        if line.code is None or line.is_inpatient:
            continue
        question = _question(bill, line)
        if not question.charts:
            continue
        line.question, line.decision = question, choose(question, evidence)
        line.status_row = _status(line, evidence) if line.side.kind == "hospital" else None
        line.unit = _unit(line)
        is_twice = "50" in line.modifiers and (line.side.kind == "surgery_center" or line.status == "T")
        line.procedures = line.units * (2 if is_twice else 1)
        line.listed = None if line.unit is None else rounded(line.unit * line.procedures)


def _question(bill: Bill, line: Line) -> Question:
    kind, left_out = line.side.kind, {"51"}
    parts = {"cpt": line.code, "as_of": line.day, "region": bill.stated.get("region", "")}
    if kind == "equipment":
        parts["basis"] = "medicare_dmepos"
    elif kind == "professional":
        parts["setting"] = line.setting or ""
    else:
        left_out, parts["setting"] = {"50", "51"}, {"hospital": "outpatient", "surgery_center": "asc"}[kind]
    parts["modifier"] = "-".join(each for each in line.modifiers if each not in left_out)
    return read_question(parts)


def _status(line: Line, evidence: Evidence) -> Row | None:
    release = evidence.held("cms-opps", line.day)
    rows = release.rows.under(f"{line.code}|national|") if release else []
    return next((row for row in rows if row["modifier"] is None and row["effective_from"] <= line.day), None)


def _unit(line: Line) -> int | None:
    decision, row = line.decision, line.row
    if decision is None or row is None or row["kind"] == "rate" or "amount" not in row.get("price", {}):
        return None
    if decision.outcome == "modifier_not_allowed":
        return scaled(row["price"]["amount"], 4) if "50" in both_sides(list(line.modifiers)) else None
    if decision.outcome != "price":
        return None
    return scaled((decision.adjustment or row["price"])["amount"], 4)


@dataclass(frozen=True)
class Figure:
    """What a hospital states for a line: the low and the high end, times units."""

    row: Row
    low: int
    high: int


def of_hospital(bill: Bill, line: Line, basis: str, evidence: Evidence) -> Figure | str | None:
    """Returns a figure of the hospital's own file; `other_unit` where its unit is the hospital's own; None of none."""
    npi = bill.stated["npi"]
    if line.code is None:
        return None
    parts = {"cpt": line.code, "as_of": line.day, "npi": npi, "basis": basis, "modifier": "-".join(line.modifiers)}
    decision = choose(read_question(parts), evidence)
    if decision.outcome != "price" or decision.row is None:
        return None
    price = decision.row["price"]
    if price["per"] is not None or "mixed_units" in decision.row["flags"]:
        return "other_unit"
    low, high = (scaled(price.get(end) or price["amount"], 4) * line.units for end in ("low", "high"))
    return Figure(decision.row, low, high)


OWN_BASES = [basis for basis in HOSPITAL_BASES if basis not in PAYER_BASES]


def hospital_edition(bill: Bill, line: Line, evidence: Evidence) -> Release | None:
    """The edition of the hospital's file on the day of a line."""
    named = evidence.providers.under(f"{bill.stated['npi']}|")
    return evidence.held(named[0]["chart"], line.day) if named else None

