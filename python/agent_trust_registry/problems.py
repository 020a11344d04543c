"""What a call fails with. Codes are those of docs/spec/problems.md."""

from __future__ import annotations

from typing import Any

from .canonical_json import MalformedJson, read_json
from .verdict import Verdict


class RegistryError(Exception):
    """Every failure of a call. `code` is stable and meant for programs."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


class Unreachable(RegistryError):
    """The service cannot be reached, or answers with something that is none of its answers."""

    def __init__(self, message: str) -> None:
        super().__init__("unreachable", message)


class NotProved(RegistryError):
    """The answer does not verify. `code` is the class of the verdict; nothing of the answer should be used."""

    def __init__(self, verdict: Verdict) -> None:
        super().__init__(str(verdict.cls), f"the answer does not verify: {verdict.reason}")
        self.verdict = verdict


class Refused(RegistryError):
    """The service has refused. `hint` says what to do, `body` is the problem with all its members."""

    def __init__(self, status: int, body: dict[str, Any], retry_after: float | None = None) -> None:
        code = str(body.get("code") or f"http_{status}")
        super().__init__(code, f"{status} {code}: {body.get('detail') or body.get('title') or 'no reason was given'}")
        self.status = status
        self.hint: str | None = body.get("agent_hint")
        self.request_id: str | None = body.get("request_id")
        self.errors: list[dict[str, Any]] = body.get("errors") or []
        self.retry_after = retry_after
        self.body = body


class NotAdmitted(Refused):
    """401 and 403: the key or the token is missing, wrong or expired, or lacks the scope."""


class NotFound(Refused):
    """404: there is no such thing."""


class NoPrice(NotFound):
    """404 of a lookup: there is no price for the question, and `code` says why. Never take another price for it."""


class RateLimited(Refused):
    """429: the quota is used up for `retry_after` seconds."""


class ServiceFault(Refused):
    """5xx: the service failed or is busy."""


_OF_STATUS = {401: NotAdmitted, 403: NotAdmitted, 404: NotFound, 429: RateLimited}
_NO_PRICE = (
    "absent_ not_on_schedule no_edition_for_day modifier_not_priced modifier_not_allowed unknown_provider unknown_zip "
    "region_ambiguous region_not_covered"
).split()


def refusal(status: int, content: bytes, retry_after: float | None) -> Refused:
    """Returns the exception for an answer that is not a success. Its text never holds what was sent."""
    try:
        body = read_json(content.decode())
    except (MalformedJson, UnicodeDecodeError):
        body = None
    problem = body if isinstance(body, dict) else {}
    kind = _OF_STATUS.get(status, ServiceFault if status >= 500 else Refused)
    if kind is NotFound and str(problem.get("code")).startswith(tuple(_NO_PRICE)):
        kind = NoPrice
    return kind(status, problem, retry_after)
