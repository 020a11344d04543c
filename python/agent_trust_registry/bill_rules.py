"""The rules that deny lines of a bill (docs/spec/check.md, 8 to 15)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from .bill import Bill, Line, grouped
from .envelope import Evidence, Period, Release
from .row import Row
from .tables import BILL_RULES

ASSISTANTS = ("80", "81", "82", "AS")
_PLACES = frozenset(BILL_RULES["pair_modifiers"]["modifiers"]["of_place"])
_APART = tuple(each for name in ("of_time", "of_service") for each in BILL_RULES["pair_modifiers"]["modifiers"][name])
REPEATS: tuple[str, ...] = tuple(BILL_RULES["repeat_modifiers"]["modifiers"])


@dataclass
class Finding:
    rule: str
    variant: str
    lines: list[int]
    denies: dict[int, int | None] = field(default_factory=dict)
    """The lines that it denies, each with the line beside which it is."""
    paid: dict[int, int] = field(default_factory=dict)
    """What is paid of the lines that it reduces."""
    at_issue: dict[int, int] = field(default_factory=dict)
    of_bill: int | None = None
    """What is at issue of the bill as a whole."""
    words: dict[str, str] = field(default_factory=dict)
    evidence: list[Row] = field(default_factory=list)

    @property
    def certainty(self) -> str:
        certainty: str = BILL_RULES["rules"][self.rule]["variants"][self.variant]["certainty"]
        return certainty


@dataclass
class Skip:
    rule: str
    chart: str
    day: str
    lines: list[int]
    why: str | None = None


class Checker:
    """The findings and skips of a bill, as its rules come to them."""

    def __init__(self, bill: Bill, evidence: Evidence) -> None:
        self.bill, self.evidence = bill, evidence
        self.findings: list[Finding] = []
        self.skipped: list[Skip] = []
        self.by_history: list[dict[str, str]] = []

    def deny(self, rule: str, variant: str, lines: Sequence[Line], beside: Sequence[Line | None], **more: Any) -> None:
        """A finding that denies lines, each beside another or none."""
        others = {other.number for other in beside if other}
        finding = Finding(rule, variant, sorted({line.number for line in lines} | others), **more)
        for line, other in zip(lines, beside):
            finding.denies[line.number] = other.number if other else None
            if line.charge is not None:
                finding.at_issue[line.number] = line.charge
        self.findings.append(finding)

    def skip(self, rule: str, chart: str, day: str, lines: Sequence[Line], why: str | None = None) -> None:
        self.skipped.append(Skip(rule, chart, day, [line.number for line in lines], why))

    def mark_denied(self) -> None:
        denied = {number for finding in self.findings for number in finding.denies}
        for line in self.bill.lines:
            line.denied = line.number in denied

    def paid(self) -> list[Line]:
        return [line for line in self.bill.lines if not line.denied]

    def coded(self, lines: Sequence[Line], *kinds: str) -> list[list[Line]]:
        """The groups of lines with a code, of one side and day."""
        chosen = [line for line in lines if line.code and (not kinds or line.side.kind in kinds)]
        return grouped(chosen, lambda line: (line.side.kind, line.day))

    def edition(self, chart: str, day: str, by_history: bool = False) -> Release | None:
        """The edition of a table of edits; without one of the day, the next within two years, if that is wanted."""
        release = self.evidence.held(chart, day)
        if release or not by_history:
            return release
        after = self.evidence.timeline.after(f"{chart}|{day}")
        if after is None or after["chart"] != chart or after["from"] >= f"{int(day[:4]) + 2:04d}{day[4:]}":
            return None
        told = {"chart": chart, "day": day}
        self.by_history += [] if told in self.by_history else [told]
        return self.evidence.named(after)

    def deny_lines(self) -> None:
        for step in (self.not_valid, self.duplicates, self.limits, self.pairs, self.add_ons, self.packaged,
                     self.components, self.persons):  # fmt: skip
            step()
            self.mark_denied()

    # 8

    def not_valid(self) -> None:
        for line in self.bill.lines:
            if line.decision and line.decision.outcome == "not_on_schedule" and line.question:
                self._not_valid(line, line.question.charts)

    def _not_valid(self, line: Line, charts: Sequence[str]) -> None:
        evidence, prefix = self.evidence, f"{line.code}|"
        editions = [evidence.held(chart, line.day) for chart in charts]
        if any(release and release.rows.any(prefix) for release in editions):
            return
        is_beside = False
        for chart in charts:
            for variant, period in self._beside(chart, line.day):
                is_beside = True
                release = evidence.named(period)
                if release.rows.any(prefix):
                    rows = release.rows.under(f"{line.code}|national|")
                    words = {"code": str(line.code), "day": line.day, "last": period["to"], "first": period["from"]}
                    self.deny("not_valid_on_day", variant, [line], [None], words=words, evidence=rows[:1])
                    return
        if not is_beside:
            self.skip("not_valid_on_day", charts[0], line.day, [line])

    def _beside(self, chart: str, day: str) -> Iterator[tuple[str, Period]]:
        """The edition before a day and the one after it."""
        before = self._previous(chart, day)
        if before:
            yield "deleted", before
        after = self.evidence.timeline.after(f"{chart}|{day}")
        if after and after["chart"] == chart:
            yield "not_yet", after

    def _previous(self, chart: str, day: str) -> Period | None:
        last: Period | None = self.evidence.timeline.up_to(f"{chart}|{day}")
        if last and last["chart"] == chart and last["to"] >= day:
            last = self.evidence.timeline.before(f"{chart}|{last['from']}")
        return last if last and last["chart"] == chart else None

    # 9

    def duplicates(self) -> None:
        lines = [line for line in self.bill.lines if line.code and not line.has(REPEATS)]
        for same in grouped(lines, lambda line: (line.side.kind, line.code, line.modifiers, line.day, line.units)):
            for line in same[1:]:
                words = {"line": str(line.number), "first": str(same[0].number), "code": str(line.code)}
                self.deny("duplicate", "same", [line], [same[0]], words={**words, "day": line.day})

    # 10

    def limits(self) -> None:
        coded = [line for line in self.paid() if line.code]
        for lines in grouped(coded, lambda line: (line.side.kind, line.day, line.code)):
            charts = {"hospital": "ncci-mue-outpatient", "equipment": "ncci-mue-dme"}
            self._limit(charts.get(lines[0].side.kind, "ncci-mue-practitioner"), lines)

    def _limit(self, chart: str, lines: list[Line]) -> None:
        rule, day = "units_over_limit", lines[0].day
        if lines[0].is_inpatient:
            return self.skip(rule, chart, day, lines, "inpatient")
        release = self.edition(chart, day)
        if release is None:
            return self.skip(rule, chart, day, lines)
        row = _row(release, lines[0].code)
        if row is None or row["effective_from"] > day:
            return self.skip(rule, chart, day, lines, "no_published_limit")
        limit, by = row["units"], row["adjudication"]
        if by == 1:
            over = [[line] for line in lines if line.units > limit]
        else:
            sums = [lines]
            if lines[0].side.kind == "surgery_center":
                sums = grouped(lines, lambda line: "".join(each for each in ("LT", "RT") if each in line.modifiers)[:2])
            over = [lines] if any(sum(line.units for line in each) > limit for each in sums) else []
        for each in over:
            variant = "never" if limit == 0 else {1: "line", 2: "day_policy", 3: "day_clinical"}[by]
            units = str(sum(line.units for line in each))
            words = {"line": str(each[0].number), "units": units, "code": str(each[0].code)}
            words |= {"limit": str(limit), "day": day}
            self.deny(rule, variant, each, [None] * len(each), words=words, evidence=[row])

    # 11

    def pairs(self) -> None:
        for group in self.coded(self.paid(), "hospital", "professional", "surgery_center"):
            codes = list(dict.fromkeys(str(line.code) for line in group))
            if len(codes) < 2:
                continue
            chart = "ncci-ptp-outpatient" if group[0].side.kind == "hospital" else "ncci-ptp-practitioner"
            if group[0].is_inpatient:
                self.skip("pair_not_paid_together", chart, group[0].day, group, "inpatient")
                continue
            release = self.edition(chart, group[0].day, by_history=True)
            if release is None:
                self.skip("pair_not_paid_together", chart, group[0].day, group)
                continue
            for code in codes:
                row = _row(release, code)
                for other in codes if row else ():
                    if other != code:
                        self._pair(row, code, other, group)

    def _pair(self, row: Any, code: str, other: str, group: list[Line]) -> None:
        day = group[0].day
        entries = [
            each
            for each in row["edits"]
            if each[0] == other and each[1] in (0, 1) and each[2] <= day and (each[3] is None or each[3] >= day)
        ]
        if not entries:
            return
        is_never = entries[-1][1] == 0
        mains = [line for line in group if line.code == code]
        for line in (line for line in group if line.code == other):
            beside = next((main for main in mains if is_never or not _are_apart(main, line)), None)
            if beside:
                words = {"line": str(line.number), "code": other, "with": code, "beside": str(beside.number)}
                variant = "never" if is_never else "unless"
                self.deny("pair_not_paid_together", variant, [line], [beside], words=words, evidence=[row])

    # 12

    def add_ons(self) -> None:
        rule, chart = "add_on_alone", "ncci-add-on"
        for group in self.coded(self.bill.lines, "hospital", "professional", "surgery_center"):
            paid = [line for line in group if not line.denied]
            day, present = group[0].day, {line.code for line in paid}
            if group[0].is_inpatient:
                self.skip(rule, chart, day, group, "inpatient")
                continue
            release = self.edition(chart, day, by_history=True)
            if release is None:
                self.skip(rule, chart, day, group)
                continue
            for lines in grouped(paid, lambda line: line.code):
                row = _row(release, lines[0].code)
                if row is None:
                    continue
                entries = [
                    each
                    for each in row["primaries"]
                    if each[4] != 5 and each[2] <= day and (each[3] is None or each[3] >= day)
                ]
                if any(each[0] in present for each in entries):
                    continue
                words = {"code": str(lines[0].code), "day": day}
                if all(each[0] == "CCCCC" for each in entries):
                    if entries:
                        self.skip(rule, chart, day, lines, "by_contractor")
                elif any(each[0] == "CCCCC" or each[1] != 1 for each in entries):
                    finding = Finding(rule, "by_contractor", [line.number for line in lines], words=words, evidence=[row])
                    finding.at_issue = {line.number: line.charge for line in lines if line.charge is not None}
                    self.findings.append(finding)
                else:
                    self.deny(rule, "no_primary", lines, [None] * len(lines), words=words, evidence=[row])

    # 13

    def packaged(self) -> None:
        for claim in self.bill.claims():
            if claim[0].side.kind == "hospital":
                self._packaged(claim)
        bundled = [line for line in self.paid() if line.side.kind == "professional" and _is_bundled(line)]
        if bundled:
            self._pack("professional", bundled, None, [line.row for line in bundled if line.row])

    def _packaged(self, claim: list[Line]) -> None:
        for of_day in grouped([line for line in claim if line.code and not line.denied], lambda line: line.day):
            day = of_day[0].day
            stays = [line for line in of_day if line.is_inpatient]
            if stays:
                self.skip("packaged", "cms-opps", day, stays, "inpatient")
            elif self.evidence.held("cms-opps", day) is None:
                self.skip("packaged", "cms-opps", day, of_day)
            composite = [line for line in of_day if line.status == "Q3" and not line.denied]
            if len(composite) > 1:
                self.skip("packaged", "cms-opps", day, composite, "composite")
        left = [line for line in claim if line.status and not line.denied]
        status = BILL_RULES["comprehensive"]["status"]
        mains = [line for line in left if line.status == status]
        if mains:
            main = max(mains, key=lambda line: (line.unit or 0, -line.number))
            keeps = BILL_RULES["comprehensive"]["keeps"]
            inside = [line for line in left if line is not main and line.status not in keeps]
            if inside:
                self._pack("comprehensive", inside, main, [main.status_row, *(line.status_row for line in inside)])
            left = [line for line in left if line not in inside]
        present = {line.status for line in claim if line.status and not line.denied}
        for status, rule in BILL_RULES["packaging"].items():
            lines = [line for line in left if line.status == status]
            if lines and ("beside" not in rule or present.intersection(rule["beside"])):
                self._pack(rule["variant"], lines, None, [line.status_row for line in lines])
                left = [line for line in left if line not in lines]

    def _pack(self, variant: str, lines: list[Line], beside: Line | None, rows: Sequence[Row | None]) -> None:
        codes = ", ".join(dict.fromkeys(str(line.code) for line in lines))
        words = {"codes": codes}
        if beside:
            words |= {"with": str(beside.code), "beside": str(beside.number)}
        evidence = [row for row in rows if row]
        self.deny("packaged", variant, lines, [beside] * len(lines), words=words, evidence=evidence)
        self.findings[-1].lines = sorted(line.number for line in lines)

    # 14

    def components(self) -> None:
        lines = [line for line in self.paid() if line.side.kind == "professional" and line.indicator("pc_tc") == "1"]
        lines = [line for line in lines if line.decision and line.decision.outcome == "price"]
        for same in grouped(lines, lambda line: (line.code, line.day)):
            wholes = [line for line in same if not line.has(("26", "TC"))]
            for line in same if wholes else ():
                part = next((each for each in ("26", "TC") if each in line.modifiers), None)
                if part and not line.has(REPEATS) and not wholes[0].has(REPEATS):
                    words = {"line": str(line.number), "code": str(line.code), "modifier": part}
                    words["beside"] = str(wholes[0].number)
                    rows = [wholes[0].row] if wholes[0].row else []
                    self.deny("component_twice", "part", [line], [wholes[0]], words=words, evidence=rows)

    # 15

    def persons(self) -> None:
        lines = [line for line in self.paid() if line.side.kind == "professional"]
        for line in lines:
            if line.decision and line.decision.outcome == "modifier_not_allowed" and line.row:
                for variant, modifiers in (("co_surgeon_not_paid", ("62",)), ("assistant_not_paid", ASSISTANTS)):
                    if line.has(modifiers):
                        self.deny("reduced", variant, [line], [None], words={"code": str(line.code)}, evidence=[line.row])
                        break
        for first, other in both_sides(lines, ("0", "2")):
            rows = [first.row] if first.row else []
            self.deny("reduced", "both_sides", [other], [first], words={"code": str(first.code)}, evidence=rows)


def both_sides(lines: Sequence[Line], bilateral: tuple[str, ...]) -> Iterator[tuple[Line, Line]]:
    """The lines of one code and day that are one unit of the left and one of the right side."""
    sided = [line for line in lines if line.code and line.has(("LT", "RT"))]
    for same in grouped(sided, lambda line: (line.code, line.day)):
        left, right = ([line for line in same if side in line.modifiers] for side in ("LT", "RT"))
        if len(left) == len(right) == 1 and left[0] is not right[0] and left[0].units == right[0].units == 1:
            first, other = sorted((left[0], right[0]), key=lambda line: line.number)
            if first.indicator("bilateral") in bilateral:
                yield first, other


def _row(release: Release, code: str | None) -> Row | None:
    """The row of a table of edits whose key is a code."""
    row: Row | None = release.rows.up_to(str(code))
    return row if row and row["code"] == code else None


def _are_apart(one: Line, other: Line) -> bool:
    if one.has(_APART) or other.has(_APART):
        return True
    return _PLACES.intersection(one.modifiers) != _PLACES.intersection(other.modifiers)


def _is_bundled(line: Line) -> bool:
    decision, row = line.decision, line.row
    if decision is None or row is None or decision.outcome != "absent" or decision.release is None:
        return False
    return bool(row["reason"] == "bundled" and decision.release.manifest["chart"] == "cms-pfs")
