"""The whole check of one text: docs/spec/proof.md#how-a-body-is-checked."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from .answer import verify_lookup
from .canonical_json import MalformedJson, read_json
from .catalogue import verify_coverage, verify_releases
from .changes import verify_changes
from .check import verify_bill
from .checkpoint import Ages, check_age, open_checkpoint
from .figures import PROOF_TYPE, verify_figures
from .lists import verify_batch, verify_history, verify_page, verify_sheet
from .policy import Policy, read_policy
from .verdict import Failure, Verdict, failed

_OF_KIND: dict[str, Callable[[dict[str, Any], Policy, Any, Ages], Verdict]] = {
    "question": verify_lookup,
    "questions": verify_batch,
    "page": verify_page,
    "sheet": verify_sheet,
    "history": verify_history,
    "releases": verify_releases,
    "coverage": verify_coverage,
    "changes": verify_changes,
    "bill": verify_bill,
    "figures": lambda body, policy, _, ages: verify_figures(body, policy, *ages),
}


def verify(
    text: str,
    policy: str | Policy,
    asked: Mapping[str, Any] | None = None,
    *,
    not_before: str | None = None,
    not_after: str | None = None,
) -> Verdict:
    """Checks an answer, or a checkpoint by itself, under the policy that the reader has pinned.

    `asked` is None, or has one member: `question`, `questions` (of a batch), `page`, `sheet`, `history`, `releases` or
    `coverage`, each with the parameters that were sent; or `figures` or `checkpoint`, True. With None only that a body
    was published is checked, not that it answers anything. `not_before` is the oldest view that will do, `not_after`
    the reader's own time, both as instants. Raises PolicyMalformed if the policy is none.
    """
    pinned, ages = read_policy(policy) if isinstance(policy, str) else policy, (not_before, not_after)
    try:
        # No JSON text has these three characters one after the other, and every signed note has them.
        if asked == {"checkpoint": True} or (asked is None and "\n\n\u2014" in text):
            checkpoint = open_checkpoint(text, pinned)
            check_age(checkpoint, None, *ages)
            return Verdict(ok=True, checkpoint=checkpoint)
        return verify_body(read_json(text), pinned, asked, ages)
    except MalformedJson:
        return failed(Failure("json_malformed"))
    except Failure as failure:
        return failed(failure)


def verify_body(body: Any, policy: Policy, asked: Mapping[str, Any] | None, ages: Ages) -> Verdict:
    """Checks a value that was read strictly. Raises Failure where it does not hold."""
    if not isinstance(body, dict):
        raise Failure("not_recognised")
    if asked is not None and (not isinstance(asked, Mapping) or len(asked) != 1):
        raise Failure("question_malformed")
    wanted, parts = next(iter(asked.items())) if asked else (None, None)
    if wanted is not None and parts is None:
        raise Failure("question_malformed")
    kind = _kind(body, wanted)
    if kind == "question" and wanted == "history" and body.get("code") == "unknown_provider":
        # A provider of whom no file speaks is refused in place of a history, whatever the day.
        if isinstance(parts, dict):
            parts = {**{name: part for name, part in parts.items() if name != "offset"}, "as_of": "2000-01-01"}
    elif wanted not in (None, kind):
        raise Failure("answers_another_question")
    return _OF_KIND[kind](body, policy, parts, ages)


def _kind(body: dict[str, Any], wanted: str | None) -> str:
    """Returns of which kind a body is, by the names that `asked` has for them."""
    proof, data = body.get("proof"), body.get("data")
    if wanted == "figures" or (isinstance(proof, dict) and proof.get("type") == PROOF_TYPE):
        return "figures"
    if isinstance(data, list):
        return _kind_of_list(body, data)
    if isinstance(body.get("findings"), list):
        return "bill"
    return "questions" if isinstance(body.get("results"), list) else "question"


def _kind_of_list(body: dict[str, Any], data: list[Any]) -> str:
    if "states" in body or any(isinstance(item, dict) and "seq" in item for item in data):
        return "changes"
    if "from" in body:
        return "coverage" if "as_of" in body else "releases"
    if "as_of" not in body:
        return "history"
    return "page" if "page" in body else "sheet"
