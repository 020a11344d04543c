"""The figures and their proof: docs/spec/figures.md."""

from __future__ import annotations

from typing import Any

from .canonical_json import canonical
from .checkpoint import check_age, open_checkpoint
from .forms import from_base64, is_closed, is_count, is_instant, is_label, is_name, is_path, is_token
from .forms import null_or, one_of, text
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
