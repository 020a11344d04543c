"""Merkle trees with SHA-256: RFC 9162 section 2.1, the trees of RFC 6962."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from hashlib import sha256

EMPTY_ROOT = sha256().digest()

Subtree = Callable[[int, int], bytes]
"""Returns the root of the leaves from the first number up to, not including, the second: a perfect subtree."""


def leaf_hash(entry: bytes) -> bytes:
    return sha256(b"\x00" + entry).digest()


def node_hash(left: bytes, right: bytes) -> bytes:
    return sha256(b"\x01" + left + right).digest()


def split(size: int) -> int:
    """The largest power of two smaller than a size above 1: how many leaves stand to the left."""
    return 1 << (size - 1).bit_length() - 1


def tree_root(leaves: Sequence[bytes]) -> bytes:
    """Returns the root of a tree with these leaf hashes."""
    if len(leaves) < 2:
        return leaves[0] if leaves else EMPTY_ROOT
    middle = split(len(leaves))
    return node_hash(tree_root(leaves[:middle]), tree_root(leaves[middle:]))


def range_root(start: int, end: int, subtree: Subtree) -> bytes:
    """Returns the root of the leaves [start, end) of a tree, where they are one of its nodes."""
    size = end - start
    if size & (size - 1) == 0:
        return subtree(start, end)
    middle = start + split(size)
    return node_hash(range_root(start, middle, subtree), range_root(middle, end, subtree))


def root_of_leaves(leaves: Sequence[tuple[int, bytes]], size: int, hashes: Sequence[bytes]) -> bytes | None:
    """Returns the root to which a set of leaves leads (docs/spec/proof.md#sets-of-leaves), None if it does not fit.

    Leaves are `(index, leaf hash)` with rising indexes. Of one leaf the hashes are its path by RFC 9162, 2.1.3.2.
    """
    if not leaves or leaves[-1][0] >= size:
        return None
    level, width, missing = list(leaves), size, iter(hashes)
    try:
        while width > 1:
            level, width = _parents(level, width, missing), (width + 1) // 2
    except StopIteration:
        return None
    return level[0][1] if next(missing, None) is None else None


def _parents(level: list[tuple[int, bytes]], width: int, missing: Iterator[bytes]) -> list[tuple[int, bytes]]:
    parents: list[tuple[int, bytes]] = []
    place = 0
    while place < len(level):
        index, node = level[place]
        place += 1
        if index % 2 == 1:
            node = node_hash(next(missing), node)
        elif place < len(level) and level[place][0] == index + 1:
            node, place = node_hash(node, level[place][1]), place + 1
        elif index + 1 < width:
            node = node_hash(node, next(missing))
        parents.append((index // 2, node))
    return parents


def consistency_path(older: int, newer: int, subtree: Subtree) -> list[bytes]:
    """Returns the proof that a tree continues its first `older` leaves (2.1.4.1), for 0 < older <= newer."""
    return _subproof(older, 0, newer, True, subtree)


def _subproof(older: int, start: int, end: int, is_known: bool, subtree: Subtree) -> list[bytes]:
    if older == end:
        return [] if is_known else [range_root(start, end, subtree)]
    middle = start + split(end - start)
    if older <= middle:
        return _subproof(older, start, middle, is_known, subtree) + [range_root(middle, end, subtree)]
    return _subproof(older, middle, end, False, subtree) + [range_root(start, middle, subtree)]


def is_consistent(older: int, older_root: bytes, newer: int, newer_root: bytes, path: Sequence[bytes]) -> bool:
    """True if the newer tree continues the older one by this path (2.1.4.2). From nothing every tree has grown."""
    if older == newer:
        return not path and older_root == newer_root
    if older > newer or older == 0:
        return older == 0 and not path and older_root == EMPTY_ROOT
    hashes = list(path)
    if older & (older - 1) == 0:
        hashes.insert(0, older_root)
    if not hashes:
        return False
    place, last = older - 1, newer - 1
    while place & 1:
        place, last = place >> 1, last >> 1
    old = new = hashes[0]
    for sibling in hashes[1:]:
        if last == 0:
            return False
        if place & 1 or place == last:
            old, new = node_hash(sibling, old), node_hash(sibling, new)
            while not place & 1 and place:
                place, last = place >> 1, last >> 1
        else:
            new = node_hash(new, sibling)
        place, last = place >> 1, last >> 1
    return last == 0 and old == older_root and new == newer_root
