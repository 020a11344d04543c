"""What the registry log says: manifests, withdrawals and states, and the leaves of a state (docs/spec/row.md)."""

from __future__ import annotations

from typing import Any

from .forms import (
    closed, is_count, is_day, is_hash, is_instant, is_label, is_name, is_token, list_of, null_or, one_of, text,
)  # fmt: skip
from .row import is_npi
from .tables import CHARTS, HOSPITALS, WITHDRAWALS

Manifest = dict[str, Any]

is_chart = text(r"[a-z][a-z0-9-]{0,39}(:[12][0-9]{9})?")
is_digest = text(r"[0-9a-f]{64}")
_is_citation = closed(
    {
        "title": is_label,
        "url": text(r"[!-~]{0,300}"),
        "file": text(r"[A-Za-z0-9._-]{1,120}"),
        "sha256": is_digest,
        "bytes": is_count,
        "media_type": text(r"[a-z]+/[a-z0-9.+-]+"),
        "retrieved_at": is_instant,
    }
)
_has_members = closed(
    {
        "schema": one_of("price-release/3"),
        "release_id": is_token,
        "chart": is_chart,
        "edition": text(r"[A-Za-z0-9._-]{1,60}"),
        "publisher": is_label,
        "effective_from": is_day,
        "effective_to": is_day,
        "period_by": one_of("calendar", "file", "operator"),
        "citations": list_of(_is_citation),
        "row_count": is_count,
        "rows_root": is_hash,
        "unreadable_lines": is_count,
        "rejected_count": is_count,
        "data_class": one_of("published", "sample"),
        "supersedes": null_or(is_token),
        "recorded_at": is_instant,
    },
    {
        "providers": list_of(is_npi, 1, 1000),
        "overrides": list_of(closed({"rule": is_name, "reason": is_name}), 1),
        "publisher_until": is_day,
        "edits_left_out": is_count,
    },
)
_is_revision = text(r"[1-9][0-9]{0,8}")


def is_manifest(value: Any) -> bool:
    if not _has_members(value):
        return False
    series = f"{value['chart']}:{value['edition']}:"
    until = value.get("publisher_until")
    return (
        value["release_id"].startswith(series)
        and _is_revision(value["release_id"][len(series) :])
        and value["effective_from"] <= value["effective_to"]
        and ("providers" in value) == value["chart"].startswith(f"{HOSPITALS}:")
        and ("edits_left_out" in value) == (CHARTS.get(value["chart"], {}).get("rows") == "edits")
        and (until is None or (value["period_by"] == "operator" and until < value["effective_to"]))
    )


is_withdrawal = closed(
    {
        "schema": one_of("price-withdrawal/2"),
        "release_id": is_token,
        "chart": is_chart,
        "reason": one_of(*WITHDRAWALS),
        "recorded_at": is_instant,
    }
)
is_state = closed(
    {
        "schema": one_of("registry-state/2"),
        "timeline_root": is_hash,
        "timeline_size": is_count,
        "providers_root": is_hash,
        "providers_size": is_count,
        "tables": is_digest,
        "recorded_at": is_instant,
    }
)
is_period = closed({"chart": is_chart, "from": is_day, "to": is_day, "release": is_hash})
is_provider = closed({"npi": is_npi, "chart": text(rf"{HOSPITALS}:[12][0-9]{{9}}")})


def is_entry(value: Any) -> bool:
    return is_manifest(value) or is_withdrawal(value)


def prolonged(manifest: Manifest) -> dict[str, dict[str, str]]:
    """Returns the member that stands beside the rows of an edition that the operator has prolonged."""
    until = manifest.get("publisher_until")
    return {} if until is None else {"prolonged": {"publisher_until": until}}
