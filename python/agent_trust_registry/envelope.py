"""The one envelope of every proof: steps 2 to 13 of docs/spec/proof.md#how-a-body-is-checked."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any

from .canonical_json import canonical
from .checkpoint import Ages, check_age, open_checkpoint
from .derivation import check_derivation
from .forms import Form, closed, from_base64, is_count, is_hash, is_path, is_text, list_of, one_of, to_base64
from .known import Known, Leaf
from .merkle import leaf_hash, root_of_leaves
from .policy import Policy
from .release import Manifest, is_entry, is_manifest, is_period, is_provider, is_state, prolonged
from .row import Row, check_is_of_release, is_price_row, is_row, key_of, leaf_of
from .tables import DIGEST
from .verdict import Checkpoint, Failure, ProvedRow, Verdict

TYPE = "agent-trust-registry/proof@v3"
Period = dict[str, str]
MAX_LEAVES, MAX_HASHES, MAX_RELEASES = 8192, 65_536, 1024


def _set_of(leaf: Form, is_bare: bool = False) -> Form:
    """The form of a set of leaves. A bare one, hashes without leaves, is only good where shown rows are the leaves."""

    def is_leaf(value: Any) -> bool:
        return isinstance(value, list) and len(value) == 2 and is_count(value[0]) and leaf(value[1])

    parts = {"leaves": list_of(is_leaf, 1, MAX_LEAVES), "hashes": list_of(is_hash, 1, MAX_HASHES)}
    is_shaped = closed({}, parts)
    return lambda value: (
        is_shaped(value)
        and ("leaves" in value or (is_bare and "hashes" in value))
        and all(before[0] < after[0] for before, after in pairwise(value.get("leaves", ())))
    )


_is_proof = closed(
    {
        "type": one_of(TYPE),
        "log": closed(
            {"index": is_count, "checkpoint": is_text},
            {"inclusion": lambda value: is_path(value) and bool(value)},
        ),
        "state": is_state,
    },
    {
        "timeline": _set_of(is_period),
        "providers": _set_of(is_provider),
        "entries": _set_of(is_entry),
        "releases": list_of(closed({"release": is_manifest}, {"rows": _set_of(is_row, is_bare=True)}), 1, MAX_RELEASES),
    },
)
_is_pointer = closed({"release": is_count, "index": is_count, "leaf_hash": is_hash})


@dataclass(frozen=True)
class ShownRow:
    """A row that a body shows, with what stands beside it."""

    row: Row
    release: int
    index: int
    told: dict[str, Any]
    """The member `prolonged`, if it stands there."""
    leaf: bytes
    at: int | None


@dataclass(frozen=True)
class Release:
    manifest: Manifest
    name: str
    """The leaf hash of the manifest, as periods state it."""
    period: Period | None
    """When it is in force; None where it is so on no day."""
    rows: Known


@dataclass(frozen=True)
class Evidence:
    """All that a body proves."""

    checkpoint: Checkpoint
    state: dict[str, Any]
    timeline: Known
    providers: Known
    entries: dict[int, Any]
    releases: tuple[Release, ...]

    def release_of(self, shown: ShownRow) -> Release:
        return self.releases[shown.release]

    def verdict(self, shown: Iterable[ShownRow | None], **proved: Any) -> Verdict:
        """Returns the verdict that all of this is proved, with these rows as answers."""
        rows = [ProvedRow(each.row, self.release_of(each).manifest, each.index) for each in shown if each]
        return Verdict(
            ok=True, checkpoint=self.checkpoint, rows=tuple(rows), recorded_at=self.state["recorded_at"], **proved
        )

    @cached_property
    def _by_name(self) -> dict[str, Release]:
        return {release.name: release for release in self.releases}

    @cached_property
    def names(self) -> dict[int, str]:
        """The leaf hashes of the entries, as periods state them."""
        return {index: name_of(entry) for index, entry in self.entries.items()}

    def named(self, period: Period) -> Release:
        """Returns the release of a period. Fails if it is not shown."""
        release = self._by_name.get(period["release"])
        if release is None:
            raise Failure("choice_not_proved")
        return release

    def held(self, chart: str, day: str) -> Release | None:
        """Returns the edition of a chart that is in force on a day, None if there is none."""
        for period in self.timeline.known_under(f"{chart}|"):
            if period["from"] <= day <= period["to"]:
                return self.named(period)
        last = self.timeline.up_to(f"{chart}|{day}")
        assert not (last and last["chart"] == chart and day <= last["to"])
        return None


def name_of(entry: dict[str, Any]) -> str:
    return to_base64(leaf_hash(canonical(entry).encode()))


def take_row(
    value: Any, at: int | None = None, beside: frozenset[str] = frozenset(), pointer: str = "proof"
) -> ShownRow:
    """Takes a shown row with its pointer. `beside` are members that stand beside the row, and are none of its own."""
    if not isinstance(value, dict):
        raise Failure("row_malformed", at)
    row = {name: member for name, member in value.items() if name not in beside | {pointer, "prolonged"}}
    if not is_row(row):
        raise Failure("row_malformed", at)
    if pointer not in value:
        raise Failure("proof_missing", at)
    points = value[pointer]
    if not _is_pointer(points):
        raise Failure("proof_malformed", at)
    leaf = leaf_of(row)
    if to_base64(leaf) != points["leaf_hash"]:
        raise Failure("leaf_hash_mismatch", at)
    told = {name: value[name] for name in ("prolonged",) if name in value}
    return ShownRow(row, points["release"], points["index"], told, leaf, at)


def check_proof(body: dict[str, Any], shown: list[ShownRow], policy: Policy, ages: Ages) -> Evidence:
    """Checks the proof of a body, the rows that it shows, and the age of the view."""
    if "proof" not in body:
        raise Failure("proof_missing")
    proof = body["proof"]
    if not _is_proof(proof):
        raise Failure("proof_malformed")
    log, state = proof["log"], proof["state"]
    if _names_checkpoint({**body, "proof": {**proof, "log": None}}):
        raise Failure("mixed_checkpoints")
    checkpoint = open_checkpoint(log["checkpoint"], policy)
    if not checkpoint.origin.endswith("/log/registry"):
        raise Failure("log_of_other_kind")
    root = to_base64(checkpoint.root)
    place = {"leaves": [[log["index"], state]], "hashes": log.get("inclusion", [])}
    if not _leads_to(root, checkpoint.size, place):
        raise Failure("state_not_in_log")
    if log["index"] != checkpoint.size - 1:
        raise Failure("state_not_last")
    if state["tables"] != DIGEST:
        raise Failure("tables_differ")
    timeline, providers = _timeline(proof.get("timeline"), state), _providers(proof.get("providers"), state)
    if "entries" in proof and not _leads_to(root, checkpoint.size, proof["entries"]):
        raise Failure("entry_not_in_log")
    entries = _leaves(proof.get("entries"))
    releases = _releases(proof.get("releases", []), shown, timeline, entries)
    for each in shown:
        if is_price_row(each.row):
            check_derivation(each.row)
    check_age(checkpoint, state["recorded_at"], *ages)
    return Evidence(checkpoint, state, timeline, providers, dict(entries), tuple(releases))


def _names_checkpoint(value: Any) -> bool:
    if isinstance(value, dict):
        return "checkpoint" in value or any(map(_names_checkpoint, value.values()))
    return isinstance(value, list) and any(map(_names_checkpoint, value))


def _leaves(leaves: Any) -> list[Leaf]:
    return [(index, leaf) for index, leaf in (leaves or {}).get("leaves", [])]


def _leads_to(root: str, size: int, leaves: dict[str, Any], beside: dict[int, bytes] | None = None) -> bool:
    """True if a set of leaves, with others whose hashes are known already, leads to a root."""
    hashes = [(index, leaf_hash(canonical(leaf).encode())) for index, leaf in leaves.get("leaves", [])]
    try:
        known_root, missing = from_base64(root), [from_base64(text) for text in leaves.get("hashes", [])]
    except ValueError:
        return False
    return root_of_leaves(sorted([*hashes, *(beside or {}).items()]), size, missing) == known_root


def _timeline(leaves: Any, state: dict[str, Any]) -> Known:
    if leaves and not _leads_to(state["timeline_root"], state["timeline_size"], leaves):
        raise Failure("period_not_in_timeline")
    key_of_period = "{chart}|{from}".format_map
    known = Known(_leaves(leaves), key_of_period, state["timeline_size"], "periods_contradict")
    overlaps = any(a["chart"] == b["chart"] and b["from"] <= a["to"] for a, b in pairwise(known.leaves))
    if overlaps or any(period["to"] < period["from"] for period in known.leaves):
        raise Failure("periods_contradict")
    return known


def _providers(leaves: Any, state: dict[str, Any]) -> Known:
    if leaves and not _leads_to(state["providers_root"], state["providers_size"], leaves):
        raise Failure("provider_not_in_state")
    known = Known(_leaves(leaves), "{npi}|{chart}".format_map, state["providers_size"], "periods_contradict")
    if any(a["npi"] == b["npi"] for a, b in pairwise(known.leaves)):
        raise Failure("periods_contradict")
    return known


def _releases(stated: list[Any], shown: list[ShownRow], timeline: Known, entries: list[Leaf]) -> list[Release]:
    rows_of: list[list[ShownRow]] = [[] for _ in stated]
    for each in shown:
        if each.release >= len(stated):
            raise Failure("proof_malformed", each.at)
        rows_of[each.release].append(each)
    published = {name_of(entry) for _, entry in entries}
    periods = by_release(timeline)
    releases = [_release(each, rows, periods, published) for each, rows in zip(stated, rows_of)]
    if len({release.name for release in releases}) < len(releases):
        raise Failure("proof_malformed")
    return releases


def _release(
    stated: dict[str, Any], shown: list[ShownRow], periods: dict[str, list[Period]], published: set[str]
) -> Release:
    manifest, rows = stated["release"], stated.get("rows", {})
    name = name_of(manifest)
    period = check_period(manifest, periods.get(name, []))
    if period is None and name not in published:
        raise Failure("release_not_in_force")
    leaves, by_index = dict(_leaves(rows)), {each.index: each for each in shown}
    for each in shown:
        if by_index[each.index].leaf != each.leaf or each.index in leaves:
            raise Failure("rows_contradict", each.at)
        if each.told != prolonged(manifest):
            raise Failure("body_contradicts_proof", each.at)
    hashes = {index: each.leaf for index, each in by_index.items()}
    if (rows or hashes) and not _leads_to(manifest["rows_root"], manifest["row_count"], rows, hashes):
        raise Failure("row_not_in_release")
    leaves.update((index, each.row) for index, each in by_index.items())
    for row in leaves.values():
        check_is_of_release(row, manifest)
    return Release(
        manifest, name, period, Known(sorted(leaves.items()), key_of, manifest["row_count"], "rows_contradict")
    )


def by_release(timeline: Known) -> dict[str, list[Period]]:
    periods: dict[str, list[Period]] = {}
    for period in timeline.leaves:
        periods.setdefault(period["release"], []).append(period)
    return periods


def check_period(manifest: Manifest, named: list[Period], at: int | None = None) -> Period | None:
    """Returns the period that names a manifest, None if the release is in force on no day."""
    for period in named:
        chart_and_day = (manifest["chart"], manifest["effective_from"])
        if (period["chart"], period["from"]) != chart_and_day or period["to"] > manifest["effective_to"]:
            raise Failure("release_not_in_force", at)
    return named[0] if named else None
