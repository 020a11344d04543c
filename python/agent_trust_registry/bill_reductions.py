"""What Medicare pays less for on a bill (docs/spec/check.md, 16 to 21)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from .bill import Line, by_factor, grouped
from .bill_rules import ASSISTANTS, Checker, Finding, both_sides
from .choose import choose
from .money import scaled
from .tables import BILL_RULES

_RANKED = BILL_RULES["ranked"]
_SESSION: tuple[str, ...] = tuple(BILL_RULES["session_modifiers"]["modifiers"])


@dataclass
class Procedure:
    """What is ranked: amounts by line, and how often it is counted."""

    parts: dict[int, int]
    times: int

    @property
    def worth(self) -> int:
        return sum(self.parts.values())

    @property
    def first(self) -> int:
        return min(self.parts)


def reduce_lines(checker: Checker, lines: Iterable[Line]) -> list[Finding]:
    """Returns the findings of reductions among paid lines, and notes what is skipped."""
    found: list[Finding] = []
    priced = [line for line in lines if line.unit is not None]
    for group in grouped(priced, lambda line: (line.side.kind, line.day, line.has(ASSISTANTS))):
        kind = group[0].side.kind
        if kind == "hospital":
            found += _outpatient(checker, group)
        elif kind == "surgery_center":
            several = [line for line in group if line.indicator("multiple_procedure") == "Y"]
            found += _whole_ones(checker, "surgery_center", "cms-asc", several, [])
        elif kind == "professional":
            found += _surgery(checker, group)
            found += _parts(checker, group)
            found += _therapy(checker, group)
    return found


def _reduced(variant: str, paid: dict[int, int], lines: Sequence[Line], **more: str) -> list[Finding]:
    """A finding on the lines that are paid less than listed, if there are any (21)."""
    less = {line.number: line for line in lines if line.number in paid and paid[line.number] < (line.listed or 0)}
    if not less:
        return []
    at_issue = {}
    for number, line in less.items():
        difference = (line.listed or 0) - paid[number]
        at_issue[number] = difference if line.charge is None else min(difference, line.charge)
    words = {"lines": ", ".join(str(number) for number in sorted(less)), **more}
    rows = [line.row for line in less.values() if line.row]
    finding = Finding("reduced", variant, sorted(less), words=words, evidence=rows)
    finding.paid, finding.at_issue = {number: paid[number] for number in less}, at_issue
    return [finding]


def _rank(procedures: Sequence[Procedure], second: str) -> dict[int, int]:
    """Returns what is paid by line: the dearest procedure once in full, all others by the factor."""
    thousandths = scaled(second, 3)
    sums: dict[int, int] = {}
    for place, procedure in enumerate(sorted(procedures, key=lambda each: (-each.worth, each.first))):
        in_full = 1 if place == 0 else 0
        for number, amount in procedure.parts.items():
            counted = in_full * 1000 + (procedure.times - in_full) * thousandths
            sums[number] = sums.get(number, 0) + amount * counted
    return {number: (total + 50_000) // 100_000 * 100 for number, total in sums.items()}


def _outpatient(checker: Checker, group: list[Line]) -> list[Finding]:
    if group[0].is_inpatient:
        return []
    surgical = [line for line in group if line.status == "T"]
    beside = [line for line in group if "50" in line.modifiers and line.status != "T"]
    return _whole_ones(checker, "outpatient", "cms-opps", surgical, beside)


def _whole_ones(checker: Checker, variant: str, chart: str, lines: list[Line], beside: list[Line]) -> list[Finding]:
    """17: ranks what was not given up; how that takes part is not known, and is skipped."""
    partial = [line for line in lines if line.has(("52", "73"))] if len(lines) > 1 else []
    if partial or beside:
        checker.skip("reduced", chart, (partial or beside)[0].day, [*partial, *beside], "modifier")
    ranked = [line for line in lines if not line.has(("52", "73"))]
    procedures = [Procedure({line.number: line.unit or 0}, line.procedures) for line in ranked]
    paid = _rank(procedures, _RANKED[variant]["second"]) if procedures else {}
    return _reduced(variant, paid, ranked)


def _surgery(checker: Checker, group: list[Line]) -> list[Finding]:
    """18: families of endoscopies, both sides, and the rest."""
    lines = [line for line in group if line.indicator("multiple_procedure") in ("2", "3")]
    procedures: list[Procedure] = []
    families: list[tuple[str, list[Line]]] = []
    taken: set[int] = set()
    scopes = [line for line in lines if line.indicator("multiple_procedure") == "3"]
    scopes = [line for line in scopes if line.indicator("endoscopic_base")]
    for family in grouped(scopes, lambda line: line.indicator("endoscopic_base")):
        base = str(family[0].indicator("endoscopic_base"))
        bases = [line for line in group if line.code == base]
        if sum(line.units for line in family) < 2 and not bases:
            continue
        fee = _fee_of(checker, family[0], base, ())
        if fee is None:
            checker.skip("reduced", "cms-pfs", family[0].day, family, "no_price")
            continue
        members = sorted({line.number: line for line in (*family, *bases)}.values(), key=lambda line: line.number)
        procedures.append(_family(family, bases, fee))
        families.append((base, members))
        taken |= {line.number for line in members}
    rest = [line for line in lines if line.number not in taken]
    for first, other in both_sides(rest, ("1",)):
        procedures.append(Procedure({first.number: first.unit or 0, other.number: (other.unit or 0) // 2}, 1))
        taken |= {first.number, other.number}
    single = [line for line in rest if line.number not in taken]
    procedures += [Procedure({line.number: line.unit or 0}, line.units) for line in single]
    paid = _rank(procedures, _RANKED["surgery"]["second"]) if procedures else {}
    ranked, count, late = sorted(procedures, key=lambda each: (-each.worth, each.first)), 0, set[int]()
    for procedure in ranked:
        count += procedure.times
        if count > _RANKED["surgery"]["most"]:
            late |= procedure.parts.keys()
    if late:
        beyond = [line for line in group if line.number in late]
        checker.skip("reduced", "cms-pfs", group[0].day, beyond, "by_contractor")
    found: list[Finding] = []
    for base, members in families:
        found += _reduced("endoscopy", paid, members, base=base)
    return found + _reduced("surgery", paid, rest)


def _family(family: list[Line], bases: list[Line], base_fee: int) -> Procedure:
    """The dearest line counts one unit in full; every other unit what it is above the base; the base itself nothing."""
    dearest = max(family, key=lambda line: (line.unit or 0, -line.number))
    parts = {line.number: 0 for line in bases}
    for line in family:
        above = max((line.unit or 0) - base_fee, 0)
        units_above = line.units - (1 if line is dearest else 0)
        parts[line.number] = above * units_above + ((line.unit or 0) if line is dearest else 0)
    return Procedure(parts, 1)


def _fee_of(checker: Checker, line: Line, code: str, modifiers: tuple[str, ...]) -> int | None:
    """The fee of a code, looked up as a line is."""
    if line.question is None:
        return None
    decision = choose(replace(line.question, code=code, modifiers=modifiers), checker.evidence)
    if decision.outcome != "price" or decision.row is None or "amount" not in decision.row["price"]:
        return None
    return scaled((decision.adjustment or decision.row["price"])["amount"], 4)


def _parts(checker: Checker, group: list[Line]) -> list[Finding]:
    """19: the technical and the professional part, each of the dearest once in full."""
    found: list[Finding] = []
    for indicator, rule in BILL_RULES["parts_reduced"].items():
        lines = [
            line
            for line in group
            if line.indicator("multiple_procedure") == indicator and not line.has(_SESSION)
        ]
        by_day = [each for each in rule["by_day"] if each["from"] <= group[0].day]
        if sum(line.units for line in lines) < 2 or not by_day:
            continue
        factors = by_day[-1]
        parts = {line.number: _parts_of(checker, line) for line in lines}
        unpriced = [line for line in lines if not parts[line.number]]
        if unpriced:
            checker.skip("reduced", "cms-pfs", group[0].day, unpriced, "no_price")
        known = [line for line in lines if parts[line.number]]
        less = {line.number: 0 for line in known}
        for part in ("technical", "professional"):
            having = [line for line in known if part in parts[line.number]]
            if not having:
                continue
            dearest = max(having, key=lambda line: (parts[line.number][part], -line.number))
            for line in having:
                reduced_units = line.units - (1 if line is dearest else 0)
                less[line.number] += parts[line.number][part] * reduced_units * (1000 - scaled(factors[part], 3))
        paid = {}
        for line in known:
            paid[line.number] = ((line.unit or 0) * line.units * 1000 - less[line.number] + 50_000) // 100_000 * 100
        found += _reduced(rule["variant"], paid, known)
    return found


def _parts_of(checker: Checker, line: Line) -> dict[str, int]:
    if line.decision is None or line.row is None or line.decision.adjustment or line.unit is None:
        return {}
    pc_tc = line.indicator("pc_tc")
    if "TC" in line.modifiers or pc_tc == "3":
        return {"technical": line.unit}
    if "26" in line.modifiers or pc_tc == "2":
        return {"professional": line.unit}
    if pc_tc != "1":
        return {}
    technical = _fee_of(checker, line, str(line.code), ("TC",))
    professional = _fee_of(checker, line, str(line.code), ("26",))
    if technical is None or professional is None:
        return {}
    return {"technical": technical, "professional": professional}


def _therapy(checker: Checker, group: list[Line]) -> list[Finding]:
    """20: of all units but one the practice part is paid at half."""
    rule = BILL_RULES["therapy"]
    lines = [line for line in group if line.indicator("multiple_procedure") == rule["indicator"]]
    if group[0].day < rule["from"] or sum(line.units for line in lines) < 2:
        return []
    unpriced = [line for line in lines if not _is_by_formula(line)]
    if unpriced:
        checker.skip("reduced", "cms-pfs", group[0].day, unpriced, "no_price")
    known = [line for line in lines if _is_by_formula(line)]
    if not known:
        return []
    first = max(known, key=lambda line: (_product(line, "practice"), -line.number))
    paid = {}
    for line in known:
        reduced = _reduced_unit(line, scaled(rule["practice"], 3))
        in_full = 1 if line is first else 0
        paid[line.number] = (line.unit or 0) * in_full + reduced * (line.units - in_full)
    return _reduced("therapy", paid, known)


def _is_by_formula(line: Line) -> bool:
    row = line.row
    return row is not None and row["derivation"]["method"] == "pfs-formula/1" and "opps_cap" not in row["flags"]


def _product(line: Line, part: str) -> int:
    """One part of a fee, in units of a billionth of a dollar."""
    inputs: dict[str, str] = line.row["derivation"]["inputs"] if line.row else {}
    value = scaled(inputs[f"{part}_rvu"], 2) * scaled(inputs[f"{part}_gpci"], 3)
    return value * scaled(inputs["conversion_factor"], 4)


def _reduced_unit(line: Line, thousandths: int) -> int:
    exact = (_product(line, "work") + _product(line, "malpractice")) * 1000 + _product(line, "practice") * thousandths
    cents = (exact + 5_000_000_000) // 10_000_000_000
    adjustment = line.decision.adjustment if line.decision else None
    return by_factor(cents * 100, scaled(adjustment["factor"], 3)) if adjustment else cents * 100
