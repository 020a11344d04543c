"""The figures and their proof: docs/spec/figures.md."""

from __future__ import annotations

from typing import Any

from .canonical_json import canonical
from .checkpoint import check_age, open_checkpoint
from .forms import from_base64, is_closed, is_count, is_hash, is_instant, is_label, is_name, is_path, is_token
from .forms import milliseconds, null_or, one_of, text
from .merkle import leaf_hash, root_of_path
from .policy import Policy
from .verdict import Checkpoint, Failure, Verdict

PROOF_TYPE = "agent-trust-registry/figures-proof@v1"
RATES = ("w", "r", "p")
FIGURES = (*RATES, "savings_total", "savings_median")
COUNTS = ("cases_floor10", "settlements_floor10")
_TOLD_WITH_NOISE = {"unit", "median_band", "counts_standard_error"}

is_amount = text(r"[0-9]{1,18}\.[0-9]{2}")


def is_state(state: Any) -> bool:
    """True if a value has the shape of a state of the figures, and does not contradict itself."""
    if not is_closed(
        state,
        {"schema", "release_id", "as_of", "data_class", "sdc_rule_version", "metrics", *COUNTS, "recorded_at"},
        {"noise", "exact", *_TOLD_WITH_NOISE},
    ):
        return False
    metrics, noise, band = state["metrics"], state.get("noise"), state.get("median_band")
    return (
        state["schema"] == "figures-state/1"
        and null_or(is_token)(state["release_id"])
        and null_or(is_instant)(state["as_of"])
        and null_or(one_of("published", "sample"))(state["data_class"])
        and is_token(state["sdc_rule_version"])
        and is_closed(metrics, FIGURES)
        and all(_is_figure(metrics[name], name) for name in FIGURES)
        and all(null_or(is_count)(state[name]) and (state[name] or 0) % 10 == 0 for name in COUNTS)
        and ("noise" not in state or _is_noise(noise))
        and state.get("exact", True) is True
        and null_or(one_of("case", "person"))(state.get("unit"))
        and (band is None or is_closed(band, {"low", "high"}) and is_amount(band["low"]))
        and (band is None or null_or(is_amount)(band["high"]))
        and null_or(is_count)(state.get("counts_standard_error"))
        and is_instant(state["recorded_at"])
        and _agrees_about_release(state)
        and _agrees_about_noise(state)
    )


def _is_noise(noise: Any) -> bool:
    return (
        is_closed(noise, {"mechanism", "epsilon", "windows"})
        and is_name(noise["mechanism"])
        and is_token(noise["epsilon"])
        and is_name(noise["windows"])
    )


def _is_figure(figure: Any, name: str) -> bool:
    def is_value(value: Any) -> bool:
        return type(value) in (int, float) and 0 <= value <= 1 if name in RATES else is_amount(value)

    if not is_closed(figure, {"value", "suppressed", "reason", "as_of", "definition"}, {"standard_error"}):
        return False
    value, error, is_null = figure["value"], figure.get("standard_error"), figure["value"] is None
    return (
        (is_null or is_value(value))
        and (error is None or is_value(error))
        and ("standard_error" not in figure or (error is None) == is_null)
        and figure["suppressed"] is is_null
        and (is_name(figure["reason"]) if is_null else figure["reason"] is None)
        and null_or(is_instant)(figure["as_of"])
        and is_label(figure["definition"])
    )


def _agrees_about_release(state: dict[str, Any]) -> bool:
    figures = [state["metrics"][name] for name in FIGURES]
    told = [state["as_of"], state["data_class"], *(figure["as_of"] for figure in figures)]
    if state["release_id"] is None:
        return all(each is None for each in [*told, *(state[name] for name in COUNTS), *(f["value"] for f in figures)])
    return all(each is not None for each in told)


def _agrees_about_noise(state: dict[str, Any]) -> bool:
    told = [name in state for name in _TOLD_WITH_NOISE]
    told += ["standard_error" in state["metrics"][name] for name in FIGURES]
    if not any(told):
        return True
    is_released = state["release_id"] is not None
    return (
        all(told)
        and "exact" not in state
        and (state["counts_standard_error"] is None) == all(state[name] is None for name in COUNTS)
        and (state["unit"] is not None) == is_released
        and ("noise" in state if is_released else state["median_band"] is None)
    )


def body_of(state: dict[str, Any]) -> dict[str, Any]:
    """Returns the answer of `GET /api/figures` that follows from a state, without its proof."""
    metrics = state["metrics"]
    savings = {"total": metrics["savings_total"]["value"], "median": metrics["savings_median"]["value"], "currency": "USD"}
    if "median_band" in state:
        savings["median_band"] = state["median_band"]
    names = ("as_of", "release_id", "metrics", "sdc_rule_version", "data_class", *COUNTS)
    optional = ("noise", "exact", "unit", "counts_standard_error")
    return {
        **{name: metrics[name]["value"] for name in RATES},
        "savings": savings,
        "provenance": "service_outcomes_ledger",
        "pii_policy": "aggregate_only",
        **{name: state[name] for name in names},
        **{name: state[name] for name in optional if name in state},
    }


