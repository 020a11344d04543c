"""Checkpoints (C2SP tlog-checkpoint and tlog-cosignature): who signed a tree head, and when it was the newest."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone

from .canonical_json import MAX_INTEGER
from .forms import LAST_MOMENT, milliseconds
from .note import WITNESS_KEY, Key, Note, cosigned_at, log_signed, read_note
from .policy import Policy, read_root, read_size
from .verdict import Checkpoint, Failure

_CLOCKS_MAY_DIFFER = timedelta(minutes=1)

Ages = tuple[str | None, str | None]
"""The oldest view that will do, and the reader's own time."""


def open_checkpoint(text: str, policy: Policy) -> Checkpoint:
    """Returns a checkpoint that the policy believes. The steps are those of docs/spec/log.md, in their order."""
    note = read_note(text)
    signers = _signers(note, [*policy.logs, *(each.key for each in policy.retired)])
    origin, size, root = _head(note.text)
    named = [key for key in signers if key.name == origin]
    if not named:
        raise Failure("origin_not_pinned")
    is_of_retired_key = not any(key in policy.logs for key in named)
    if is_of_retired_key and not any(
        each.key in named and (each.size > size or (each.size, each.root) == (size, root)) for each in policy.retired
    ):
        raise Failure("key_retired")
    times = _cosigners(note, policy)
    if not policy.is_met_by(set(times)):
        raise Failure("quorum_not_met")
    cosigners = tuple((policy.witnesses[name].name, seconds) for name, seconds in times.items())
    return Checkpoint(origin, size, root, cosigners, is_of_retired_key, text)


def _signers(note: Note, keys: list[Key]) -> list[Key]:
    """Returns the pinned keys that signed. Only the first line of each is looked at, and that must be good. Of two keys
    with one name and id it is a line of the first."""
    signers: list[Key] = []
    for signature in note.signatures:
        key = next((each for each in keys if each.has_signed(signature)), None)
        if key is None or key in signers:
            continue
        if not log_signed(key, signature, note.text):
            raise Failure("note_signature_invalid")
        signers.append(key)
    if not signers:
        raise Failure("note_unsigned")
    return signers


def _head(text: str) -> tuple[str, int, bytes]:
    lines = text.split("\n")
    if len(lines) != 4 or lines[0] == "":
        raise Failure("checkpoint_malformed")
    try:
        return lines[0], read_size(lines[1]), read_root(lines[2])
    except ValueError:
        raise Failure("checkpoint_malformed") from None


def _cosigners(note: Note, policy: Policy) -> dict[str, int]:
    """Returns the latest time of each witness of the policy that cosigned. Every line of theirs must be good; those of
    ML-DSA-44, which this package cannot check, are passed over like those of strangers."""
    times: dict[str, int] = {}
    for signature in note.signatures:
        for name, key in policy.witnesses.items():
            if key.type == WITNESS_KEY and key.has_signed(signature):
                seconds = cosigned_at(key, signature, note.text)
                if seconds is None or seconds > MAX_INTEGER:
                    raise Failure("note_signature_invalid")
                times[name] = max(seconds, times.get(name, 0))
    return times


def view_time(checkpoint: Checkpoint, recorded_at: str | None) -> int | None:
    """Returns in milliseconds when a checkpoint was the newest of its log, as far as anything tells."""
    if checkpoint.is_of_retired_key:
        return None
    times = sorted(seconds for _, seconds in checkpoint.cosigners)
    time = times[(len(times) - 1) // 2] * 1000 if times else milliseconds(recorded_at)
    return None if time is None else min(time, LAST_MOMENT)


def check_age(checkpoint: Checkpoint, recorded_at: str | None, not_before: str | None, not_after: str | None) -> None:
    """Refuses a view that is older than `not_before`, dated after `not_after`, or of no known time."""
    if not_before is None and not_after is None:
        return
    seen = view_time(checkpoint, recorded_at)
    first = 0 if not_before is None else milliseconds(not_before)
    last = LAST_MOMENT if not_after is None else milliseconds(not_after)
    if seen is None or first is None or last is None or seen > last or (not_before is not None and seen < first):
        raise Failure("state_too_old")


def since(max_age: timedelta | None) -> Ages:
    """Returns the oldest view that will do by the clock of this machine, and the latest that is not dated ahead."""
    if max_age is None:
        return None, None
    now = datetime.now(timezone.utc)
    return f"{now - max_age:%Y-%m-%dT%H:%M:%SZ}", f"{now + _CLOCKS_MAY_DIFFER:%Y-%m-%dT%H:%M:%SZ}"
