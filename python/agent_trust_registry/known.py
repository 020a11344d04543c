"""The leaves of a sorted tree that a body shows, and what they prove together (docs/spec/proof.md#sets-of-leaves)."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable
from typing import Any

from .verdict import Failure

Leaf = tuple[int, Any]


class Known:
    """Known leaves by rising index. Raises Failure if their keys do not rise too."""

    def __init__(self, leaves: list[Leaf], key_of: Callable[[Any], str], size: int, if_not_rising: str) -> None:
        self.indexes = [index for index, _ in leaves]
        self.leaves = [leaf for _, leaf in leaves]
        self.keys = [key_of(leaf) for leaf in self.leaves]
        self.by_index = dict(leaves)
        self.size = size
        if any(key >= after for key, after in zip(self.keys, self.keys[1:])):
            raise Failure(if_not_rising)

    def under(self, prefix: str) -> list[Any]:
        """Returns all leaves of the tree whose keys begin with a prefix. Fails if they are not known to be all."""
        first, end = self._known_under(prefix)
        if self._index(end) - self._index(first - 1) != end - first + 1:
            raise Failure("choice_not_proved")
        return self.leaves[first:end]

    def known_under(self, prefix: str) -> list[Any]:
        """Returns those of these leaves that are known, be they all or not."""
        first, end = self._known_under(prefix)
        return self.leaves[first:end]

    def any(self, prefix: str) -> bool:
        """True if the tree has a leaf whose key begins with a prefix. One that is known is enough."""
        return bool(self.known_under(prefix) or self.under(prefix))

    def up_to(self, key: str) -> Any:
        """Returns the last leaf of the tree whose key is not after this one, None if there is none."""
        end = bisect_right(self.keys, key)
        is_key = end > 0 and self.keys[end - 1] == key
        if not is_key and self._index(end) != self._index(end - 1) + 1:
            raise Failure("choice_not_proved")
        return self.leaves[end - 1] if end else None

    def before(self, key: str) -> Any:
        """Returns the last leaf of the tree whose key is before this one, None if there is none."""
        end = bisect_left(self.keys, key)
        if self._index(end) != self._index(end - 1) + 1:
            raise Failure("choice_not_proved")
        return self.leaves[end - 1] if end else None

    def after(self, key: str) -> Any:
        """Returns the first leaf of the tree whose key is after this one, None if there is none."""
        end = bisect_right(self.keys, key)
        if self._index(end) != self._index(end - 1) + 1:
            raise Failure("choice_not_proved")
        return self.leaves[end] if end < len(self.leaves) else None

    def _known_under(self, prefix: str) -> tuple[int, int]:
        first = end = bisect_left(self.keys, prefix)
        while end < len(self.keys) and self.keys[end].startswith(prefix):
            end += 1
        return first, end

    def _index(self, place: int) -> int:
        """The index of a known leaf by its place among them; before the first -1, after the last the size."""
        return -1 if place < 0 else self.size if place == len(self.indexes) else self.indexes[place]