def is_change(change: Any) -> bool:
    """True if a value has the shape of a change of a figure (docs/spec/proof.md#log-entries)."""
    forms = {
        "seq": is_count,
        **dict.fromkeys(("release_id", "sdc_rule_version", "epsilon"), is_token),
        **dict.fromkeys(("released_at", "new_as_of"), is_instant),
        "old_as_of": null_or(is_instant),
        **dict.fromkeys(("metric", "reason"), is_name),
        **dict.fromkeys(("old", "new"), lambda value: value is None or type(value) in (str, int, float)),
        "ledger_root": is_hash,
    }
    optional = {"ledger_root", "epsilon"}
    return is_closed(change, forms.keys() - optional, optional) and all(forms[name](change[name]) for name in change)


def is_log_proof(log: Any) -> bool:
    return (
        is_closed(log, {"index", "inclusion", "checkpoint"})
        and is_count(log["index"])
        and is_path(log["inclusion"])
        and isinstance(log["checkpoint"], str)
    )


def verify_figures(body: dict[str, Any], policy: Policy, not_before: str | None, not_after: str | None) -> Verdict:
    """Checks the answer about the figures: the state is the last leaf of a checkpoint, and the body follows from it."""
    proof = body.get("proof")
    if proof is None:
        raise Failure("proof_missing")
    is_whole = is_closed(proof, {"type", "state", "log"}) and proof["type"] == PROOF_TYPE
    if not is_whole or not is_state(proof["state"]) or not is_log_proof(proof["log"]):
        raise Failure("proof_malformed")
    state, log = proof["state"], proof["log"]
    checkpoint = open_checkpoint(log["checkpoint"], policy)
    if not checkpoint.origin.endswith("/log/figures"):
        raise Failure("log_of_other_kind")
    if not _stands_in(checkpoint, state, log):
        raise Failure("state_not_in_log")
    if log["index"] != checkpoint.size - 1:
        raise Failure("state_not_last")
    answer = {name: member for name, member in body.items() if name != "proof"}
    if canonical(answer) != canonical(body_of(state)):
        raise Failure("body_contradicts_proof")
    check_age(checkpoint, state["recorded_at"], not_before, not_after)
    return Verdict(ok=True, cls="ok", checkpoint=checkpoint, figures=state, recorded_at=state["recorded_at"])


def _stands_in(checkpoint: Checkpoint, entry: dict[str, Any], log: dict[str, Any]) -> bool:
    try:
        path = [from_base64(item) for item in log["inclusion"]]
    except ValueError:
        return False
    leaf = leaf_hash(canonical(entry).encode())
    return root_of_path(leaf, log["index"], checkpoint.size, path) == checkpoint.root


def replay(entries: list[Any]) -> list[int]:
    """Returns the places of the entries of a figures log that do not follow from those before (docs/spec/figures.md)."""
    faults: list[int] = []
    standing: dict[str, tuple[Any, Any]] = {}
    states: list[dict[str, Any]] = []
    changes: list[dict[str, Any]] = []
    for place, entry in enumerate(entries):
        if isinstance(entry, dict) and "schema" not in entry and is_change(entry):
            if not _change_follows(entry, place, standing, states, changes):
                faults.append(place)
            standing[entry["metric"]] = (entry["new"], entry["new_as_of"])
            changes.append(entry)
        elif is_state(entry):
            if not _state_follows(entry, standing, states, changes):
                faults.append(place)
            states.append(entry)
            changes = []
        else:
            faults.append(place)
    if entries and not (states and states[-1] is entries[-1]):
        faults.append(len(entries))
    return faults


def _change_follows(
    change: dict[str, Any],
    place: int,
    standing: dict[str, tuple[Any, Any]],
    states: list[dict[str, Any]],
    changes: list[dict[str, Any]],
) -> bool:
    shared = ("release_id", "released_at", "sdc_rule_version")
    return (
        change["seq"] == place
        and bool(states)
        and (change["old"], change["old_as_of"]) == standing.get(change["metric"], (None, None))
        and change["new_as_of"] == change["released_at"]
        and all(change[name] == first[name] for first in changes[:1] for name in shared)
        and all(change["metric"] != other["metric"] for other in changes)
    )


def _state_follows(
    state: dict[str, Any],
    standing: dict[str, tuple[Any, Any]],
    states: list[dict[str, Any]],
    changes: list[dict[str, Any]],
) -> bool:
    of_state = [(state[mine], first[its]) for first in changes[:1] for mine, its in _SHARED]
    metrics = state["metrics"]
    told = {name: (metrics[name]["value"], metrics[name]["as_of"]) for name in FIGURES}
    recorded = _time(state["recorded_at"])
    earlier = [_time(each["recorded_at"]) for each in states] + ([_time(state["as_of"])] if state["as_of"] else [])
    if not (
        (state["release_id"] is None) == (not states)
        and all(mine == its for mine, its in of_state)
        and all(told[name] == standing.get(name, (None, None)) for name in FIGURES)
        and all(state[name] == standing.get(name, (None, None))[0] for name in COUNTS)
        and all(recorded >= time - 5000 for time in earlier)
    ):
        return False
    return not states or _continues(state, states[-1], {change["metric"] for change in changes})


_SHARED = (("release_id", "release_id"), ("as_of", "released_at"), ("sdc_rule_version", "sdc_rule_version"))


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
