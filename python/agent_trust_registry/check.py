"""The check of a bill: what it comes to, and whether a body says so (docs/spec/check.md)."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import chain
from typing import Any

from .bill import (
    OWN_BASES, Bill, Figure, Line, amount_of, grouped, hospital_edition, look_up, of_hospital, read_bill,
)  # fmt: skip
from .bill_reductions import reduce_lines
from .bill_rules import Checker, Finding
from .canonical_json import canonical
from .checkpoint import Ages
from .choose import Decision
from .derivation import check_derivation
from .envelope import Evidence, check_proof
from .forms import Form, closed, list_of
from .money import scaled
from .policy import Policy
from .release import prolonged
from .row import Row, is_price_row
from .tables import BILL_RULES, HOSPITALS
from .verdict import Failure, Verdict

_NAMES = ("side", "claim", "by_history", "prolonged", "lines", "findings", "skipped", "sums")
_ALL_SUMS = ("listed", "at_most", "by_rules")


def _anything(_: Any) -> bool:
    return True


_is_list = list_of(_anything, most=10_000)
_is_check: Form = closed(
    {"lines": _is_list, "findings": _is_list, "skipped": _is_list, "sums": lambda value: isinstance(value, dict)},
    dict.fromkeys(("side", "claim", "by_history", "prolonged", "proof", "about"), _anything),
)


def verify_bill(body: dict[str, Any], policy: Policy, asked: Any, ages: Ages) -> Verdict:
    if not _is_check(body):
        raise Failure("not_recognised")
    evidence = check_proof(body, [], policy, ages)
    for release in evidence.releases:
        for row in release.rows.leaves:
            if is_price_row(row):
                check_derivation(row)
    if asked is None:
        raise Failure("nothing_proved")
    told = check(read_bill(asked), evidence)
    for name in _NAMES:
        if canonical(body.get(name)) != canonical(told.get(name)):
            raise Failure("sum_mismatch" if name == "sums" else "answers_another_question")
    return evidence.verdict([])


def check(bill: Bill, evidence: Evidence) -> dict[str, Any]:
    """Returns the body that the rules come to, without its proof."""
    look_up(bill, evidence)
    checker = Checker(bill, evidence)
    checker.deny_lines()
    reductions = reduce_lines(checker, checker.paid())
    checker.findings += reductions
    figures = _figures(bill, evidence)
    _arithmetic(checker)
    _own_list(checker, figures)
    _whole_bill(checker)
    order = list(BILL_RULES["rules"])
    found = sorted(checker.findings, key=lambda each: (order.index(each.rule), min(each.lines, default=0)))
    told: dict[str, Any] = {
        "side": bill.side.told,
        "claim": bill.claim,
        "lines": [_line(line, checker.findings, figures, bill) for line in bill.lines],
        "findings": [_finding(each, bill) for each in found],
        "skipped": _skipped(checker),
        "sums": _sums(checker, figures),
    }
    told |= {"by_history": checker.by_history} if checker.by_history else {}
    marked = [(each, prolonged(each.manifest)) for each in evidence.releases]
    extended = [{"chart": each.manifest["chart"], **mark["prolonged"]} for each, mark in marked if mark]
    return told | ({"prolonged": extended} if extended else {})


Figures = dict[tuple[int, str], Figure | str | None]


def _figures(bill: Bill, evidence: Evidence) -> Figures:
    """7: what the hospital's own file says of each line."""
    if "npi" not in bill.stated:
        return {}
    lines = [line for line in bill.lines if line.code and hospital_edition(bill, line, evidence)]
    return {(line.number, basis): of_hospital(bill, line, basis, evidence) for line in lines for basis in OWN_BASES}


# 22 to 24


def _arithmetic(checker: Checker) -> None:
    bill = checker.bill
    totals = bill.stated.get("totals", {})
    for member in ("billed", "allowed"):
        amounts = [amount_of(line.stated, member) for line in bill.lines]
        total = amount_of(totals, member)
        if total is not None and None not in amounts and total != sum(each or 0 for each in amounts):
            added = sum(each or 0 for each in amounts)
            words = {"member": member, "stated": dollars(total), "sum": dollars(added)}
            finding = Finding("arithmetic", "total", [], words=words)
            finding.of_bill = total - added if total > added else None
            checker.findings.append(finding)
    for line in bill.lines:
        billed, allowed, patient = (amount_of(line.stated, name) for name in ("billed", "allowed", "patient"))
        for member, amount in (("allowed", allowed), ("patient", patient)):
            if amount is not None and billed is not None and amount > billed:
                words = {"line": str(line.number), "member": member, "stated": dollars(amount), "billed": dollars(billed)}
                _of_line(checker, "above_billed", line, amount - billed, words)
        if patient is not None and allowed is not None and patient > allowed:
            words = {"line": str(line.number), "patient": dollars(patient), "allowed": dollars(allowed)}
            _of_line(checker, "patient_above_allowed", line, patient - allowed, words)
    priced = [line for line in bill.lines if line.code and "billed" in line.stated]
    for same in grouped(priced, lambda line: (line.side.kind, line.code, line.modifiers, line.day)):
        _unit_price(checker, same)


