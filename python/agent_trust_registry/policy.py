"""The policy that a reader pins (C2SP tlog-policy with `#retired` lines): docs/spec/log.md."""

from __future__ import annotations

import re
from dataclasses import dataclass

from .canonical_json import MAX_INTEGER
from .forms import from_base64
from .note import LOG_KEY, ML_DSA_KEY, WITNESS_KEY, Key, read_key
from .verdict import Failure

_SIZE = re.compile(r"0|[1-9][0-9]{0,15}", re.ASCII)
_THRESHOLD = re.compile(r"[1-9][0-9]*", re.ASCII)


@dataclass(frozen=True)
class RetiredKey:
    key: Key
    size: int
    root: bytes
    """Size and root are the newest checkpoint that the key may have signed."""


@dataclass(frozen=True)
class Group:
    threshold: int
    members: tuple[str, ...]


@dataclass(frozen=True)
class Policy:
    logs: tuple[Key, ...]
    urls: dict[str, str]
    """The address of a log, by its origin, where the policy gives one."""
    retired: tuple[RetiredKey, ...]
    witnesses: dict[str, Key]
    groups: dict[str, Group]
    quorum: str

    def is_met_by(self, cosigners: set[str]) -> bool:
        """True if the witnesses with these names, those of the policy, meet the quorum."""
        return self.quorum == "none" or self._has_witnessed(self.quorum, cosigners)

    def _has_witnessed(self, name: str, cosigners: set[str]) -> bool:
        group = self.groups.get(name)
        if group is None:
            return name in cosigners
        return sum(self._has_witnessed(member, cosigners) for member in group.members) >= group.threshold


class PolicyMalformed(Failure, ValueError):
    """The text that was pinned is no policy: wrong usage, and no verdict on what it should check."""

    def __init__(self) -> None:
        super().__init__("policy_malformed")


def read_size(text: str) -> int:
    if _SIZE.fullmatch(text) is None or int(text) > MAX_INTEGER:
        raise ValueError("not a size")
    return int(text)


def read_root(text: str) -> bytes:
    root = from_base64(text)
    if len(root) != 32:
        raise ValueError("not a root")
    return root


def read_policy(text: str) -> Policy:
    """Returns the policy of a text. One that is understood in part is not used at all."""
    try:
        return _Reader().read(text)
    except ValueError:
        raise PolicyMalformed from None


class _Reader:
    def __init__(self) -> None:
        self.logs: list[Key] = []
        self.urls: dict[str, str] = {}
        self.retired: list[RetiredKey] = []
        self.witnesses: dict[str, Key] = {}
        self.groups: dict[str, Group] = {}
        self.quorums: list[str] = []

    def read(self, text: str) -> Policy:
        if re.search(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]", text):
            raise ValueError("a control character")
        for line in text.split("\n"):
            words = [word for word in re.split(r"[ \t]+", line) if word]
            if words and (words[0] == "#retired" or not words[0].startswith("#")):
                self._line(line, words)
        signing = [key.public for key in self.logs] + [each.key.public for each in self.retired]
        cosigning = [key.public for key in self.witnesses.values()]
        names = {key.name for key in self.logs}
        if not self.logs or len(self.quorums) != 1 or not {each.key.name for each in self.retired} <= names:
            raise ValueError("no log, not one quorum, or a retired key of another log")
        if len(set(signing)) < len(signing) or len(set(cosigning)) < len(cosigning):
            raise ValueError("a key twice")
        return Policy(tuple(self.logs), self.urls, tuple(self.retired), self.witnesses, self.groups, self.quorums[0])

    def _line(self, line: str, words: list[str]) -> None:
        if re.search(r"[^\t\x20-\x7e]", line):
            raise ValueError("a character beyond ASCII")
        match words:
            case ["log", key, *url] if len(url) < 2:
                self.logs.append(_key(key, LOG_KEY))
                self.urls.update({self.logs[-1].name: address for address in url})
            case ["#retired", key, size, root]:
                self.retired.append(RetiredKey(_key(key, LOG_KEY), read_size(size), read_root(root)))
            case ["witness", name, key, *url] if len(url) < 2:
                self._define(name)
                self.witnesses[name] = _key(key, WITNESS_KEY, ML_DSA_KEY)
            case ["group", name, threshold, *members] if members:
                self._define(name)
                self.groups[name] = Group(_threshold(threshold, len(members)), self._members(members))
            case ["quorum", name] if name == "none" or self._is_defined(name):
                self.quorums.append(name)
            case _:
                raise ValueError("not a line of a policy")

    def _is_defined(self, name: str) -> bool:
        return name in self.witnesses or name in self.groups

    def _define(self, name: str) -> None:
        if name == "none" or self._is_defined(name):
            raise ValueError("a name that is taken")

    def _members(self, members: list[str]) -> tuple[str, ...]:
        taken = [member for group in self.groups.values() for member in group.members] + members
        if len(set(taken)) < len(taken) or not all(map(self._is_defined, members)):
            raise ValueError("a member twice, or one that is not defined before")
        return tuple(members)


def _key(text: str, *types: int) -> Key:
    key = read_key(text)
    if key.type not in types:
        raise ValueError("a key of another type")
    return key


def _threshold(word: str, members: int) -> int:
    if word in ("any", "all"):
        return 1 if word == "any" else members
    if _THRESHOLD.fullmatch(word) is None or len(word) > 9 or int(word) > members:
        raise ValueError("not a threshold")
    return int(word)
