"""The rule of docs/spec/lookup.md, R1 to R11: which row answers a question, by what is proved and nothing else."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from .adjustment import changes, class_on
from .envelope import Evidence, Release
from .question import Question
from .row import Row
from .tables import (
    ADJUSTING, CHARTS, HOSPITAL_BASES, HOSPITALS, NEUTRAL, OF_PAYERS, OF_THE_BILL, PAYER_BASES, PLACES, STATES,
    both_sides, code_in, of_any_line,
)  # fmt: skip

_PASSED_OVER = ("absent", "modifier_not_priced", "region_not_covered")
"""A schedule after the one that comes to this may still have the price."""
_SAYS_LITTLE = ("paid_elsewhere", "not_valid", "no_price_stated")
_DECIDES_NOTHING = ("not_applicable_in_setting", "no_price_stated")


@dataclass(frozen=True)
class Decision:
    """What the rule comes to: `price`, or the word of a refusal with the step that decided."""

    outcome: str
    rule: str = ""
    row: Row | None = None
    release: Release | None = None
    """The edition of the row."""
    ignored: tuple[str, ...] = ()
    left: tuple[str, ...] = ()
    """The modifiers that depend on the other lines of a bill."""
    adjustment: dict[str, str] | None = None
    listed_with: str | None = None
    """The modifier under which alone a hospital lists the plain code."""
    charts: tuple[str, ...] = ()
    """The charts without an edition on the day, of `no_edition`."""
    place: Row | None = None
    """The row by which the place is known, and its edition."""
    place_release: Release | None = None


@dataclass(frozen=True)
class Place:
    region: str | None = None
    state: str | None = None
    area: str | None = None
    is_split: bool = False
    is_held: bool = True
    row: Row | None = None
    release: Release | None = None

    @property
    def rural(self) -> bool | None:
        return self.row.get("rural") if self.row else None


def choose(question: Question, evidence: Evidence) -> Decision:
    """Runs the rule. Fails with `choice_not_proved` where it needs a list that is not shown to be complete."""
    if question.npi is not None:
        return _of_provider(question, question.npi, evidence)
    try:
        place = place_of(question, question.charts, evidence)
    except UnknownZip:
        return Decision("unknown_zip", "R1")
    found = _of_schedules(question, place, evidence)
    return Decision(**{**vars(found), "place": place.row, "place_release": place.release})


class UnknownZip(Exception):
    """The table of places does not have the ZIP code."""


def place_of(question: Question, charts: list[str], evidence: Evidence) -> Place:
    """R1: where the question asks."""
    if question.zip is None:
        return Place(question.region, question.state, question.area)
    if all(CHARTS[name]["speaks"] == "national" for name in charts):
        return Place("national")
    release = evidence.held(PLACES, question.as_of)
    if release is None:
        return Place(is_held=False)
    row = _begun(release.rows.up_to(f"{question.zip}|"), question.as_of)
    if row is None or row["zip"] != question.zip:
        raise UnknownZip
    if question.digits is not None and (row["region"] is None or row["state"] is None):
        part = _begun(release.rows.up_to(f"{question.zip}|{question.digits}."), question.as_of)
        if part and part["zip"] == question.zip and part["plus_four"] and question.digits <= part["plus_four"][5:]:
            row = part
    return Place(row["region"], row["state"], row.get("bidding_area"), row["region"] is None, row=row, release=release)


def _begun(row: Row | None, day: str) -> Row | None:
    """A row that takes effect after the day counts as not there."""
    return row if row is not None and row["effective_from"] <= day else None


def _of_schedules(question: Question, place: Place, evidence: Evidence) -> Decision:
    refusals: list[Decision] = []
    missing: list[str] = []
    for name in question.charts:  # R2
        release = evidence.held(name, question.as_of)
        if release is None:
            missing.append(name)
        elif CHARTS[name]["speaks"] != "national" and not place.is_held:
            missing += [] if PLACES in missing else [PLACES]
        else:
            found = _Schedule(name, release, question, place).decision()
            if found and found.outcome not in _PASSED_OVER:
                return found
            refusals += [found] if found else []
    return next(_of_refusals(refusals, missing))


def _of_refusals(refusals: list[Decision], missing: list[str]) -> Iterator[Decision]:
    """R10: what is said where no schedule has a price, the most telling first."""
    yield from (each for each in refusals if each.outcome == "modifier_not_priced")
    yield from (each for each in refusals if each.row and each.row["reason"] not in _SAYS_LITTLE)
    yield from (each for each in refusals if each.outcome == "region_not_covered")
    if missing:
        yield Decision("no_edition", "R3", charts=tuple(missing))
    yield from refusals
    yield Decision("not_on_schedule", "R10")


class _Schedule:
    """R4 to R9 in the edition of one schedule."""

    def __init__(self, name: str, release: Release, question: Question, place: Place) -> None:
        self.chart = CHARTS[name]
        self.code = code_in(name, question.code)
        self.release, self.question, self.place = release, question, place
        speaks = self.chart["speaks"]
        state = place.state and f"US-{place.state}"
        self.region = (
            "national" if "national" in (speaks, place.region) else place.region if speaks == "locality" else state
        )
        self.settings = self._settings_tried()

    def _settings_tried(self) -> list[str | None]:
        settings: list[str | None] = self.chart["settings"]
        setting, rural = self.question.setting, self.place.rural
        is_by_state = self.chart["speaks"] == "state" and setting in ("non_facility", "facility")
        is_open = setting is None or is_by_state
        if "rural" in settings and (setting == "rural" or (is_open and rural is True)):
            return ["rural", "non_rural"]
        if is_open or None in settings:
            return [each for each in settings if each != "rural" or rural is not False]
        return [setting] if setting in settings else []

    def rows(self, region: str) -> list[Row]:
        return self.release.rows.under(f"{self.code}|{region}|")

    def row(self, region: str, modifier: str | None, setting: str | None) -> Row | None:
        for row in self.rows(region):
            if (row["modifier"], row["setting"]) == (modifier, setting) and _begun(row, self.question.as_of):
                return row
        return None

    def decision(self) -> Decision | None:
        """R4: what modifiers make of the answer."""
        asked = both_sides(list(self.question.modifiers))
        ignored = tuple(each for each in asked if each in NEUTRAL)
        kept = [each for each in asked if each not in NEUTRAL]
        kept, left = [each for each in kept if each not in OF_THE_BILL], tuple(OF_THE_BILL.intersection(kept))
        adjusting = [each for each in kept if each in ADJUSTING]
        if len(adjusting) == 1:
            kept.remove(adjusting[0])
        modifier = "-".join(kept) or None
        found = self.look(modifier)
        if found and found.outcome == "price" and found.row:
            price = Decision("price", row=found.row, release=self.release, ignored=ignored, left=tuple(sorted(left)))
            return self.adjusted(price, found.row, adjusting[0]) if len(adjusting) == 1 else price
        if found:
            return found
        bare = self.look(None) if modifier else None
        if bare and bare.outcome in ("price", "region_ambiguous"):
            return Decision("modifier_not_priced", "R9")
        return bare or self.otherwise(modifier)

    def adjusted(self, price: Decision, row: Row, modifier: str) -> Decision:
        """Returns what an adjusting modifier makes of a price."""
        counts_as = class_on(row, modifier)
        if counts_as == "by_report":
            return Decision("modifier_not_priced", "R9")
        if counts_as == "neutral":
            return replace(price, ignored=tuple(sorted((*price.ignored, modifier))))
        change = next(changes(row, modifier, self.question.as_of), None)
        changed = self.row(row["region"], change.part, row["setting"]) if change and change.part else row
        adjustment = change.of(row, _amount(changed)) if change else None
        if adjustment is None:
            return Decision("modifier_not_allowed", "R4", row, self.release)
        return replace(price, adjustment=adjustment)

    def found(self, row: Row, rule: str) -> Decision:
        return Decision("price" if "price" in row else "absent", rule, row, self.release)

    def look(self, modifier: str | None) -> Decision | None:
        """R5 to R8: one look with one modifier."""
        if self.place.area and self.question.setting != "rural" and "non_rural" in self.settings:
            row = self.row(self.place.area, modifier, "non_rural")
            if row:
                return self.found(row, "R5")
        region, missing = self.region, list[str | None]()
        remembered: list[Row] = []
        if region is None:
            status = self.status(modifier)
            if status:
                return self.found(status, "R7")
            region = self.only_locality(modifier)
            if region == _AMBIGUOUS:
                return Decision("region_ambiguous", "R8")
        if region is not None:
            row, missing = self.first(region, self.settings, modifier, remembered)
            if row:
                return self.found(row, "R6")
        if self.region is not None and (missing or not remembered):
            status = self.status(modifier)
            if status:
                return self.found(status, "R7")
        if region != "national" and self.chart["speaks"] != "national":
            tried = self.settings if region is None else missing
            row, _ = self.first("national", tried, modifier, remembered)
            if row and "price" in row:
                return Decision("region_ambiguous" if self.place.is_split else "region_not_covered", "R8")
            remembered = [row] if row else remembered
        return self.found(remembered[0], "R6") if remembered else None

    def first(
        self, region: str, tried: list[str | None], modifier: str | None, remembered: list[Row]
    ) -> tuple[Row | None, list[str | None]]:
        """Returns the row that decides, and the settings without any. Rows that decide nothing are remembered."""
        missing: list[str | None] = []
        for setting in tried:
            row = self.row(region, modifier, setting)
            if row is None:
                missing.append(setting)
            elif "price" in row or row["reason"] not in _DECIDES_NOTHING:
                return row, missing
            else:
                remembered.append(row)
        return None, missing

    def status(self, modifier: str | None) -> Row | None:
        """R7: what the schedule says of the code for the whole country, such as bundled or not covered."""
        row = None if None in self.chart["settings"] else self.row("national", modifier, None)
        return row if row and row["kind"] == "absence" else None

    def only_locality(self, modifier: str | None) -> str | None:
        """R8: the locality of a state that has one alone, or `_AMBIGUOUS`."""
        state, is_by_locality = self.place.state, self.chart["speaks"] == "locality"
        if not is_by_locality or state is None or self.place.is_split:
            return None
        prefix = f"{self.code}|US-{STATES[state].get('localities_of', state)}-"
        if STATES[state].get("divided"):
            regions, is_several = [], self.release.rows.any(prefix)
        else:
            regions = sorted({row["region"] for row in self.release.rows.under(prefix)})
            is_several = len(regions) > 1
        if not is_several:
            return regions[0] if regions else None
        rows = self.rows("national")
        return _AMBIGUOUS if not rows or any(row["modifier"] == modifier for row in rows) else None

    def otherwise(self, modifier: str | None) -> Decision | None:
        """R9: what else the schedule has of the code."""
        known = [row for region in {self.region or "national", "national"} for row in self.rows(region)]
        if modifier is None and any(row["modifier"] is None for row in known):
            return None
        if known:
            return Decision("modifier_not_priced", "R9")
        if self.chart["speaks"] == "national" or not self.release.rows.any(f"{self.code}|US-"):
            return None
        is_open = self.region is None and (self.place.is_split or self.place.state is None)
        return Decision("region_ambiguous" if self.region == "national" or is_open else "region_not_covered", "R9")


_AMBIGUOUS = "ambiguous"


def _amount(row: Row | None) -> str | None:
    """Returns the one amount of a price, None of a range and of what has none."""
    amount: str | None = row.get("price", {}).get("amount") if row else None
    return amount


def _of_provider(question: Question, npi: str, evidence: Evidence) -> Decision:
    """R11: a hospital's own file, with as few modifiers left out as will do."""
    named = evidence.providers.under(f"{npi}|")
    if not named:
        return Decision("unknown_provider", "R11")
    name = named[0]["chart"]
    release = evidence.held(name, question.as_of)
    if release is None:
        return Decision("no_edition", "R3", charts=(name,))
    hospital = _Hospital(question, npi, release)
    if question.payer is not None:
        listed = {row["payer"] for basis in hospital.bases for row in hospital.rows(basis)}
        if len(listed) != 1:
            return Decision("payer_ambiguous" if listed else "payer_not_listed", "R11")
    return hospital.decision()


