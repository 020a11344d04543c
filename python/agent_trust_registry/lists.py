"""Batches, sheets, pages of rows and histories (docs/spec/lists.md)."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from .answer import Answer, check_answer, is_shown, take_line, take_place, take_side
from .canonical_json import canonical
from .checkpoint import Ages
from .choose import Decision, Place, UnknownZip, payer_prefix, place_of
from .envelope import Evidence, Release, ShownRow, check_proof, take_row
from .forms import Form, closed, is_count, is_day, list_of
from .money import scaled
from .policy import Policy
from .question import PARTS, Question, capitals, read_code, read_question
from .release import is_chart
from .row import Row, is_amount, is_price_row
from .tables import CHARTS, HOSPITAL_BASES, PAYER_BASES, SCHEDULES, STATES, can_hold, code_in
from .verdict import Failure, Verdict

Body = dict[str, Any]
_OF_BILL = frozenset({"units", "billed", "extended"})


def anything(_: Any) -> bool:
    return True


def is_object(value: Any) -> bool:
    return isinstance(value, dict)


def is_page(value: Any) -> bool:
    return isinstance(value, dict) and is_count(value.get("offset")) and isinstance(value.get("has_more"), bool)


_REST: dict[str, Form] = {"proof": anything, "about": anything}
OF_LIST: dict[str, Form] = {**_REST, "links": anything}
_is_batch = closed({"results": list_of(anything, most=100), "summary": is_object}, {**_REST, "as_of": anything})
_is_sheet = closed(
    {"data": list_of(anything, most=2000), "as_of": is_day},
    {**_REST, "place": anything, "side": anything, "not_held": list_of(is_chart, 1)},
)
_is_rows = closed({"data": list_of(anything, most=200), "page": anything, "as_of": is_day}, OF_LIST)
_is_history = closed({"data": list_of(anything, most=200), "page": is_page}, OF_LIST)


def check_form(is_of: Form, body: Body) -> None:
    if not is_of(body):
        raise Failure("not_recognised")


def read_asked(asked: Any, names: tuple[str, ...]) -> dict[str, Any]:
    """Returns the parameters of a list that have a value. `offset` is a number, the others are texts."""
    if not isinstance(asked, dict):
        raise Failure("question_malformed")
    sent = {name: part for name, part in asked.items() if part != ""}
    if not sent.keys() <= set(names):
        raise Failure("question_malformed")
    if not all(is_count(part) if name == "offset" else isinstance(part, str) for name, part in sent.items()):
        raise Failure("question_malformed")
    return sent


def require(is_so: bool, reason: str = "answers_another_question", at: int | None = None) -> None:
    if not is_so:
        raise Failure(reason, at)


# Batches


def _is_units(value: Any) -> bool:
    return is_count(value) and 1 <= value <= 999_999


def verify_batch(body: Body, policy: Policy, asked: Any, ages: Ages) -> Verdict:
    check_form(_is_batch, body)
    lines, answers = body["results"], list[Answer | None]()
    if asked is not None:
        require(isinstance(asked, list) and len(asked) == len(lines))
    for at, line in enumerate(lines, 1):
        is_shaped = is_object(line) and _is_units(line.get("units", 1))
        require(is_shaped and ("billed" not in line or is_amount(line["billed"])), "not_recognised", at)
        answers.append(take_line(line, at, _OF_BILL))
    require(any(answers), "nothing_proved")
    evidence = check_proof(body, [row for answer in answers if answer for row in answer.shown], policy, ages)
    come_to, decisions = list[tuple[int, int] | None](), list[Decision | None]()
    for at, (line, answer) in enumerate(zip(lines, answers), 1):
        if asked is not None:
            decisions.append(_check_line(line, answer, asked[at - 1], evidence, at))
        come_to.append(_check_product(line, answer, at))
    require(canonical(body["summary"]) == canonical(_summary(lines, answers, come_to)), "sum_mismatch")
    return evidence.verdict((answer.row for answer in answers if answer), decisions=tuple(decisions))


def _check_line(line: Body, answer: Answer | None, asked: Any, evidence: Evidence, at: int) -> Decision | None:
    require(isinstance(asked, dict), "question_malformed", at)
    question = {name: part for name, part in asked.items() if name not in ("units", "billed")}
    units, billed = asked.get("units", 1), asked.get("billed", "")
    if answer is None:
        try:
            read_question(question)
        except Failure:
            return None
        require(not _is_units(units) or not (billed == "" or is_amount(billed)), at=at)
        return None
    require("units" not in asked or (_is_units(units) and units == line.get("units", 1)), at=at)
    require(billed == "" or billed == line.get("billed", ""), at=at)
    try:
        return check_answer(answer, read_question(question), evidence)
    except Failure as failure:
        raise Failure(failure.reason, at) from None


def _check_product(line: Body, answer: Answer | None, at: int) -> tuple[int, int] | None:
    """Checks what a line comes to, and returns it in units of a hundredth of a cent, None if it comes to nothing."""
    product = _product(answer, line.get("units", 1))
    stated = None if product is None else _amounts(product, "amount" in _price_of(answer))
    require(line.get("extended") == stated, "sum_mismatch", at)
    return product


def _price_of(answer: Answer | None) -> dict[str, Any]:
    price: dict[str, Any] = answer.row.row.get("price", {}) if answer and answer.code is None and answer.row else {}
    return price


def _product(answer: Answer | None, units: int) -> tuple[int, int] | None:
    price = _price_of(answer)
    if not price or answer is None or answer.row is None or answer.row.row["kind"] == "rate":
        return None
    row = answer.row.row
    # Units on a bill do not count a hospital's own dosages.
    if row["npi"] is not None and (price["per"] is not None or "mixed_units" in row["flags"]):
        return None
    ends = [price[name] for name in ("amount", "low", "high") if name in price]
    if answer.adjustment:
        ends = [answer.adjustment["amount"]]
    return scaled(ends[0], 4) * units, scaled(ends[-1], 4) * units


def _amounts(product: tuple[int, int], is_one: bool) -> dict[str, str]:
    low, high = map(_amount, product)
    return {"amount": low} if is_one else {"low": low, "high": high}


def _amount(hundredths: int) -> str:
    whole, decimals = divmod(hundredths, 10_000)
    return f"{whole}.{f'{decimals:04d}'.rstrip('0').ljust(2, '0')}"


def _summary(lines: list[Body], answers: list[Answer | None], products: list[tuple[int, int] | None]) -> Body:
    by_basis: dict[str, list[tuple[tuple[int, int], str | None]]] = {}
    for line, answer, product in zip(lines, answers, products):
        if product and answer and answer.row:
            by_basis.setdefault(answer.row.row["basis"], []).append((product, line.get("billed")))
    totals = []
    for basis, priced in sorted(by_basis.items()):
        billed = [scaled(each, 4) for _, each in priced if each is not None]
        low, high = (_amount(sum(product[end] for product, _ in priced)) for end in (0, 1))
        total = _amount(sum(billed)) if len(billed) == len(priced) else None
        totals.append({"basis": basis, "lines": len(priced), "low": low, "high": high, "billed": total})
    return {"lines": len(lines), "priced": sum(1 for each in products if each), "totals": totals}


# Sheets

_OF_SHEET = tuple(part for part in PARTS if part not in ("modifier", "setting", "basis"))


def verify_sheet(body: Body, policy: Policy, asked: Any, ages: Ages) -> Verdict:
    check_form(_is_sheet, body)
    data = [take_row(item, at) for at, item in enumerate(body["data"], 1)]
    require(bool(data), "nothing_proved")
    place, side = take_place(body), take_side(body)
    evidence = check_proof(body, [*data, *([place] if place else [])], policy, ages)
    if asked is not None:
        question = read_question(read_asked(asked, _OF_SHEET))
        rows, not_held, known = _sheet(question, evidence)
        require(side == (question.side and question.side.told))
        require(body["as_of"] == question.as_of and body.get("not_held", []) == not_held and len(rows) == len(data))
        require(is_shown(place, known.row, known.release, evidence))
        for at, (shown, (row, release)) in enumerate(zip(data, rows), 1):
            require(is_shown(shown, row, release, evidence), at=at)
    return evidence.verdict(data)


def _sheet(question: Question, evidence: Evidence) -> tuple[list[tuple[Row, Release]], list[str], Place]:
    side = question.side
    charts = [name for name in sorted(SCHEDULES) if can_hold(name, question.code) and (not side or side.knows(name))]
    if question.npi is not None:
        own = evidence.providers.under(f"{question.npi}|")
        require(bool(own))
        charts += [own[0]["chart"]]
    try:
        place = place_of(question, replace(question, setting=None, side=None).charts, evidence)
    except UnknownZip:
        raise Failure("answers_another_question") from None
    require(place.is_held and not place.is_split and (place.region == "national" or place.state is not None))
    rows: list[tuple[Row, Release]] = []
    not_held = []
    for name in charts:
        release = evidence.held(name, question.as_of)
        if release is None:
            not_held.append(name)
            continue
        for prefix in _prefixes(name, place, question):
            under = release.rows.under(f"{code_in(name, question.code)}|{prefix}")
            rows += [(row, release) for row in under if not side or name in CHARTS or row["class"] in side.classes]
    return rows, not_held, place


def _prefixes_of_provider(question: Question) -> list[str]:
    own = f"national|{question.npi}|"
    payer = payer_prefix(question.payer) if question.payer else None
    of_payer = [f"{basis}|{payer}" for basis in HOSPITAL_BASES if basis in PAYER_BASES and payer]
    return [f"{own}{basis}|" for basis in HOSPITAL_BASES if basis not in PAYER_BASES] + [own + each for each in of_payer]


def _prefixes(name: str, place: Place, question: Question) -> list[str]:
    if name not in CHARTS:
        return _prefixes_of_provider(question)
    speaks = CHARTS[name]["speaks"]
    if "national" in (speaks, place.region) or place.state is None:
        return ["national|"]
    if speaks == "state":
        return [*([f"{place.area}|"] if place.area else []), f"US-{place.state}|", "national|"]
    named_after = STATES.get(place.state, {}).get("localities_of", place.state)
    return [f"{place.region}|" if place.region else f"US-{named_after}-", "national|"]


# Pages of rows


def verify_page(body: Body, policy: Policy, asked: Any, ages: Ages) -> Verdict:
    check_form(_is_rows, body)
    data = [take_row(item, at) for at, item in enumerate(body["data"], 1)]
    require(bool(data), "nothing_proved")
    evidence = check_proof(body, data, policy, ages)
    parts = {name for name, part in asked.items() if part != ""} if isinstance(asked, dict) else set()
    is_whole = asked is not None and ("cpt" in parts or not {"region", "npi"} & parts)
    for at, (before, after) in enumerate(zip(data, data[1:]), 2):
        step = after.index - before.index
        is_next = after.release > before.release or (
            after.release == before.release and (step == 1 or (step > 1 and not is_whole))
        )
        require(is_next, "rows_left_out", at)
    if asked is not None:
        _check_rows_asked(data, body["as_of"], read_asked(asked, ("as_of", "cpt", "region", "npi", "chart")), evidence)
    return evidence.verdict(data)


def _check_rows_asked(data: list[ShownRow], as_of: str, parts: Body, evidence: Evidence) -> None:
    require(is_day(parts.get("as_of")), "question_malformed")
    require(as_of == parts["as_of"])
    code = read_code(parts["cpt"]) if "cpt" in parts else None
    for shown in data:
        release, row = evidence.release_of(shown), shown.row
        period = release.period
        require(period is not None and period["from"] <= as_of <= period["to"], at=shown.at)
        require(parts.get("chart") in (None, release.manifest["chart"]), at=shown.at)
        if row["kind"] == "place":
            require(not {"cpt", "region", "npi"} & parts.keys(), at=shown.at)
        elif not is_price_row(row):
            require(not {"region", "npi"} & parts.keys() and code in (None, row["code"]), at=shown.at)
        else:
            is_there = "region" not in parts or capitals(parts["region"]) == capitals(row["region"])
            require(is_there and code in (None, row["code"]), at=shown.at)
            require("npi" not in parts or parts["npi"] == row["npi"], at=shown.at)


# Histories

_ITEM = ("release_id", "chart", "edition", "data_class", "effective_from", "effective_to", "answer")


def verify_history(body: Body, policy: Policy, asked: Any, ages: Ages) -> Verdict:
    check_form(_is_history, body)
    items, answers = body["data"], list[Answer]()
    for at, item in enumerate(items, 1):
        require(is_object(item) and is_object(item.get("answer")), "not_recognised", at)
        answer = take_line(item["answer"], at)
        if answer is None:
            raise Failure("not_recognised", at)
        answers.append(answer)
    require(bool(items) or asked is not None, "nothing_proved")
    evidence = check_proof(body, [row for answer in answers for row in answer.shown], policy, ages)
    periods = list[dict[str, str]]()
    for at, (item, answer) in enumerate(zip(items, answers), 1):
        periods.append(_period_of(item, answer, evidence, at))
        is_sorted = at == 1 or (periods[-2] != periods[-1] and periods[-2:] == _newest_first(periods[-2:]))
        require(is_sorted, "entries_out_of_order", at)
    if asked is None:
        return evidence.verdict(answer.row for answer in answers)
    parts = read_asked(asked, (*(part for part in PARTS if part != "as_of"), "offset"))
    offset = parts.pop("offset", 0)
    question = read_question({**parts, "as_of": "2000-01-01"})
    charts = _charts_of_history(question, evidence)
    require(body["page"]["offset"] == offset and all(period["chart"] in charts for period in periods))
    every = _newest_first([period for chart in charts for period in evidence.timeline.under(f"{chart}|")])
    end = offset + len(periods)
    is_whole = every[offset:end] == periods and body["page"]["has_more"] == (end < len(every))
    require(is_whole and (bool(periods) or not body["page"]["has_more"]), "releases_left_out")
    decisions = []
    for period, answer in zip(periods, answers):
        is_open = question.npi is None and question.basis is None
        basis = CHARTS[period["chart"]]["bases"][0] if is_open else question.basis
        decisions.append(check_answer(answer, replace(question, basis=basis, as_of=period["from"]), evidence))
    return evidence.verdict((answer.row for answer in answers), decisions=tuple(decisions))


def _period_of(item: Body, answer: Answer, evidence: Evidence, at: int) -> dict[str, str]:
    release = next((each for each in evidence.releases if each.manifest["release_id"] == item.get("release_id")), None)
    if release is None or release.period is None:
        raise Failure("release_not_in_force", at)
    require(item.keys() == set(_ITEM), "body_contradicts_proof", at)
    if any(release.manifest[name] != item[name] for name in ("chart", "edition", "data_class")):
        raise Failure("body_contradicts_proof", at)
    period = release.period
    require((item["effective_from"], item["effective_to"]) == (period["from"], period["to"]), at=at)
    require(answer.row is None or evidence.release_of(answer.row) is release, "body_contradicts_proof", at)
    return period


def _newest_first(periods: list[dict[str, str]]) -> list[dict[str, str]]:
    by_chart = sorted(periods, key=lambda period: period["chart"])
    return sorted(by_chart, key=lambda period: period["from"], reverse=True)


def _charts_of_history(question: Question, evidence: Evidence) -> list[str]:
    if question.npi is None:
        return question.charts
    own = evidence.providers.under(f"{question.npi}|")
    require(bool(own))
    return [own[0]["chart"]]
