"""What an address asks, in the words of `verify`."""

from __future__ import annotations

from datetime import datetime, timezone
from typing import Any
from urllib.parse import parse_qsl, urlsplit

Asked = dict[str, Any]
_KINDS = {
    "/reference": "question",
    "/reference/sheet": "sheet",
    "/reference/history": "history",
    "/api/registry": "page",
    "/api/releases": "releases",
    "/api/coverage": "coverage",
}
_OF_A_DAY = {"question", "sheet", "page", "coverage"}
_NOT_ASKED = {"proof", "limit", "after"}
"""Parameters that choose how much is answered, not what."""


def today() -> str:
    return f"{datetime.now(timezone.utc):%Y-%m-%d}"


def asked_by(address: str) -> Asked | None:
    """Returns what an answer from this address must answer; None of permalinks and changes of figures, which ask nothing.

    Without a day today is meant, as the service takes it. Raises ValueError for an address that gives no answer of
    these kinds.
    """
    parts = urlsplit(address)
    for path, kind in _KINDS.items():
        if parts.path.endswith(path):
            sent = parse_qsl(parts.query, keep_blank_values=True)
            query: Asked = {name: value for name, value in sent if name not in _NOT_ASKED}
            if kind in ("history", "releases", "coverage") or "offset" in query:
                query["offset"] = int(query.get("offset") or 0)
            if kind == "page":
                query.pop("offset", None)
            return {kind: {**query, "as_of": query.get("as_of") or today()} if kind in _OF_A_DAY else query}
    if parts.path.endswith("/api/figures"):
        return {"figures": True}
    if parts.path.endswith("/checkpoint"):
        return {"checkpoint": True}
    if "/rows/" in parts.path or parts.path.endswith("/api/figure-changes"):
        return None
    raise ValueError("no address of an answer that can be checked")
