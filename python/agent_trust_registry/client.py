"""The client: every route that an agent asks, with typed answers. Nothing but the standard library is needed."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any, Concatenate, ParamSpec, TypeVar, cast
from urllib.parse import quote, urlencode, urlsplit

from .answers import Batch, Coverage, Figures, History, Reference, Releases, Row, Rows, Sheet
from .problems import NotAdmitted
from .rails import Rails
from .transport import Transport

Text = str | None
Number = int | None
_KEY = re.compile(r"atk_[0-9A-Za-z]+_[0-9A-Za-z]+", re.ASCII)
_LOOPBACK = {"127.0.0.1", "::1", "localhost"}


class Client:
    """Asks one registry. Only protected routes need an agent key; the client gets and renews its token by itself.

    `private_key` is the Ed25519 seed of a key that must also sign. `scopes` asks for fewer than the key has. Keys are
    sent by https or on this machine alone, unless `allow_http` is true.
    """

    def __init__(
        self,
        base_url: str,
        agent_key: str | None = None,
        *,
        private_key: bytes | None = None,
        scopes: Sequence[str] | None = None,
        allow_http: bool = False,
        transport: Transport | None = None,
    ) -> None:
        address = urlsplit(base_url)
        if address.scheme not in ("http", "https") or not address.hostname:
            raise ValueError("base_url must begin with https:// or http://")
        if agent_key and address.scheme == "http" and address.hostname not in _LOOPBACK and not allow_http:
            raise ValueError("an agent key is not sent over http: use https, or allow_http=True in a network you trust")
        if agent_key and not _KEY.fullmatch(agent_key):
            raise ValueError("not an agent key: look for blanks or a line break around it")
        self.base_url = base_url.rstrip("/")
        self._transport = transport or Transport()
        self._rails = agent_key and Rails(self.base_url, agent_key, private_key, scopes, self._transport)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.base_url!r}{', agent_key=…' if self._rails else ''})"

    def reference(
        self, cpt: str, *, region: Text = None, npi: Text = None, as_of: Text = None, modifier: Text = None,
        setting: Text = None, basis: Text = None, proof: Text = None,
    ) -> Reference:  # fmt: skip
        """The reference price of a code. Where there is none it raises NoPrice, which says why."""
        question = dict(cpt=cpt, region=region, npi=npi, as_of=as_of, modifier=modifier, setting=setting, basis=basis)
        return cast(Reference, self._get("/reference", **question, proof=proof))

    def sheet(self, cpt: str, *, region: Text = None, npi: Text = None, as_of: Text = None) -> Sheet:
        """Everything in force for a code at a place and day."""
        return cast(Sheet, self._get("/reference/sheet", cpt=cpt, region=region, npi=npi, as_of=as_of))

    def batch(self, lines: Sequence[Mapping[str, Text | int]], *, proof: Text = None) -> Batch:
        """Up to 100 lookups, or a bill: lines then have `units` and `billed` too. Each has a status of its own."""
        body = {"lines": [dict(line) for line in lines], **({"proof": proof} if proof else {})}
        return cast(Batch, self._ask("/reference/batch", body=body))

    def history(
        self, cpt: str, *, region: Text = None, npi: Text = None, modifier: Text = None, setting: Text = None,
        basis: Text = None, limit: Number = None, offset: Number = None,
    ) -> History:  # fmt: skip
        """What every edition says about a code, newest first."""
        question = dict(cpt=cpt, region=region, npi=npi, modifier=modifier, setting=setting, basis=basis)
        return cast(History, self._get("/reference/history", **question, limit=limit, offset=offset))

    def row(self, release_id: str, index: int) -> Row:
        """One row by its permalink, with its whole proof."""
        return cast(Row, self._get(f"/rows/{quote(release_id, safe=':')}/{index}"))

    def coverage(
        self, *, as_of: Text = None, chart: Text = None, cpt: Text = None, npi: Text = None,
        limit: Number = None, offset: Number = None,
    ) -> Coverage:  # fmt: skip
        """Which editions are in force on a day."""
        asked = dict(as_of=as_of, chart=chart, cpt=cpt, npi=npi)
        return cast(Coverage, self._get("/api/coverage", **asked, limit=limit, offset=offset))

    def releases(
        self, *, chart: Text = None, state: Text = None, limit: Number = None, offset: Number = None
    ) -> Releases:
        """Every release, by chart and first day."""
        return cast(Releases, self._get("/api/releases", chart=chart, state=state, limit=limit, offset=offset))

    def figures(self) -> Figures:
        """The aggregate figures on disputes."""
        return cast(Figures, self._get("/api/figures"))

    def log_policy(self) -> str:
        """The log keys and witnesses to pin. Get it once, over a channel that you trust, and keep it."""
        return self._transport.send(f"{self.base_url}/log/policy", {"Accept": "text/plain"}).decode()

    def registry(
        self, *, cpt: Text = None, region: Text = None, npi: Text = None, chart: Text = None, as_of: Text = None,
        limit: Number = None, offset: Number = None, after: Text = None,
    ) -> Rows:  # fmt: skip
        """Rows in force, page by page. Needs the scope `registry:read`."""
        asked = dict(cpt=cpt, region=region, npi=npi, chart=chart, as_of=as_of, after=after)
        return cast(Rows, self._ask("/api/registry", {**asked, "limit": limit, "offset": offset}, is_protected=True))

    def provider(self, npi: str) -> dict[str, Any]:
        """Bands and coarse rates of one organisation. Needs `provider:read`."""
        return self._ask(f"/api/provider/{quote(npi, safe='')}", is_protected=True)

    def integrity(self) -> dict[str, Any]:
        """The integrity report. Needs `integrity:read`."""
        return self._ask("/api/data-integrity", is_protected=True)

    def figure_changes(
        self, *, after_seq: Number = None, metric: Text = None, limit: Number = None, offset: Number = None
    ) -> dict[str, Any]:
        """The log of changes of the figures. Needs `audit:read`."""
        asked: dict[str, Text | int] = dict(after_seq=after_seq, metric=metric, limit=limit, offset=offset)
        return self._ask("/api/figure-changes", asked, is_protected=True)

    def _get(self, path: str, **query: Text | int) -> dict[str, Any]:
        return self._ask(path, query)

    def _ask(
        self, path: str, query: dict[str, Text | int] | None = None, body: Any = None, is_protected: bool = False
    ) -> dict[str, Any]:
        given = {name: value for name, value in (query or {}).items() if value is not None}
        url = f"{self.base_url}{path}{'?' if given else ''}{urlencode(given)}"
        method = "GET" if body is None else "POST"
        if not is_protected:
            return self._transport.ask(url, {}, body, method)
        if not self._rails:
            raise NotAdmitted(401, {"code": "agent_key_missing", "detail": "this route needs Client(agent_key=…)"})
        token = self._rails.token()
        try:
            return self._transport.ask(url, {"X-Agent-Rails": token}, body, method)
        except NotAdmitted as refused:
            if refused.code not in ("rails_token_expired", "rails_token_invalid"):
                raise
        return self._transport.ask(url, {"X-Agent-Rails": self._rails.token(refused=token)}, body, method)


_Given = ParamSpec("_Given")
_Answer = TypeVar("_Answer")


def _in_thread(
    method: Callable[Concatenate[Client, _Given], _Answer],
) -> Callable[Concatenate[AsyncClient, _Given], Awaitable[_Answer]]:
    def call(self: AsyncClient, /, *args: _Given.args, **named: _Given.kwargs) -> Awaitable[_Answer]:
        return asyncio.to_thread(method, self.client, *args, **named)

    call.__doc__ = method.__doc__
    return call


class AsyncClient:
    """The same calls for asyncio, each in a thread of its own."""

    def __init__(self, client: Client) -> None:
        self.client = client

    def __repr__(self) -> str:
        return f"AsyncClient({self.client!r})"

    reference = _in_thread(Client.reference)
    sheet = _in_thread(Client.sheet)
    batch = _in_thread(Client.batch)
    history = _in_thread(Client.history)
    row = _in_thread(Client.row)
    coverage = _in_thread(Client.coverage)
    releases = _in_thread(Client.releases)
    figures = _in_thread(Client.figures)
    log_policy = _in_thread(Client.log_policy)
    registry = _in_thread(Client.registry)
    provider = _in_thread(Client.provider)
    integrity = _in_thread(Client.integrity)
    figure_changes = _in_thread(Client.figure_changes)
