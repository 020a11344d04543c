"""The client: every route that an agent asks, with typed answers. Nothing but the standard library is needed."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from datetime import timedelta
from pathlib import Path
from typing import Any, Concatenate, ParamSpec, TypeVar, cast
from urllib.parse import quote, urlencode, urlsplit

from .answers import Batch, BillCheck, Coverage, Figures, History, Reference, Releases, Row, Rows, Sheet
from .asked import asked_by, today
from .bill import read_bill
from .checkpoint import since
from .pins import Pins
from .policy import Policy, read_policy
from .problems import NoPrice, NotAdmitted, NotProved
from .rails import Rails
from .transport import Transport
from .verdict import Failure, Verdict, failed
from .verify import verify_body

Text = str | None
Number = int | None
_KEY = re.compile(r"atk_[0-9A-Za-z]+_[0-9A-Za-z]+", re.ASCII)
_LOOPBACK = {"127.0.0.1", "::1", "localhost"}


class Client:
    """Asks one registry, and checks what it answers: the proof, that it answers the question, and that the log only grew.

    `policy` are the keys to pin. Without it those that the service names at first are taken, and kept with the newest
    checkpoint of each log in the folder `pins`, or in memory. `max_age` refuses older views. An answer that does not
    verify raises NotProved. `verifies=False` believes the service.

    Only protected routes need an agent key; the client gets and renews its token by itself. `private_key` is the Ed25519
    seed of a key that must also sign. `scopes` asks for fewer than the key has. Keys are sent by https or on this machine
    alone, unless `allow_http` is true.
    """

    def __init__(
        self,
        base_url: str,
        agent_key: str | None = None,
        *,
        policy: str | Policy | None = None,
        pins: str | Path | None = None,
        max_age: timedelta | None = None,
        verifies: bool = True,
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
        self.verifies = verifies
        self._policy = read_policy(policy) if isinstance(policy, str) else policy
        self._pins, self._max_age = Pins(pins), max_age
        self._transport = transport or Transport()
        self._rails = Rails(self.base_url, agent_key, private_key, scopes, self._transport) if agent_key else None

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.base_url!r}{', agent_key=…' if self._rails else ''})"

    def reference(
        self, cpt: str, *, region: Text = None, npi: Text = None, as_of: Text = None, modifier: Text = None,
        setting: Text = None, basis: Text = None, kind: Text = None, revenue_code: Text = None,
        place_of_service: Text = None,
    ) -> Reference:  # fmt: skip
        """The reference price of a code. Where there is none it raises NoPrice, which says why and is proved too.

        `kind`, `revenue_code` and `place_of_service` say whose bill it is on.
        """
        asked = dict(cpt=cpt, region=region, npi=npi, modifier=modifier, setting=setting, basis=basis, as_of=as_of)
        side = dict(kind=kind, revenue_code=revenue_code, place_of_service=place_of_service)
        return cast(Reference, self._proved("/reference", {**asked, **side}))

    def sheet(
        self, cpt: str, *, region: Text = None, npi: Text = None, as_of: Text = None, kind: Text = None,
        revenue_code: Text = None, place_of_service: Text = None,
    ) -> Sheet:  # fmt: skip
        """Everything in force for a code at a place and day, of one side's bill or of all."""
        asked = dict(cpt=cpt, region=region, npi=npi, as_of=as_of)
        side = dict(kind=kind, revenue_code=revenue_code, place_of_service=place_of_service)
        return cast(Sheet, self._proved("/reference/sheet", {**asked, **side}))

    def batch(self, lines: Sequence[Mapping[str, Text | int]]) -> Batch:
        """Up to 100 lookups, or a bill: lines then have `units` and `billed` too. Each has a status of its own."""
        sent = [{**line, "as_of": line.get("as_of") or today()} if self.verifies else dict(line) for line in lines]
        answer = self._ask("/reference/batch", body={"lines": sent})
        self._check(answer, {"questions": sent})
        return cast(Batch, answer)

    def check_bill(self, bill: Mapping[str, Any]) -> BillCheck:
        """Checks a bill by the rules of its day: what is listed, what would be paid, what is wrong, what was skipped.

        `bill` has `lines`, each with `code`, `units`, `billed` and so on, and `kind`, `region`, `npi`, `day`, `totals`.
        """
        sent = {"day": today(), **bill}
        try:
            read_bill(sent)
        except Failure:
            # What is no part of a bill, such as a name, must not leave this machine.
            raise ValueError("the bill has a member or a value that is not sent: docs/spec/check.md has all") from None
        answer = self._ask("/bill/check", body=sent)
        self._check(answer, {"bill": sent})
        return cast(BillCheck, answer)

    def history(
        self, cpt: str, *, region: Text = None, npi: Text = None, modifier: Text = None, setting: Text = None,
        basis: Text = None, kind: Text = None, revenue_code: Text = None, place_of_service: Text = None,
        limit: Number = None, offset: Number = None,
    ) -> History:  # fmt: skip
        """What every edition says about a code, newest first."""
        question = dict(cpt=cpt, region=region, npi=npi, modifier=modifier, setting=setting, basis=basis)
        side = dict(kind=kind, revenue_code=revenue_code, place_of_service=place_of_service)
        sent = {**question, **side, "limit": limit, "offset": offset}
        return cast(History, self._proved("/reference/history", sent))

    def row(self, release_id: str, index: int) -> Row:
        """One row by its permalink. It is proved as published; whether it is in force, its proof tells."""
        answer = self._ask(f"/rows/{quote(release_id, safe=':')}/{index}")
        verdict = self._check(answer, None)
        if verdict and [(row.manifest["release_id"], row.index) for row in verdict.rows] != [(release_id, index)]:
            raise NotProved(failed(Failure("answers_another_question")))
        return cast(Row, answer)

    def coverage(
        self, *, as_of: Text = None, chart: Text = None, cpt: Text = None, npi: Text = None,
        limit: Number = None, offset: Number = None,
    ) -> Coverage:  # fmt: skip
        """Which editions are in force on a day."""
        asked = dict(chart=chart, cpt=cpt, npi=npi, as_of=as_of)
        return cast(Coverage, self._proved("/api/coverage", {**asked, "limit": limit, "offset": offset}))

    def releases(
        self, *, chart: Text = None, state: Text = None, limit: Number = None, offset: Number = None
    ) -> Releases:
        """Every release, by chart and first day."""
        asked: dict[str, Text | int] = dict(chart=chart, state=state, limit=limit, offset=offset)
        return cast(Releases, self._proved("/api/releases", asked))

    def figures(self) -> Figures:
        """The aggregate figures on disputes."""
        return cast(Figures, self._proved("/api/figures", {}))

    def log_policy(self) -> str:
        """The log keys and witnesses to pin. Get it once, over a channel that you trust, and keep it."""
        return self._transport.send(f"{self.base_url}/log/policy", {"Accept": "text/plain"}).decode()

    def registry(
        self, *, cpt: Text = None, region: Text = None, npi: Text = None, chart: Text = None, as_of: Text = None,
        limit: Number = None, offset: Number = None, after: Text = None,
    ) -> Rows:  # fmt: skip
        """Rows in force, page by page. Needs the scope `registry:read`."""
        asked = dict(cpt=cpt, region=region, npi=npi, chart=chart, after=after, as_of=as_of)
        sent = {**asked, "limit": limit, "offset": offset}
        return cast(Rows, self._proved("/api/registry", sent, is_protected=True))

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
        return self._proved("/api/figure-changes", asked, is_protected=True)

    def _proved(self, path: str, query: Mapping[str, Text | int], is_protected: bool = False) -> dict[str, Any]:
        """Returns an answer that was checked. The day is sent, so that service and verifier mean the same one."""
        sent = {name: value for name, value in query.items() if value is not None}
        if self.verifies and "as_of" in query:
            sent.setdefault("as_of", today())
        asked = asked_by(f"{path}?{urlencode(sent)}")
        try:
            answer = self._ask(path, sent, is_protected=is_protected)
        except NoPrice as refusal:
            # A sheet is refused without a proof: a lookup of the code has it.
            if path != "/reference/sheet":
                self._check(refusal.body, asked)
            raise
        self._check(answer, asked)
        return answer

    def _check(self, answer: dict[str, Any], asked: Mapping[str, Any] | None) -> Verdict | None:
        if not self.verifies:
            return None
        try:
            verdict = verify_body(answer, self._pinned(), asked, since(self._max_age))
            if verdict.checkpoint:
                self._pins.follow(verdict.checkpoint.origin, verdict.checkpoint, self._pinned(), self._transport)
        except Failure as failure:
            # An empty list may be all there is, and have nothing that proves it.
            if failure.reason == "nothing_proved" and answer.get("data") == []:
                return None
            raise NotProved(failed(failure)) from None
        return verdict

    def _pinned(self) -> Policy:
        if self._policy is None:
            text = self._pins.get("policy")
            if text is None:
                text = self.log_policy()
                self._pins.put("policy", text)
            self._policy = read_policy(text)
        return self._policy

    def _ask(
        self, path: str, query: Mapping[str, Text | int] | None = None, body: Any = None, is_protected: bool = False
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
    check_bill = _in_thread(Client.check_bill)
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
