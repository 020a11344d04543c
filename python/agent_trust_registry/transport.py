"""One request at a time by urllib, sent again where that is safe and useful."""

from __future__ import annotations

import http.client
import json
import random
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Mapping
from email.utils import parsedate_to_datetime
from typing import IO, Any

from .canonical_json import MalformedJson, read_json
from .problems import Refused, Unreachable, refusal

MAX_ANSWER_BYTES = 32 * 1024 * 1024
_TRY_AGAIN = {429, 502, 503, 504}


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    """A redirect would carry keys and tokens to an address that nobody has chosen."""

    def redirect_request(self, *_: Any) -> None:
        return None


class Transport:
    def __init__(
        self,
        timeout: float = 30.0,
        retries: int = 4,
        max_wait: float = 60.0,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._opener = urllib.request.build_opener(_NoRedirects)
        self._timeout = timeout
        self._retries = retries
        self._max_wait = max_wait
        self._sleep = sleep

    def ask(
        self, url: str, headers: Mapping[str, str], body: Any = None, method: str = "GET", is_safe: bool = True
    ) -> dict[str, Any]:
        """Returns the object that a good answer is."""
        try:
            answer = read_json(self.send(url, headers, body, method, is_safe).decode())
        except (MalformedJson, UnicodeDecodeError):
            answer = None
        if not isinstance(answer, dict):
            raise Unreachable("the answer is not a JSON object")
        return answer

    def send(
        self, url: str, headers: Mapping[str, str], body: Any = None, method: str = "GET", is_safe: bool = True
    ) -> bytes:
        """Returns the content of a good answer. What is not `is_safe` is sent again only if it was refused."""
        content = None if body is None else json.dumps(body).encode()
        sent = {"Accept": "application/json", **headers, **({"Content-Type": "application/json"} if content else {})}
        for attempt in range(self._retries + 1):
            is_last = attempt == self._retries
            try:
                request = urllib.request.Request(url, content, sent, method=method)
                with self._opener.open(request, timeout=self._timeout) as answer:
                    return _read(answer)
            except urllib.error.HTTPError as error:
                failure: Refused | Unreachable = _refusal(error)
                asked_for = failure.retry_after if isinstance(failure, Refused) else None
                if error.code not in _TRY_AGAIN or failure.code == "failed_verification" or is_last:
                    raise failure from None
            except (OSError, http.client.HTTPException) as error:
                # The reason of an URLError is that of the system: it names neither headers nor content.
                failure, asked_for = Unreachable(str(getattr(error, "reason", "") or type(error).__name__)), None
                if not is_safe or is_last:
                    raise failure from None
            wait = asked_for if asked_for is not None else min(8.0, 0.5 * 2**attempt) * random.uniform(0.5, 1.0)
            if wait > self._max_wait:
                raise failure from None
            self._sleep(wait)
        raise AssertionError("the last attempt returns or raises")


def _read(answer: IO[bytes]) -> bytes:
    content = answer.read(MAX_ANSWER_BYTES + 1)
    if len(content) > MAX_ANSWER_BYTES:
        raise Unreachable("the answer is larger than any answer of the service")
    return content


def _refusal(error: urllib.error.HTTPError) -> Refused:
    try:
        content = error.read(MAX_ANSWER_BYTES)
    except (OSError, http.client.HTTPException):
        content = b""
    return refusal(error.code, content, _seconds(error.headers.get("Retry-After")))


def _seconds(retry_after: str | None) -> float | None:
    if retry_after is None:
        return None
    if retry_after.isascii() and retry_after.isdigit():
        return float(retry_after[:9])
    try:
        return max(0.0, parsedate_to_datetime(retry_after).timestamp() - time.time())
    except (TypeError, ValueError):
        return None