def payer_prefix(payer: str) -> str:
    """Returns what the rows of a payer begin with after their basis: with its kind of plan, or with any."""
    return f"{payer}|" if "/" in payer else f"{payer}/"


class _Hospital:
    """R11 in the edition of a hospital."""

    def __init__(self, question: Question, npi: str, release: Release) -> None:
        self.question, self.release = question, release
        self.prefix = f"{question.code}|national|{npi}|"
        self.own = [basis for basis in HOSPITAL_BASES if basis not in PAYER_BASES]
        self.bases = [question.basis] if question.basis else [OF_PAYERS] if question.payer else self.own
        all_settings: list[str | None] = CHARTS[HOSPITALS]["settings"]
        self.settings = all_settings if question.setting is None else [question.setting, None]
        self.classes = question.side.classes if question.side else ["facility", None, "professional"]

    def rows(self, basis: str) -> list[Row]:
        payer = payer_prefix(self.question.payer) if self.question.payer else ""
        return self.release.rows.under(f"{self.prefix}{basis}|{payer}")

    def begun(self, basis: str) -> dict[tuple[str | None, str | None, str | None], Row]:
        rows = [row for row in self.rows(basis) if _begun(row, self.question.as_of)]
        return {(row["modifier"], row["setting"], row["class"]): row for row in rows}

    def decision(self) -> Decision:
        sides = both_sides(list(self.question.modifiers))
        neutral = [each for each in sides if each in NEUTRAL]
        tries = list(dict.fromkeys((tuple(self.question.modifiers), tuple(sides))))
        for tried in tries:
            remembered = None
            for basis in self.bases:
                by_key = self.begun(basis)
                for setting in self.settings:
                    for klass in self.classes:
                        row = by_key.get(("-".join(tried) or None, setting, klass))
                        if row and "price" in row:
                            ignored = tuple(each for each in neutral if each not in tried)
                            return Decision("price", row=row, release=self.release, ignored=ignored)
                        remembered = remembered or row
            if remembered:
                return Decision("absent", "R11", remembered, self.release)
            for each in neutral:
                fewer = tuple(other for other in tried if other != each)
                tries += [] if fewer in tries else [fewer]
        return self.of_any_line() or self.otherwise()

    def of_any_line(self) -> Decision | None:
        """The price under the one modifier that says what any line of the code is."""
        marks = [] if self.question.modifiers else of_any_line(self.question.code)
        for basis in self.bases if marks else []:
            by_key = self.begun(basis)
            for setting in self.settings:
                for side in ("facility", None):
                    found = [by_key.get((mark, setting, side)) for mark in marks]
                    priced = [row for row in found if row and "price" in row]
                    if len(priced) == 1:
                        return Decision("price", row=priced[0], release=self.release, listed_with=priced[0]["modifier"])
                    if priced:
                        return None
        return None

    def otherwise(self) -> Decision:
        rows = [row for basis in (self.bases if self.question.payer else self.own) for row in self.rows(basis)]
        is_other = rows and (self.question.modifiers or all(row["modifier"] is not None for row in rows))
        return Decision("modifier_not_priced" if is_other else "not_on_schedule", "R11")