def _of_line(checker: Checker, variant: str, line: Line, amount: int, words: dict[str, str]) -> None:
    finding = Finding("arithmetic", variant, [line.number], words=words)
    finding.at_issue[line.number] = amount
    checker.findings.append(finding)


def _unit_price(checker: Checker, lines: list[Line]) -> None:
    billed = {line.number: amount_of(line.stated, "billed") or 0 for line in lines}
    least = lines[0]
    for line in lines[1:]:
        if billed[line.number] * least.units < billed[least.number] * line.units:
            least = line
    above = [line for line in lines if billed[line.number] * least.units > billed[least.number] * line.units]
    if not above:
        return
    words = {"code": str(least.code), "low": dollars(_divided(billed[least.number], least.units))}
    words["high"] = dollars(_divided(billed[above[0].number], above[0].units))
    finding = Finding("arithmetic", "unit_price", sorted({least.number, *(line.number for line in above)}), words=words)
    for line in above:
        at_least = _divided(billed[least.number] * line.units, least.units)
        finding.at_issue[line.number] = billed[line.number] - at_least
    checker.findings.append(finding)


def _divided(amount: int, units: int) -> int:
    """An amount by a number of units, rounded half up to the cent."""
    return (amount * 2 + units * 100) // (units * 200) * 100


def _own_list(checker: Checker, figures: Figures) -> None:
    bill, rule = checker.bill, "above_own_list"
    if "npi" not in bill.stated:
        return
    pays_alone = "payer" not in bill.stated and not any("allowed" in line.stated for line in bill.lines)
    for line in bill.lines:
        billed = amount_of(line.stated, "billed")
        if line.code is None or billed is None:
            continue
        named = checker.evidence.providers.under(f"{bill.stated['npi']}|")
        chart = named[0]["chart"] if named else HOSPITALS
        if (line.number, OWN_BASES[0]) not in figures:
            checker.skip(rule, chart, line.day, [line])
            continue
        gross, cash = (figures[line.number, basis] for basis in ("hospital_gross", "hospital_cash"))
        if gross is None and cash is None:
            checker.skip(rule, chart, line.day, [line], "no_price")
            continue
        if isinstance(gross, Figure) and billed > gross.high:
            _above(checker, rule, "gross", line, billed, gross)
        elif pays_alone and isinstance(cash, Figure) and billed > cash.high:
            _above(checker, rule, "cash", line, billed, cash)
        elif "other_unit" in (gross, cash):
            checker.skip(rule, chart, line.day, [line], "other_unit")


def _above(checker: Checker, rule: str, variant: str, line: Line, amount: int, figure: Figure) -> None:
    words = {"line": str(line.number), "billed": dollars(amount), "units": str(line.units), "code": str(line.code)}
    finding = Finding(rule, variant, [line.number], words={**words, "listed": dollars(figure.high)}, evidence=[figure.row])
    finding.at_issue[line.number] = amount - figure.high
    checker.findings.append(finding)


def _whole_bill(checker: Checker) -> None:
    bill = checker.bill
    totals = bill.stated.get("totals", {})
    asked, shares = amount_of(totals, "patient"), [amount_of(line.stated, "patient") for line in bill.lines]
    if asked is not None and None not in shares and asked > sum(share or 0 for share in shares):
        owed = sum(share or 0 for share in shares)
        finding = Finding("bill_above_statement", "asked", [], words={"stated": dollars(asked), "sum": dollars(owed)})
        finding.of_bill = asked - owed
        checker.findings.append(finding)
    estimate, billed = amount_of(totals, "estimate"), amount_of(totals, "billed")
    if billed is None:
        stated = [amount_of(line.stated, "billed") for line in bill.lines]
        billed = None if None in stated else sum(each or 0 for each in stated)
    if estimate is not None and billed is not None and billed - estimate >= scaled(BILL_RULES["estimate"]["exceeded_by"], 4):
        words = {"excess": dollars(billed - estimate), "estimate": dollars(estimate)}
        finding = Finding("estimate_exceeded", "exceeded", [], words=words)
        finding.of_bill = billed - estimate
        checker.findings.append(finding)


# 25 to 30


def dollars(amount: int) -> str:
    """Writes ten-thousandths of a dollar with two to four decimals."""
    whole, decimals = divmod(amount, 10_000)
    return f"{whole}.{f'{decimals:04d}'.rstrip('0').ljust(2, '0')}"


def _place(row: Row | None, bill: Bill) -> dict[str, int]:
    release, index = bill.places[id(row)]
    return {"release": release, "index": index}


def _steps(line: Line, findings: Iterable[Finding]) -> tuple[int | None, list[dict[str, Any]]]:
    """25: what is paid of a line, and the findings by which it is less."""
    steps: list[dict[str, Any]] = []
    amount = line.listed
    known = list(findings)
    for each in known:
        if line.number in each.denies:
            beside = each.denies[line.number]
            step: dict[str, Any] = {"rule": each.rule, "variant": each.variant}
            steps.append(step | ({"with": beside} if beside else {}) | {"amount": "0.00"})
            amount = 0
    for each in known:
        if line.number in each.paid:
            amount = each.paid[line.number]
            steps.append({"rule": each.rule, "variant": each.variant, "amount": dollars(amount)})
    return amount, steps


