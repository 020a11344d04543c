"""The figures log, replayed: whether each entry follows from those before it (docs/spec/figures.md#replay)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from .figures import COUNTS, FIGURES, is_state
from .forms import closed, is_count, is_hash, is_instant, is_name, is_token, milliseconds, null_or

Entry = dict[str, Any]


def _is_value(value: Any) -> bool:
    return value is None or type(value) in (str, int, float)


is_change = closed(
    {
        "seq": is_count,
        "release_id": is_token,
        "released_at": is_instant,
        "metric": is_name,
        "old": _is_value,
        "new": _is_value,
        "old_as_of": null_or(is_instant),
        "new_as_of": is_instant,
        "reason": is_name,
        "sdc_rule_version": is_token,
    },
    {"ledger_root": is_hash, "epsilon": is_token},
)
"""A change of a figure (docs/spec/proof.md#log-entries)."""


@dataclass
class _Log:
    """What the entries so far have said. A fault is told, and what it says stands all the same."""

    standing: dict[str, tuple[Any, Any]] = field(default_factory=dict)
    states: list[Entry] = field(default_factory=list)
    changes: list[Entry] = field(default_factory=list)
    """Those since the last state: the changes of the open release."""

    def stands(self, metric: str) -> tuple[Any, Any]:
        return self.standing.get(metric, (None, None))


def replay(entries: list[Any]) -> list[int]:
    """Returns the places of the entries of a figures log that do not follow from those before."""
    faults: list[int] = []
    log = _Log()
    for place, entry in enumerate(entries):
        if is_change(entry):
            follows = _change_follows(entry, place, log)
            log.standing[entry["metric"]] = (entry["new"], entry["new_as_of"])
            log.changes.append(entry)
        elif is_state(entry):
            follows = _state_follows(entry, log)
            log.states.append(entry)
            log.changes = []
        else:
            follows = False
        faults += [] if follows else [place]
    if entries and not (log.states and log.states[-1] is entries[-1]):
        faults.append(len(entries))
    return faults


def _change_follows(change: Entry, place: int, log: _Log) -> bool:
    shared = ("release_id", "released_at", "sdc_rule_version")
    return (
        change["seq"] == place
        and bool(log.states)
        and (change["old"], change["old_as_of"]) == log.stands(change["metric"])
        and change["new_as_of"] == change["released_at"]
        and all(change[name] == first[name] for first in log.changes[:1] for name in shared)
        and all(change["metric"] != other["metric"] for other in log.changes)
    )


_OF_RELEASE = {"release_id": "release_id", "as_of": "released_at", "sdc_rule_version": "sdc_rule_version"}


def _state_follows(state: Entry, log: _Log) -> bool:
    figures = {name: state["metrics"][name] for name in FIGURES}
    earlier = [each["recorded_at"] for each in log.states] + ([state["as_of"]] if state["as_of"] else [])
    return (
        (state["release_id"] is None) == (not log.states)
        and all(state[mine] == first[its] for first in log.changes[:1] for mine, its in _OF_RELEASE.items())
        and all((figure["value"], figure["as_of"]) == log.stands(name) for name, figure in figures.items())
        and all(state[name] == log.stands(name)[0] for name in COUNTS)
        and all(_time(state["recorded_at"]) >= _time(time) - 5000 for time in earlier)
        and (not log.states or _continues(state, log.states[-1], {change["metric"] for change in log.changes}))
    )


def _time(instant: str) -> int:
    time = milliseconds(instant)
    assert time is not None
    return time


def _continues(state: dict[str, Any], before: dict[str, Any], changed: set[str]) -> bool:
    """Rules 4 and 7: what may differ from the state before depends on what changed since, and on the rule."""
    has_new_rule = state["sdc_rule_version"] != before["sdc_rule_version"]
    is_first = before["release_id"] is None
    begins_series = is_first or (has_new_rule and changed >= {*FIGURES, *COUNTS})
    figures = [(name, state["metrics"][name], before["metrics"][name]) for name in FIGURES]
    return (
        state["release_id"] != before["release_id"]
        and (state["as_of"] or "") >= (before["as_of"] or "")
        and all(name in changed or now["reason"] == then["reason"] for name, now, then in figures)
        and all(
            (name in changed and (has_new_rule or is_first)) or now["definition"] == then["definition"]
            for name, now, then in figures
        )
        and (before["data_class"] != "sample" or state["data_class"] == "sample")
        and (begins_series or _keeps_series(state, before, changed))
    )


def _keeps_series(state: dict[str, Any], before: dict[str, Any], changed: set[str]) -> bool:
    return (
        ("noise" in state) == ("noise" in before)
        and (bool(changed) or state.get("noise") == before.get("noise"))
        and ("unit" in state) == ("unit" in before)
        and state.get("unit") == before.get("unit")
        and ("exact" in state or "exact" not in before)
    )
