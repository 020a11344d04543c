"""What a check comes to: ok, or a class with a finer reason as a hint (docs/spec/proof.md#verdicts)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .choose import Decision

CLASSES = {
    "malformed": "It does not have the form of an answer, a proof, a note or a row.",
    "wrong_key": "It is signed by other keys than the policy names, or by too few.",
    "stale": "It is older than asked for, or a newer state is kept back.",
    "not_in_log": "It is not in the log, or the log is not the one that was seen before.",
    "not_in_release": "A row was changed, or is of another release.",
    "not_in_force": "The period, the provider or the release is not the published one.",
    "not_the_answer": "It is not the answer to what was asked, or says something else than its proof.",
    "arithmetic": "An amount, a reason or a total does not follow from its inputs.",
    "incomplete": "Something that the check needs is not shown, or could not be had.",
    "nothing_proved": "Nothing in it is proved.",
    "tables_differ": "The registry goes by other tables than this package: a newer version may have them.",
}

_REASONS = {
    "malformed": "json_malformed not_recognised note_malformed checkpoint_malformed row_malformed row_too_large "
    "proof_malformed entry_malformed mixed_checkpoints repeated_item tile_malformed",
    "wrong_key": "note_unsigned note_signature_invalid origin_not_pinned key_retired quorum_not_met",
    "stale": "state_too_old state_not_last log_rolled_back",
    "not_in_log": "state_not_in_log entry_not_in_log log_of_other_kind log_not_the_same log_forked seq_not_its_place",
    "not_in_release": "row_not_in_release leaf_hash_mismatch row_not_of_release locator_not_cited rows_contradict",
    "not_in_force": "period_not_in_timeline provider_not_in_state release_not_in_force periods_contradict",
    "not_the_answer": "question_malformed answers_another_question body_contradicts_proof entries_out_of_order",
    "arithmetic": "unknown_method inputs_malformed price_mismatch reason_mismatch flags_mismatch sum_mismatch",
    "incomplete": "choice_not_proved rows_left_out releases_left_out entries_missing tile_unavailable "
    "tiles_not_of_checkpoint",
    "nothing_proved": "proof_missing nothing_proved",
    "tables_differ": "tables_differ",
}
_CLASS_OF = {reason: cls for cls, reasons in _REASONS.items() for reason in reasons.split()}


class Failure(Exception):
    """Ends a check. The functions of this package turn it into a verdict. `at` is the item of a list, from 1."""

    def __init__(self, reason: str, at: int | None = None) -> None:
        super().__init__(reason)
        self.reason = reason
        self.at = at


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
class ProvedRow:
    """A row that a body shows, the manifest of its release, and its place there."""

    row: dict[str, Any]
    manifest: dict[str, Any]
    index: int


@dataclass(frozen=True)
class Verdict:
    """The result of a check. Use the members below `at`, rather than the body, and only where `ok` is true."""

    ok: bool
    cls: str | None = None
    """The class, None where `ok` is true, and where a cited file does not bear a row out."""
    reason: str | None = None
    at: int | None = None
    """The item of a list that failed, from 1."""
    checkpoint: Checkpoint | None = None
    rows: tuple[ProvedRow, ...] = ()
    decisions: tuple[Decision | None, ...] = ()
    """What the rule decides on each question, None where a line of a batch was refused before the rule."""
    releases: tuple[dict[str, Any], ...] = ()
    """The manifests that a list of releases or of coverage proves, in its order."""
    figures: dict[str, Any] | None = None
    """The state of the figures that was proved."""
    recorded_at: str | None = None
    without_code: tuple[tuple[dict[str, Any], str], ...] = ()
    """The editions in force that a lookup shows to have no row of a code, by their manifests, and the code."""


def failed(failure: Failure) -> Verdict:
    return Verdict(ok=False, cls=_CLASS_OF.get(failure.reason), reason=failure.reason, at=failure.at)
