"""The words of docs/spec/proof.md: forms that members of proofs and entries have."""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Callable, Mapping
from typing import Any, TypeGuard

from .canonical_json import MAX_INTEGER

Form = Callable[[Any], bool]


def text(pattern: str) -> Form:
    """The form of texts that match a pattern as a whole. Patterns are ASCII."""
    whole = re.compile(pattern, re.ASCII)
    return lambda value: isinstance(value, str) and whole.fullmatch(value) is not None


def null_or(form: Form) -> Form:
    return lambda value: value is None or form(value)


def one_of(*values: str) -> Form:
    return lambda value: isinstance(value, str) and value in values


def is_text(value: Any) -> bool:
    return isinstance(value, str)


def is_count(value: Any) -> TypeGuard[int]:
    return type(value) is int and 0 <= value <= MAX_INTEGER


def closed(members: Mapping[str, Form], optional: Mapping[str, Form] | None = None) -> Form:
    """The form of objects that have all of these members, perhaps some of the optional ones, and no others."""
    known = {**members, **(optional or {})}
    return lambda value: (
        isinstance(value, dict)
        and members.keys() <= value.keys() <= known.keys()
        and all(known[name](member) for name, member in value.items())
    )


def list_of(form: Form, least: int = 0, most: int = 64) -> Form:
    return lambda value: isinstance(value, list) and least <= len(value) <= most and all(map(form, value))


is_hash = text(r"[A-Za-z0-9+/]{43}=")
is_token = text(r"[!-~]{1,300}")
is_label = text(r"[ -~]{0,300}")
is_name = text(r"[a-z][a-z0-9_]*")


is_path = list_of(is_hash, most=63)


_INSTANT = re.compile(
    r"([0-9]{4})-([0-9]{2})-([0-9]{2})T([0-9]{2}):([0-9]{2}):([0-9]{2})(?:\.([0-9]{1,3}))?Z", re.ASCII
)
_DAYS = (31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)
LAST_MOMENT = 253_402_300_799_000
"""9999-12-31T23:59:59Z in milliseconds: a later view counts as of then."""


def milliseconds(instant: Any) -> int | None:
    """Returns an instant in POSIX milliseconds, None of anything else. `datetime` knows neither year 0 nor 24:00:00."""
    match = _INSTANT.fullmatch(instant) if isinstance(instant, str) else None
    if match is None:
        return None
    year, month, day, hour, minute, second = (int(part) for part in match.groups()[:6])
    fraction = int((match[7] or "0").ljust(3, "0"))
    is_leap = year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)
    if not 1 <= month <= 12 or not 1 <= day <= _DAYS[month - 1] + (is_leap and month == 2):
        return None
    if hour > 23 and (hour, minute, second, fraction) != (24, 0, 0, 0) or minute > 59 or second > 59:
        return None
    years = year - 1
    days = years * 365 + years // 4 - years // 100 + years // 400 + sum(_DAYS[: month - 1]) + day
    days += (is_leap and month > 2) - 719_163
    return ((days * 24 + hour) * 60 + minute) * 60_000 + second * 1000 + fraction


def is_instant(value: Any) -> bool:
    return milliseconds(value) is not None


def is_day(value: Any) -> bool:
    return isinstance(value, str) and len(value) == 10 and is_instant(f"{value}T00:00:00Z")


def from_base64(value: str) -> bytes:
    """Decodes the one spelling that docs/spec/log.md allows: padded, without white space, zeros in the unused bits."""
    try:
        decoded = base64.b64decode(value, validate=True)
    except (binascii.Error, ValueError):
        raise ValueError("not base64") from None
    if to_base64(decoded) != value:
        raise ValueError("not canonical base64")
    return decoded


def to_base64(value: bytes) -> str:
    return base64.b64encode(value).decode()
