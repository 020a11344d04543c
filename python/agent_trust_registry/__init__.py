"""Asks an Agent Trust Registry, and checks what it answers without trusting it."""

from .choose import Decision
from .client import AsyncClient, Client
from .derivation import verify_derivation
from .figures_log import replay
from .growth import verify_growth
from .policy import Policy, PolicyMalformed, read_policy
from .problems import NoPrice, NotProved, RateLimited, Refused, RegistryError, Unreachable
from .transport import Transport
from .verdict import Checkpoint, Failure, ProvedRow, Verdict
from .verify import verify

__all__ = [
    "AsyncClient", "Checkpoint", "Client", "Decision", "Failure", "NoPrice", "NotProved", "Policy", "PolicyMalformed",
    "ProvedRow", "RateLimited", "Refused", "RegistryError", "Transport", "Unreachable", "Verdict", "read_policy", "replay",
    "verify", "verify_derivation", "verify_growth",
]  # fmt: skip
