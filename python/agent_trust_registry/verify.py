"""The whole check of one text: docs/spec/proof.md#whole-answers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .canonical_json import MalformedJson, read_json
from .checkpoint import check_age, open_checkpoint
from .figures import PROOF_TYPE, verify_figures
from .policy import Policy, read_policy
from .verdict import Failure, Verdict, failed

NOT_YET = "This version checks answers about figures and signed checkpoints; it does not check prices and lists yet."


def verify(
    text: str,
    policy: str | Policy,
    asked: Mapping[str, Any] | None = None,
    *,
    not_before: str | None = None,
    not_after: str | None = None,
) -> Verdict:
    """Checks an answer, or a checkpoint by itself, under the policy that the reader has pinned.

    `asked` is what was asked: `{"figures": True}`, `{"checkpoint": True}`, or None for whatever the text answers.
    `not_before` is the oldest view that will do, `not_after` the reader's own time, both as instants. Raises
    NotImplementedError for bodies with prices.
    """
    try:
        pinned = read_policy(policy) if isinstance(policy, str) else policy
        return _verify(text, pinned, asked, not_before, not_after)
    except MalformedJson:
        return failed("json_malformed")
    except Failure as failure:
        return failed(failure.reason)


def _verify(
    text: str, policy: Policy, asked: Mapping[str, Any] | None, not_before: str | None, not_after: str | None
) -> Verdict:
    # No JSON text has these three characters one after the other, and every signed note has them.
    if asked == {"checkpoint": True} or (asked is None and "\n\n\u2014" in text):
        checkpoint = open_checkpoint(text, policy)
        check_age(checkpoint, None, not_before, not_after)
        return Verdict(ok=True, cls="ok", checkpoint=checkpoint)
    body = read_json(text)
    if not isinstance(body, dict):
        raise Failure("not_recognised")
    proof = body.get("proof")
    asks_for_figures = asked == {"figures": True}
    if asks_for_figures or (isinstance(proof, dict) and proof.get("type") == PROOF_TYPE):
        if asked is not None and not asks_for_figures:
            raise Failure("answers_another_question")
        return verify_figures(body, policy, not_before, not_after)
    raise NotImplementedError(NOT_YET)
