"""Answers to lookups, alone, in a line of a batch or in an item of a history (docs/spec/lookup.md#how-the-answer-looks)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from .adjustment import is_adjustment
from .checkpoint import Ages
from .choose import Decision, choose
from .envelope import Evidence, ShownRow, check_proof, take_row
from .forms import closed, is_day, list_of, one_of, text
from .policy import Policy
from .question import Question, read_question
from .release import is_chart
from .row import is_place
from .tables import KINDS, MAY_BE_NEUTRAL, OF_THE_BILL, chart, code_in
from .verdict import Failure, Verdict

WORDS = frozenset({"type", "title", "status", "detail", "instance", "code", "request_id", "agent_hint", "errors"})
"""Members of a refusal that say nothing that is proved, but `code`."""
_REFUSAL = WORDS | {"rule", "row", "place", "side", "charts", "last_known", "about"}
_BESIDE = frozenset(
    {"place", "side", "modifiers_ignored", "left_to_bill", "adjustment", "listed_with", "about"}
)
_is_rule = text(r"R([1-9]|1[01])")
_is_side = closed({"kind": one_of(*KINDS), "why": one_of("kind", "revenue_code", "place_of_service")})
_is_charts = list_of(closed({"chart": is_chart, "held": list_of(closed({"from": is_day, "to": is_day}), most=8192)}), 1)


def verify_lookup(body: dict[str, Any], policy: Policy, asked: Any, ages: Ages) -> Verdict:
    answer = take_lookup(body)
    evidence = check_proof(body, answer.shown, policy, ages)
    if asked is None:
        return evidence.verdict([answer.row])
    question = read_question(asked)
    decision = check_answer(answer, question, evidence)
    return evidence.verdict([answer.row], decisions=(decision,), without_code=_without_code(question, evidence))


def _without_code(question: Question, evidence: Evidence) -> tuple[tuple[dict[str, Any], str], ...]:
    """The editions of the day that are shown to have no row of the code."""
    found = []
    for release in evidence.releases:
        name, period = release.manifest["chart"], release.period
        known = chart(name)
        if known and known["bases"] and period and period["from"] <= question.as_of <= period["to"]:
            code = code_in(name, question.code)
            if not release.rows.known_under(f"{code}|"):
                found.append((release.manifest, code))
    return tuple(found)


@dataclass(frozen=True)
class Answer:
    """What a body says in answer to one question. `code` is None where that is a price."""

    code: str | None = None
    rule: str | None = None
    charts: Any = None
    side: Any = None
    row: ShownRow | None = None
    place: ShownRow | None = None
    last_known: ShownRow | None = None
    ignored: tuple[str, ...] = ()
    left: tuple[str, ...] = ()
    adjustment: Any = None
    listed_with: Any = None
    at: int | None = None

    @property
    def shown(self) -> list[ShownRow]:
        return [row for row in (self.row, self.place, self.last_known) if row]


def take_lookup(body: dict[str, Any]) -> Answer:
    """Takes the body of a lookup: a row with what stands beside it, or a refusal."""
    if isinstance(body.get("code"), str) and "status" in body:
        return take_refusal({name: member for name, member in body.items() if name != "proof"})
    return _take_price(body, take_row(body, None, _BESIDE | {"proof"}, "row"), None)


def take_line(line: dict[str, Any], at: int, beside: frozenset[str] = frozenset()) -> Answer | None:
    """Takes a line of a batch, or the answer in an item of a history; None if the question itself was refused."""
    status = line.get("status")
    if type(status) is int and status == 200 and line.keys() <= {"status", "row"} | _BESIDE | beside:
        answer = _take_price(line, take_row(line.get("row"), at), at)
        if answer.row and "price" not in answer.row.row:
            raise Failure("body_contradicts_proof", at)
        return answer
    problem = line.get("problem")
    if type(status) is int and status in (400, 404) and isinstance(problem, dict):
        if line.keys() <= {"status", "problem", "about"} | (beside - {"extended"}):
            if status == 404:
                return take_refusal(problem, at)
            if problem.keys() <= WORDS | {"about"}:
                return None
    raise Failure("not_recognised", at)


def take_refusal(problem: dict[str, Any], at: int | None = None) -> Answer:
    code, charts = problem.get("code"), problem.get("charts")
    is_shaped = isinstance(code, str) and _is_rule(problem.get("rule")) and problem.keys() <= _REFUSAL
    if not is_shaped or ("charts" in problem and not _is_charts(charts)):
        raise Failure("not_recognised", at)
    row = take_row(problem["row"], at) if "row" in problem else None
    if row and code != ("modifier_not_allowed" if "price" in row.row else f"absent_{row.row.get('reason')}"):
        raise Failure("body_contradicts_proof", at)
    last_known = take_row(problem["last_known"], at) if "last_known" in problem else None
    side = take_side(problem, at)
    return Answer(code, problem["rule"], charts, side, row, take_place(problem, at), last_known, at=at)


def take_side(body: dict[str, Any], at: int | None = None) -> Any:
    if "side" in body and not _is_side(body["side"]):
        raise Failure("not_recognised", at)
    return body.get("side")


def take_place(body: dict[str, Any], at: int | None = None) -> ShownRow | None:
    if "place" not in body:
        return None
    place = take_row(body["place"], at)
    if not is_place(place.row):
        raise Failure("row_malformed", at)
    return place


def _take_price(body: dict[str, Any], row: ShownRow, at: int | None) -> Answer:
    adjustment = body.get("adjustment")
    ignored = _modifiers(body, "modifiers_ignored", MAY_BE_NEUTRAL, at)
    left = _modifiers(body, "left_to_bill", OF_THE_BILL, at)
    if "adjustment" in body and not is_adjustment(row.row, adjustment):
        raise Failure("body_contradicts_proof", at)
    listed_with = body.get("listed_with")
    if "listed_with" in body and (listed_with is None or row.row.get("modifier") != listed_with):
        raise Failure("body_contradicts_proof", at)
    return Answer(
        side=take_side(body, at), row=row, place=take_place(body, at), ignored=ignored, left=left,
        adjustment=adjustment, listed_with=listed_with, at=at,
    )  # fmt: skip


def _modifiers(body: dict[str, Any], name: str, known: frozenset[str], at: int | None) -> tuple[str, ...]:
    if name not in body:
        return ()
    value = body[name]
    is_list = isinstance(value, list) and value and all(isinstance(each, str) and each in known for each in value)
    if not is_list or value != sorted(set(value)):
        raise Failure("not_recognised", at)
    return tuple(value)


def check_answer(answer: Answer, question: Question, evidence: Evidence) -> Decision:
    """Runs the rule, and checks that this is the answer it comes to."""
    try:
        if answer.side != (question.side and question.side.told):
            raise Failure("answers_another_question")
        if answer.row and evidence.release_of(answer.row).period is None:
            raise Failure("release_not_in_force")
        decision = choose(question, evidence)
        if not _is_of(answer, decision, evidence) or not _was_last_known(answer.last_known, question, evidence):
            raise Failure("answers_another_question")
    except Failure as failure:
        raise Failure(failure.reason, answer.at) from None
    return decision


def _is_of(answer: Answer, decision: Decision, evidence: Evidence) -> bool:
    outcome, row = decision.outcome, decision.row
    if outcome == "price":
        told: tuple[Any, ...] = (None, None)
    elif outcome == "no_edition":
        told = ("no_edition_for_day", decision.rule)
    else:
        told = (f"absent_{row['reason']}" if outcome == "absent" and row else outcome, decision.rule)
    return (
        (answer.code, answer.rule) == told
        and (answer.ignored, answer.left) == (decision.ignored, decision.left)
        and (answer.adjustment, answer.listed_with) == (decision.adjustment, decision.listed_with)
        and is_shown(answer.row, row, decision.release, evidence)
        and is_shown(answer.place, decision.place, decision.place_release, evidence)
        and answer.charts == ([_held(chart, evidence) for chart in decision.charts] if decision.charts else None)
    )


def is_shown(shown: ShownRow | None, row: Any, release: Any, evidence: Evidence) -> bool:
    """True if the row that a body shows is this one of this release; or if neither is there."""
    if shown is None or row is None:
        return shown is None and row is None
    return bool(shown.row == row) and evidence.release_of(shown) is release


def _held(chart: str, evidence: Evidence) -> dict[str, Any]:
    periods = evidence.timeline.under(f"{chart}|")
    return {"chart": chart, "held": [{"from": period["from"], "to": period["to"]} for period in periods]}


def _was_last_known(shown: ShownRow | None, question: Question, evidence: Evidence) -> bool:
    """True if a row is what the question was answered with on the last day before the day asked about."""
    if shown is None:
        return True
    period = evidence.release_of(shown).period
    if period is None or period["to"] >= question.as_of:
        return False
    try:
        if evidence.timeline.up_to(f"{period['chart']}|{question.as_of}") != period:
            return False
        before = choose(replace(question, as_of=period["to"]), evidence)
    except Failure:
        return False
    return before.outcome == "price" and is_shown(shown, before.row, before.release, evidence)
