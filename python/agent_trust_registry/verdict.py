"""What a check comes to: `ok`, or one of ten classes with a finer reason as a hint."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

CLASSES = {
    "ok": "Everything that was checked holds.",
    "malformed": "It does not have the form of an answer, a proof or a policy.",
    "wrong_key": "It is not signed as the policy asks.",
    "stale": "It is older than asked for, or older than what was seen before.",
    "not_in_log": "It is not in the log, or the log is not the one that was seen before.",
    "not_the_answer": "It is not the answer to what was asked, or says something else than its proof.",
    "arithmetic": "The amount, the reason or the flags do not follow from the inputs.",
    "incomplete": "Something that the check needs could not be had.",
    "nothing_proved": "There is no proof.",
}
"""The classes of verdicts, without `not_in_release` and `not_in_force`: only prices have these."""

_REASONS = {
    "malformed": "json_malformed not_recognised proof_malformed note_malformed checkpoint_malformed policy_malformed "
    "tile_malformed",
    "wrong_key": "note_unsigned note_signature_invalid key_retired origin_not_pinned quorum_not_met",
    "stale": "state_too_old state_not_last log_rolled_back",
    "not_in_log": "state_not_in_log log_of_other_kind log_not_the_same log_forked",
    "not_the_answer": "answers_another_question body_contradicts_proof",
    "arithmetic": "unknown_method inputs_malformed price_mismatch reason_mismatch flags_mismatch",
    "incomplete": "tile_unavailable tiles_not_of_checkpoint",
    "nothing_proved": "proof_missing",
}
_CLASS_OF = {reason: cls for cls, reasons in _REASONS.items() for reason in reasons.split()}


class Failure(Exception):
    """Ends a check. The functions of this package turn it into a verdict."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


@dataclass(frozen=True)
class Checkpoint:
    """A signed tree head that the policy believes."""

    origin: str
    size: int
    root: bytes
    cosigners: tuple[tuple[str, int], ...]
    """The pinned witnesses that signed it: key name, and the latest time in seconds."""
    is_of_retired_key: bool
    note: str


@dataclass(frozen=True)
class Verdict:
    """The result of a check. Only where `ok` is true do the members below `reason` say anything."""

    ok: bool
    cls: str
    reason: str | None = None
    checkpoint: Checkpoint | None = None
    figures: dict[str, Any] | None = None
    """The state of the figures that was proved. Use this rather than the body."""
    recorded_at: str | None = None


def failed(reason: str) -> Verdict:
    return Verdict(ok=False, cls=_CLASS_OF[reason], reason=reason)
