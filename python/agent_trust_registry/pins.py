"""What a reader keeps: the policy, and of each log the newest checkpoint, which every later one must continue."""

from __future__ import annotations

import os
from pathlib import Path
from urllib.parse import quote

from .checkpoint import open_checkpoint
from .growth import Tiles, check_growth
from .policy import Policy
from .problems import RegistryError
from .transport import Transport
from .verdict import Checkpoint


class Pins:
    """Keeps texts by name, in a folder or in memory."""

    def __init__(self, folder: str | Path | None = None) -> None:
        self._folder = None if folder is None else Path(folder)
        self._kept: dict[str, str] = {}

    def get(self, name: str) -> str | None:
        path = self._path(name)
        return path.read_bytes().decode() if path and path.exists() else self._kept.get(name)

    def put(self, name: str, text: str) -> None:
        path = self._path(name)
        if path is None:
            self._kept[name] = text
            return
        beside = path.with_name(f"{path.name}.{os.getpid()}")
        beside.write_bytes(text.encode())
        os.replace(beside, path)

    def follow(self, name: str, newer: Checkpoint, policy: Policy, transport: Transport) -> None:
        """Moves a pin to a checkpoint that continues it. A log that shrank or forked fails, and the pin stays."""
        kept = self.get(name)
        if kept == newer.note:
            return
        if kept is not None:
            older = open_checkpoint(kept, policy)
            check_growth(older, newer, _tiles(policy.urls.get(newer.origin), transport))
            if older.size == newer.size:
                return
        self.put(name, newer.note)

    def _path(self, name: str) -> Path | None:
        return self._folder / quote(name, safe="") if self._folder else None


def _tiles(log: str | None, transport: Transport) -> Tiles:
    def tile(name: str) -> bytes | None:
        if log is None or not log.startswith(("https://", "http://")):
            return None
        full = name.partition(".p/")[0]
        try:
            return transport.send(f"{log}/{name}", {"Accept": "application/octet-stream"})
        except RegistryError:
            # A partial tile may be gone once the full one is there.
            return tile(full) if full != name else None

    return tile
