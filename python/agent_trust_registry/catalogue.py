"""Lists of releases and of coverage, each a stretch of the timeline (docs/spec/lists.md#stretches-of-the-timeline)."""

from __future__ import annotations

from typing import Any

from .canonical_json import canonical
from .checkpoint import Ages
from .envelope import Evidence, Period, by_release, check_period, check_proof
from .forms import Form, closed, is_count, is_day, list_of
from .lists import OF_LIST, Body, anything, check_form, is_object, is_page, read_asked, require
from .policy import Policy
from .release import Manifest, is_manifest, is_withdrawal
from .verdict import Failure, Verdict

_STRETCH: dict[str, Form] = {"data": list_of(anything, most=200), "page": is_page, "from": is_count}
_is_releases = closed(_STRETCH, OF_LIST)
_is_coverage = closed({**_STRETCH, "as_of": is_day}, OF_LIST)


def _check_stretch(body: Body, end: int, chart: str | None, evidence: Evidence) -> list[Period]:
    """Returns the periods from `from` up to `end`. All are shown, and the stretch begins and ends as the page says."""
    by_index = evidence.timeline.by_index
    first, page = body["from"], body["page"]
    is_shown = first <= end <= first + len(by_index) and all(index in by_index for index in range(first, end))
    begins = first == 0 or (chart is not None and first - 1 in by_index and _key(by_index[first - 1]) < f"{chart}|")
    is_whole = (page["offset"] > 0 or begins) and (page["has_more"] or _is_end(end, chart, evidence))
    require(is_shown and is_whole and (bool(body["data"]) or not page["has_more"]), "releases_left_out")
    return [by_index[index] for index in range(first, end)]


def _key(period: Period) -> str:
    return f"{period['chart']}|{period['from']}"


def _is_end(index: int, chart: str | None, evidence: Evidence) -> bool:
    """True if the list ends before this index: at the end of the timeline, or of the periods of the one chart."""
    after = evidence.timeline.by_index.get(index)
    is_of_next = after is not None and after["chart"] != chart and _key(after) > f"{chart}|"
    return index == evidence.timeline.size or (chart is not None and is_of_next)


def _rest(item: Body) -> str:
    return canonical({name: member for name, member in item.items() if name != "about"})


def _days(period: Period) -> dict[str, str]:
    return {"from": period["from"], "to": period["to"]}


# Releases


def verify_releases(body: Body, policy: Policy, asked: Any, ages: Ages) -> Verdict:
    check_form(_is_releases, body)
    evidence = check_proof(body, [], policy, ages)
    items: list[Body] = body["data"]
    named = by_release(evidence.timeline)
    periods, before = list[Period | None](), None
    for at, item in enumerate(items, 1):
        periods.append(_check_item(item, evidence, named, at))
        place = (f"{item['chart']}|{item['effective_from']}", "in_force" not in item, item["log_index"])
        require(before is None or before < place, "entries_out_of_order", at)
        before = place
    if asked is None:
        require(bool(items), "nothing_proved")
    else:
        parts = read_asked(asked, ("chart", "state", "offset"))
        chart, state = parts.get("chart"), parts.get("state")
        require(body["page"]["offset"] == parts.get("offset", 0))
        require(all(chart in (None, item["chart"]) and state in (None, item["state"]) for item in items))
        if state in (None, "published"):
            in_force = [period for period in periods if period]
            stretch = _check_stretch(body, body["from"] + len(in_force), chart, evidence)
            require(stretch == in_force, "releases_left_out")
        else:
            require(bool(items), "nothing_proved")
    return evidence.verdict([], releases=tuple(evidence.entries[item["log_index"]] for item in items))