def _line(line: Line, findings: list[Finding], figures: Figures, bill: Bill) -> dict[str, Any]:
    told: dict[str, Any] = {"line": line.number}
    told |= {"code": line.code} if line.code else {}
    told["units"] = str(line.units)
    told |= {"billed": line.stated["billed"]} if "billed" in line.stated else {}
    told |= {"side": line.side.kind} if line.side.kind != bill.side.kind else {}
    decision = line.decision
    if decision and line.listed is not None and line.row:
        told["medicare"] = {"basis": line.row["basis"], "amount": dollars(line.listed), "row": _place(line.row, bill)}
    elif decision:
        told["medicare"] = _no_price(decision, line.row, bill)
    for basis in OWN_BASES:
        figure = figures.get((line.number, basis))
        if isinstance(figure, Figure):
            ends = {"amount": dollars(figure.high)}
            if figure.low != figure.high:
                ends = {"low": dollars(figure.low), "high": dollars(figure.high)}
            told[basis] = {**ends, "row": _place(figure.row, bill)}
    amount, steps = _steps(line, findings)
    if amount is not None:
        told["by_rules"] = {"amount": dollars(amount), **({"steps": steps} if steps else {})}
    return told


def _no_price(decision: Decision, row: Row | None, bill: Bill) -> dict[str, Any]:
    if decision.outcome == "absent" and row:
        return {"basis": row["basis"], "absent": row["reason"], "row": _place(row, bill)}
    return {"none": "no_edition_for_day" if decision.outcome == "no_edition" else decision.outcome}


def _finding(finding: Finding, bill: Bill) -> dict[str, Any]:
    variant = BILL_RULES["rules"][finding.rule]["variants"][finding.variant]
    told: dict[str, Any] = {"rule": finding.rule, "certainty": finding.certainty, "lines": finding.lines}
    at_issue = finding.of_bill if finding.of_bill is not None else sum(finding.at_issue.values())
    if finding.of_bill is not None or finding.at_issue:
        told["amount_at_issue"] = dollars(at_issue)
    told |= {name: _with_words(variant[source], finding.words) for name, source in (("says", "text"), ("ask", "ask"))}
    places = {canonical(place): place for place in (_place(row, bill) for row in finding.evidence)}
    return told | ({"evidence": list(places.values())} if places else {})


def _with_words(sentence: str, words: dict[str, str]) -> str:
    for word, value in words.items():
        sentence = sentence.replace(f"{{{word}}}", value)
    return sentence


def _skipped(checker: Checker) -> list[dict[str, Any]]:
    groups: dict[tuple[str, str, str, str | None], list[int]] = {}
    for each in checker.skipped:
        groups.setdefault((each.rule, each.chart, each.day, each.why), []).extend(each.lines)
    return [
        {"rule": rule, "chart": chart, "day": day, **({"why": why} if why else {}), "lines": sorted(set(lines))}
        for (rule, chart, day, why), lines in groups.items()
    ]


def _sums(checker: Checker, figures: Figures) -> dict[str, Any]:
    bill, sums = checker.bill, dict[str, Any]()
    sums["billed"] = dollars(sum(amount_of(line.stated, "billed") or 0 for line in bill.lines))
    sides = _medicare(checker)
    if bill.side.kind in sides:
        sums["medicare"] = sides.pop(bill.side.kind)
    if sides:
        sums["other_sides"] = sides
    for basis in OWN_BASES:
        highs = [each.high for (_, name), each in figures.items() if name == basis and isinstance(each, Figure)]
        if highs:
            sums[basis] = dollars(sum(highs))
    most: dict[int, int] = {}
    for number, amount in chain.from_iterable(each.at_issue.items() for each in checker.findings):
        most[number] = max(most.get(number, 0), amount)
    whole = max((each.of_bill or 0 for each in checker.findings), default=0)
    return {**sums, "at_issue": dollars(max(sum(most.values()), whole))}


def _medicare(checker: Checker) -> dict[str, dict[str, str]]:
    """26: what is listed, and what is paid by all findings, and by those that are sure."""
    sure = [each for each in checker.findings if each.certainty == "rule" and each.denies]
    denied = {number for each in sure for number in each.denies}
    quiet = Checker(checker.bill, checker.evidence)
    again = reduce_lines(quiet, [line for line in checker.bill.lines if line.number not in denied])
    sure += [each for each in again if each.certainty == "rule"]
    sides: dict[str, dict[str, int]] = {}
    for line in checker.bill.lines:
        by_rules, _ = _steps(line, checker.findings)
        at_most, _ = _steps(line, sure)
        if by_rules is None:
            continue
        side = sides.setdefault(line.side.kind, dict.fromkeys(_ALL_SUMS, 0))
        for name, amount in zip(_ALL_SUMS, (line.listed, at_most, by_rules)):
            side[name] += amount or 0
    return {kind: {name: dollars(amount) for name, amount in side.items()} for kind, side in sides.items()}

