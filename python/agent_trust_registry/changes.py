"""Pages of changes of the figures (docs/spec/figures.md#change-entries)."""

from __future__ import annotations

from typing import Any

from .checkpoint import Ages, check_age, open_checkpoint
from .figures import is_log_proof, is_state, stands_in
from .figures_log import is_change
from .forms import Form, closed, null_or, one_of
from .policy import Policy
from .verdict import Checkpoint, Failure, Verdict

_MEMBERS = frozenset({"data", "states", "data_class", "page", "links", "as_of"})
_is_data_class = null_or(one_of("published", "sample"))
_has_proof = closed({"log": is_log_proof})


def verify_changes(body: dict[str, Any], policy: Policy, _: Any, ages: Ages) -> Verdict:
    states = body.get("states", [])
    if not body.keys() <= _MEMBERS or not isinstance(states, list) or not _is_data_class(body.get("data_class")):
        raise Failure("not_recognised")
    opened: dict[str, Checkpoint] = {}
    changes = [_index(entry, is_change, opened, policy, at) for at, entry in enumerate(body["data"], 1)]
    indexes = changes + [_index(entry, is_state, opened, policy, None) for entry in states]
    if len(set(indexes)) < len(indexes):
        raise Failure("repeated_item")
    if not opened:
        raise Failure("nothing_proved")
    note, checkpoint = next(iter(opened.items()))
    if not _has_one_checkpoint(body, note):
        raise Failure("mixed_checkpoints")
    if changes not in (sorted(changes), sorted(changes, reverse=True)):
        raise Failure("entries_out_of_order")
    check_age(checkpoint, None, *ages)
    return Verdict(ok=True, checkpoint=checkpoint)


def _has_one_checkpoint(value: Any, known: str) -> bool:
    if isinstance(value, dict):
        return value.get("checkpoint", known) == known and all(_has_one_checkpoint(v, known) for v in value.values())
    return not isinstance(value, list) or all(_has_one_checkpoint(item, known) for item in value)


def _index(entry: Any, form: Form, opened: dict[str, Checkpoint], policy: Policy, at: int | None) -> int:
    """Checks an entry with its proof, and returns its place in the log."""
    if not isinstance(entry, dict) or not _has_proof(entry.get("proof")):
        raise Failure("proof_malformed", at)
    log, rest = entry["proof"]["log"], {name: member for name, member in entry.items() if name != "proof"}
    if not form(rest):
        raise Failure("entry_malformed", at)
    note: str = log["checkpoint"]
    if note not in opened:
        opened[note] = open_checkpoint(note, policy)
    if not opened[note].origin.endswith("/log/figures"):
        raise Failure("log_of_other_kind", at)
    if not stands_in(opened[note], rest, log):
        raise Failure("entry_not_in_log", at)
    index: int = log["index"]
    if form is is_change and rest["seq"] != index:
        raise Failure("seq_not_its_place", at)
    return index
