"""Asks an Agent Trust Registry, and checks what it answers without trusting it."""

from .client import AsyncClient, Client
from .derivation import verify_derivation
from .figures_log import replay
from .growth import verify_growth
from .policy import Policy, read_policy
from .problems import NoPrice, RateLimited, Refused, RegistryError, Unreachable
from .transport import Transport
from .verdict import Checkpoint, Failure, Verdict
from .verify import verify

__all__ = [
    "AsyncClient", "Checkpoint", "Client", "Failure", "NoPrice", "Policy", "RateLimited", "Refused", "RegistryError",
    "Transport", "Unreachable", "Verdict", "read_policy", "replay", "verify", "verify_derivation", "verify_growth",
]  # fmt: skip
