"""How an agent is let in: key, challenge, nonce, attest, token (docs/spec/rails.md)."""

from __future__ import annotations

import base64
import threading
import time
from collections.abc import Sequence
from typing import Any

from . import ed25519
from .forms import is_count, is_token
from .problems import Unreachable
from .transport import Transport

_RENEW_SECONDS_BEFORE_END = 30.0


class Rails:
    """Holds the agent key and the newest token. Neither is ever shown."""

    def __init__(
        self,
        base_url: str,
        agent_key: str,
        private_key: bytes | None,
        scopes: Sequence[str] | None,
        transport: Transport,
    ) -> None:
        self._base_url = base_url
        self._agent_key = agent_key
        self._private_key = private_key
        self._scopes = scopes
        self._transport = transport
        self._lock = threading.Lock()
        self._token: str | None = None
        self._ends = 0.0

    def __repr__(self) -> str:
        return "Rails(…)"

    def token(self, refused: str | None = None) -> str:
        """Returns a token that is good for a while yet, and is not the one that the service has refused."""
        with self._lock:
            is_good = self._token is not None and time.monotonic() < self._ends - _RENEW_SECONDS_BEFORE_END
            if self._token is None or not is_good or self._token == refused:
                self._token = self._attest()
            return self._token

    def _attest(self) -> str:
        nonce = self._post("challenge", None, is_safe=True).get("nonce")
        asked: dict[str, object] = {"nonce": nonce}
        if self._scopes is not None:
            asked["scopes"] = list(self._scopes)
        if self._private_key is not None:
            asked["proof"] = self._proof(self._private_key, str(nonce))
        # A nonce that is sent twice revokes its token: after a lost answer only the whole flow is begun again.
        begun = time.monotonic()
        answer = self._post("attest", asked, is_safe=False)
        token, seconds = answer.get("rails_token"), answer.get("expires_in")
        if not isinstance(token, str) or not is_token(token) or not is_count(seconds):
            raise Unreachable("the answer to attest is not one")
        self._ends = begun + seconds
        return token

    def _post(self, step: str, body: object, is_safe: bool) -> dict[str, Any]:
        url = f"{self._base_url}/api/agent-rails/{step}"
        return self._transport.ask(url, {"X-Agent-Key": self._agent_key}, body, "POST", is_safe)

    def _proof(self, private_key: bytes, nonce: str) -> str:
        key_id = self._agent_key.split("_")[1]
        lines = ("service_agent_rails_v1", "attest", self._base_url, key_id, nonce)
        signature = ed25519.sign(private_key, "\n".join(lines).encode())
        return base64.urlsafe_b64encode(signature).rstrip(b"=").decode()
