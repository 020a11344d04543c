"""Signed notes (C2SP signed-note) and the keys that sign them: docs/spec/log.md."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from hashlib import sha256

from . import ed25519
from .forms import from_base64
from .verdict import Failure

LOG_KEY, WITNESS_KEY, ML_DSA_KEY = 1, 4, 6
_PUBLIC_KEY_BYTES = {LOG_KEY: 32, WITNESS_KEY: 32, ML_DSA_KEY: 1312}
MAX_NOTE_BYTES = 65_536
MAX_SIGNATURES = 100


@dataclass(frozen=True)
class Signature:
    name: str
    key_id: bytes
    bytes: bytes


@dataclass(frozen=True)
class Note:
    text: str
    signatures: tuple[Signature, ...]


@dataclass(frozen=True)
class Key:
    name: str
    key_id: bytes
    type: int
    public: bytes

    def has_signed(self, signature: Signature) -> bool:
        """True if a signature line bears the name and the id of this key. Whether it is good is another matter."""
        return (signature.name, signature.key_id) == (self.name, self.key_id)


def is_key_name(name: str) -> bool:
    return name != "" and not any(
        character in "+\ufeff" or unicodedata.category(character)[0] == "Z" or unicodedata.category(character) == "Cc"
        for character in name
    )


def read_note(text: str) -> Note:
    try:
        size = len(text.encode())
    except UnicodeEncodeError:
        raise Failure("note_malformed") from None
    if size > MAX_NOTE_BYTES or not text.endswith("\n") or any(c < " " and c != "\n" or c == "\x7f" for c in text):
        raise Failure("note_malformed")
    end = text.rfind("\n\n")
    lines = text[end + 2 : -1].split("\n")
    if end < 0 or len(lines) > MAX_SIGNATURES:
        raise Failure("note_malformed")
    return Note(text[: end + 1], tuple(_signature(line) for line in lines))


def _signature(line: str) -> Signature:
    dash, _, rest = line.partition(" ")
    name, _, encoded = rest.partition(" ")
    if dash != "\u2014" or not is_key_name(name):
        raise Failure("note_malformed")
    try:
        decoded = from_base64(encoded)
    except ValueError:
        raise Failure("note_malformed") from None
    if len(decoded) < 5:
        raise Failure("note_malformed")
    return Signature(name, decoded[:4], decoded[4:])


def read_key(text: str) -> Key:
    """Returns the key of a verifier key, `<name>+<id>+<base64>`. Raises ValueError if it is not valid."""
    name, key_id, encoded = text.split("+", 2)
    decoded = from_base64(encoded)
    kind, public = int.from_bytes(decoded[:1], "big"), decoded[1:]
    if not is_key_name(name) or len(public) != _PUBLIC_KEY_BYTES.get(kind):
        raise ValueError("a verifier key of another form")
    digest = sha256(name.encode() + b"\n" + decoded).digest()[:4]
    if key_id != digest.hex() or (kind != ML_DSA_KEY and not ed25519.is_sound_key(public)):
        raise ValueError("a verifier key with another id, or of small order")
    return Key(name, digest, kind, public)


def log_signed(key: Key, signature: Signature, text: str) -> bool:
    return ed25519.verify(key.public, text.encode(), signature.bytes)


def cosigned_at(key: Key, signature: Signature, text: str) -> int | None:
    """Returns the seconds at which a witness cosigned a text; None if the line is not good."""
    seconds = int.from_bytes(signature.bytes[:8], "big")
    message = f"cosignature/v1\ntime {seconds}\n{text}".encode()
    is_good = len(signature.bytes) == 72 and ed25519.verify(key.public, message, signature.bytes[8:])
    return seconds if is_good else None