def _check_item(item: Body, evidence: Evidence, by_name: dict[str, list[Period]], at: int) -> Period | None:
    """Checks an item against its manifest and its withdrawal, and returns the period of its release."""
    require(is_object(item), "nothing_proved", at)
    index, withdrawn = item.get("log_index"), item.get("withdrawn_log_index")
    manifest: Any = evidence.entries.get(index) if is_count(index) else None
    require(is_manifest(manifest), "nothing_proved", at)
    period = check_period(manifest, by_name.get(evidence.names[item["log_index"]], []), at)
    names = ("release_id", "chart", "edition", "effective_from", "effective_to", "row_count", "rejected_count")
    follows = {each: manifest[each] for each in (*names, "data_class")}
    follows |= {"published_at": manifest["recorded_at"], "log_index": index}
    follows |= {} if manifest["supersedes"] is None else {"supersedes": manifest["supersedes"]}
    follows |= {"in_force": _days(period)} if period else {}
    if "withdrawn_log_index" in item:
        withdrawal: Any = evidence.entries.get(withdrawn) if is_count(withdrawn) else None
        require(is_withdrawal(withdrawal), "body_contradicts_proof", at)
        is_of_release = all(withdrawal[name] == manifest[name] for name in ("release_id", "chart"))
        require(is_of_release and period is None, at=at)
        follows |= {"withdrawn_log_index": withdrawn, "withdrawn_at": withdrawal["recorded_at"]}
        follows |= {"withdrawn_reason": withdrawal["reason"], "state": "withdrawn"}
    else:
        follows |= {"state": "published" if period else "replaced"}
    require(_rest(item) == canonical(follows), "body_contradicts_proof", at)
    if period is None:
        _check_is_explained(manifest, item, evidence, at)
    return period


def _check_is_explained(manifest: Manifest, item: Body, evidence: Evidence, at: int) -> None:
    """A release that is in force on no day has no period, and if it is not withdrawn, another has its place."""
    try:
        instead = evidence.timeline.up_to(f"{manifest['chart']}|{manifest['effective_from']}")
    except Failure as failure:
        raise Failure(failure.reason, at) from None
    if item["state"] == "withdrawn":
        return
    first_days = (manifest["chart"], manifest["effective_from"])
    named = instead["release"] if instead and (instead["chart"], instead["from"]) == first_days else None
    for index, entry in evidence.entries.items():
        if entry["schema"] == manifest["schema"] and entry["chart"] == manifest["chart"] and index > item["log_index"]:
            if entry["edition"] == manifest["edition"] or evidence.names[index] == named:
                return
    raise Failure("body_contradicts_proof", at)


# Coverage


def verify_coverage(body: Body, policy: Policy, asked: Any, ages: Ages) -> Verdict:
    check_form(_is_coverage, body)
    evidence = check_proof(body, [], policy, ages)
    items, as_of = body["data"], body["as_of"]
    found = list[tuple[Manifest, Period]]()
    for at, item in enumerate(items, 1):
        found.append(_find_covered(item, as_of, evidence, at))
        in_order = at == 1 or _key(found[-2][1]) < _key(found[-1][1])
        require(in_order, "entries_out_of_order", at)
    periods = [period for _, period in found]
    if asked is None:
        require(bool(items), "nothing_proved")
    else:
        parts = read_asked(asked, ("as_of", "chart", "cpt", "npi", "offset"))
        require(is_day(parts.get("as_of")), "question_malformed")
        require(parts["as_of"] == as_of and body["page"]["offset"] == parts.get("offset", 0))
        _check_covered(body, periods, parts, evidence)
    return evidence.verdict([], releases=tuple(manifest for manifest, _ in found))


def _find_covered(item: Body, as_of: str, evidence: Evidence, at: int) -> tuple[Manifest, Period]:
    for release in evidence.releases if is_object(item) else ():
        manifest, period = release.manifest, release.period
        if period and manifest["release_id"] == item.get("release_id") and period["from"] <= as_of <= period["to"]:
            names = ("chart", "publisher", "release_id", "edition", "effective_from", "data_class")
            follows = {each: manifest[each] for each in names}
            follows |= {"kind": "chart", "in_force": _days(period), "rows": manifest["row_count"]}
            require(_rest(item) == canonical(follows), "body_contradicts_proof", at)
            return manifest, period
    raise Failure("release_not_in_force", at)


def _check_covered(body: Body, periods: list[Period], parts: Body, evidence: Evidence) -> None:
    chart, timeline = parts.get("chart"), evidence.timeline
    require(all(chart in (None, period["chart"]) for period in periods))
    if "cpt" in parts or "npi" in parts:
        # That the editions between do not have the code or the provider is the word of the service.
        return require(bool(periods), "nothing_proved")
    if body["page"]["has_more"]:
        end = timeline.indexes[timeline.leaves.index(periods[-1])] + 1 if periods else body["from"]
    else:
        ends = (index for index in timeline.indexes if index >= body["from"] and _is_end(index, chart, evidence))
        end = next(ends, timeline.size)
    stretch = _check_stretch(body, end, chart, evidence)
    held = [each for each in stretch if each["from"] <= body["as_of"] <= each["to"] and chart in (None, each["chart"])]
    require(periods == held, "releases_left_out")
