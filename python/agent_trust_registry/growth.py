"""Growth: that a newer checkpoint continues an older one (docs/spec/log.md#growth)."""

from __future__ import annotations

from collections.abc import Callable

from .checkpoint import open_checkpoint
from .forms import from_base64
from .merkle import consistency_path, is_consistent, range_root, tree_root
from .policy import Policy, read_policy
from .verdict import Checkpoint, Failure, Verdict, failed

Tiles = Callable[[str], bytes | None]
"""Returns the bytes of a tile such as `tile/0/000.p/7`, None if it cannot be had."""


def verify_growth(
    older: str, newer: str, policy: str | Policy, tiles: Tiles | None = None, path: list[str] | None = None
) -> Verdict:
    """Checks two checkpoints by the tiles of the newer tree, or by a consistency path in base64."""
    pinned = read_policy(policy) if isinstance(policy, str) else policy
    try:
        before, after = open_checkpoint(older, pinned), open_checkpoint(newer, pinned)
        if path is None:
            check_growth(before, after, tiles or (lambda _: None))
        else:
            _check_order(before, after)
            _check_path(before, after, path)
    except Failure as failure:
        return failed(failure)
    return Verdict(ok=True, checkpoint=after)


def check_growth(older: Checkpoint, newer: Checkpoint, tiles: Tiles) -> None:
    _check_order(older, newer)
    if older.size in (0, newer.size):
        return
    tree = _TiledTree(newer.size, tiles)
    root = range_root(0, older.size, tree.subtree)
    path = consistency_path(older.size, newer.size, tree.subtree)
    if not is_consistent(older.size, root, newer.size, newer.root, path):
        raise Failure("tiles_not_of_checkpoint")
    if root != older.root:
        raise Failure("log_forked")


def _check_order(older: Checkpoint, newer: Checkpoint) -> None:
    if older.origin != newer.origin:
        raise Failure("log_not_the_same")
    if newer.size < older.size:
        raise Failure("log_rolled_back")
    if newer.size == older.size and newer.root != older.root:
        raise Failure("log_forked")


def _check_path(older: Checkpoint, newer: Checkpoint, path: list[str]) -> None:
    try:
        hashes = [from_base64(item) for item in path]
    except ValueError:
        raise Failure("log_forked") from None
    if not is_consistent(older.size, older.root, newer.size, newer.root, hashes):
        raise Failure("log_forked")


class _TiledTree:
    """The tree of a checkpoint, read tile by tile as its nodes are asked for."""

    def __init__(self, size: int, tiles: Tiles) -> None:
        self.size = size
        self.tiles = tiles
        self.read: dict[tuple[int, int], list[bytes]] = {}

    def subtree(self, start: int, end: int) -> bytes:
        level = ((end - start).bit_length() - 1) // 8
        first, last = start >> 8 * level, end >> 8 * level
        tile = self._tile(level, first // 256)
        return tree_root(tile[first % 256 : first % 256 + last - first])

    def _tile(self, level: int, number: int) -> list[bytes]:
        if (level, number) not in self.read:
            width = min(256, (self.size >> 8 * level) - 256 * number)
            full = f"tile/{level}/{_in_groups(number)}"
            content = self.tiles(full if width == 256 else f"{full}.p/{width}")
            if content is None:
                raise Failure("tile_unavailable")
            if len(content) % 32 or not width <= len(content) // 32 <= 256:
                raise Failure("tile_malformed")
            self.read[level, number] = [content[at : at + 32] for at in range(0, width * 32, 32)]
        return self.read[level, number]


def _in_groups(number: int) -> str:
    digits = f"{number:03d}"
    digits = digits.zfill(-(-len(digits) // 3) * 3)
    groups = [digits[at : at + 3] for at in range(0, len(digits), 3)]
    return "/".join([*(f"x{group}" for group in groups[:-1]), groups[-1]])
