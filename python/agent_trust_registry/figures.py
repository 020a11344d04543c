"""The figures and their proof: docs/spec/figures.md."""

from __future__ import annotations

from typing import Any

from .canonical_json import canonical
from .checkpoint import check_age, open_checkpoint
from .forms import (
    Form, closed, from_base64, is_count, is_instant, is_label, is_name, is_path, is_text, is_token, null_or, one_of,
    text,
)  # fmt: skip
from .merkle import leaf_hash, root_of_leaves
from .policy import Policy
from .verdict import Checkpoint, Failure, Verdict

PROOF_TYPE = "agent-trust-registry/figures-proof@v1"
RATES = ("w", "r", "p")
FIGURES = (*RATES, "savings_total", "savings_median")
COUNTS = ("cases_floor10", "settlements_floor10")

_is_amount = text(r"[0-9]{1,18}\.[0-9]{2}")


def _is_rate(value: Any) -> bool:
    return type(value) in (int, float) and 0 <= value <= 1


def _is_floored_count(value: Any) -> bool:
    return is_count(value) and value % 10 == 0


def _figure(is_value: Form) -> Form:
    is_shaped = closed(
        {
            "value": null_or(is_value),
            "suppressed": lambda value: isinstance(value, bool),
            "reason": null_or(is_name),
            "as_of": null_or(is_instant),
            "definition": is_label,
        },
        {"standard_error": null_or(is_value)},
    )
    return lambda figure: (
        is_shaped(figure)
        and figure["suppressed"] == (figure["value"] is None) == (figure["reason"] is not None)
        and ("standard_error" not in figure or (figure["standard_error"] is None) == figure["suppressed"])
    )


_has_shape = closed(
    {
        "schema": one_of("figures-state/1"),
        "release_id": null_or(is_token),
        "as_of": null_or(is_instant),
        "data_class": null_or(one_of("published", "sample")),
        "sdc_rule_version": is_token,
        "metrics": closed({name: _figure(_is_rate if name in RATES else _is_amount) for name in FIGURES}),
        **{name: null_or(_is_floored_count) for name in COUNTS},
        "recorded_at": is_instant,
    },
    {
        "noise": closed({"mechanism": is_name, "epsilon": is_token, "windows": is_name}),
        "exact": lambda value: value is True,
        "unit": null_or(one_of("case", "person")),
        "median_band": null_or(closed({"low": _is_amount, "high": null_or(_is_amount)})),
        "counts_standard_error": null_or(is_count),
    },
)


def is_state(state: Any) -> bool:
    """True if a value has the shape of a state of the figures, and does not contradict itself."""
    return _has_shape(state) and _agrees_about_release(state) and _agrees_about_noise(state)


def _agrees_about_release(state: dict[str, Any]) -> bool:
    figures = [state["metrics"][name] for name in FIGURES]
    told = [state["as_of"], state["data_class"], *(figure["as_of"] for figure in figures)]
    if state["release_id"] is None:
        return all(each is None for each in [*told, *(state[name] for name in COUNTS), *(f["value"] for f in figures)])
    return all(each is not None for each in told)


def _agrees_about_noise(state: dict[str, Any]) -> bool:
    told = [name in state for name in ("unit", "median_band", "counts_standard_error")]
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
    total, median = (metrics[name]["value"] for name in ("savings_total", "savings_median"))
    savings = {"total": total, "median": median, "currency": "USD"}
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


is_log_proof = closed({"index": is_count, "inclusion": is_path, "checkpoint": is_text})
_is_proof = closed({"type": one_of(PROOF_TYPE), "state": is_state, "log": is_log_proof})


def verify_figures(body: dict[str, Any], policy: Policy, not_before: str | None, not_after: str | None) -> Verdict:
    """Checks the answer about the figures: the state is the last leaf of a checkpoint, and the body follows from it."""
    proof = body.get("proof")
    if proof is None:
        raise Failure("proof_missing")
    if not _is_proof(proof):
        raise Failure("proof_malformed")
    state, log = proof["state"], proof["log"]
    checkpoint = open_checkpoint(log["checkpoint"], policy)
    if not checkpoint.origin.endswith("/log/figures"):
        raise Failure("log_of_other_kind")
    if not stands_in(checkpoint, state, log):
        raise Failure("state_not_in_log")
    if log["index"] != checkpoint.size - 1:
        raise Failure("state_not_last")
    answer = {name: member for name, member in body.items() if name != "proof"}
    if canonical(answer) != canonical(body_of(state)):
        raise Failure("body_contradicts_proof")
    check_age(checkpoint, state["recorded_at"], not_before, not_after)
    return Verdict(ok=True, checkpoint=checkpoint, figures=state, recorded_at=state["recorded_at"])


def stands_in(checkpoint: Checkpoint, entry: dict[str, Any], log: dict[str, Any]) -> bool:
    try:
        path = [from_base64(item) for item in log["inclusion"]]
    except ValueError:
        return False
    leaf = leaf_hash(canonical(entry).encode())
    return root_of_leaves([(log["index"], leaf)], checkpoint.size, path) == checkpoint.root
