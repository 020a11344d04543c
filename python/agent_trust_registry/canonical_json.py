"""Canonical JSON: the strict reader and the one text form, as docs/spec/canonical-json.md says (RFC 8785)."""

from __future__ import annotations

import json
import math
import re
from decimal import Decimal
from typing import Any

MAX_INTEGER = 2**53 - 1
MAX_DEPTH = 32


class MalformedJson(ValueError):
    """A text that two readers could understand differently, or a value that JSON cannot hold."""

    def __init__(self, word: str) -> None:
        super().__init__(f"not acceptable JSON: {word}")
        self.word = word


def read_json(text: str) -> Any:
    """Returns the value of a text, or raises MalformedJson. A number counts by its value: `1.0` is the integer 1."""
    _check_unicode(text)
    _check_depth(text)
    try:
        value = _DECODER.decode(text)
    except json.JSONDecodeError as error:
        raise MalformedJson("trailing_data" if error.msg == "Extra data" else "syntax") from None
    if _levels(value) > MAX_DEPTH:
        raise MalformedJson("too_deep")
    # Escapes such as \ud800 make lone surrogates of a text that has none.
    _check_unicode(json.dumps(value, ensure_ascii=False))
    return value


def canonical(value: Any) -> str:
    """Returns the canonical text of a value. What is hashed is its UTF-8."""
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    if isinstance(value, str):
        _check_unicode(value)
        return json.dumps(value, ensure_ascii=False)
    if isinstance(value, (int, float)):
        return _digits(value)
    if isinstance(value, list):
        return f"[{','.join(map(canonical, value))}]"
    if isinstance(value, dict) and all(isinstance(name, str) for name in value):
        names = sorted(value, key=lambda name: name.encode("utf-16-be", "surrogatepass"))
        return "{" + ",".join(f"{canonical(name)}:{canonical(value[name])}" for name in names) + "}"
    raise MalformedJson("not_json")


def _check_unicode(text: str) -> None:
    try:
        text.encode()
    except UnicodeEncodeError:
        raise MalformedJson("bad_string") from None


_MARKS = re.compile(r'["\[\]{}]|\\.', re.DOTALL)


def _check_depth(text: str) -> None:
    """Refuses too many levels of lists and objects before anything recursive reads the text."""
    depth, in_string = 0, False
    for mark in _MARKS.findall(text):
        if mark == '"':
            in_string = not in_string
        elif not in_string and mark in "[{":
            depth += 1
            if depth > MAX_DEPTH:
                raise MalformedJson("too_deep")
        elif not in_string and mark in "]}":
            depth -= 1


def _levels(value: Any) -> int:
    """Returns the levels of a value. A number in a list is one deeper than the list."""
    items = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return 1 + max(map(_levels, items), default=0)


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) != len(pairs):
        raise MalformedJson("duplicate_member")
    return members


def _integer(digits: str) -> int:
    if len(digits) > 17 or abs(int(digits)) > MAX_INTEGER:
        raise MalformedJson("bad_number")
    return int(digits)


def _number(digits: str) -> int | float:
    value = float(digits)
    if not math.isfinite(value) or (value.is_integer() and abs(value) > MAX_INTEGER):
        raise MalformedJson("bad_number")
    return int(value) if value.is_integer() else value


def _constant(_: str) -> None:
    raise MalformedJson("syntax")


_DECODER = json.JSONDecoder(
    object_pairs_hook=_object, parse_int=_integer, parse_float=_number, parse_constant=_constant
)


def _digits(value: int | float) -> str:
    """Prints a number as ECMAScript does (RFC 8785 section 3.2.2.3)."""
    if isinstance(value, int):
        if abs(value) > MAX_INTEGER:
            raise MalformedJson("bad_number")
        return str(value)
    if not math.isfinite(value):
        raise MalformedJson("bad_number")
    if value == 0:
        return "0"
    sign, shortest, power = Decimal(repr(value)).normalize().as_tuple()
    assert isinstance(power, int)
    digits = "".join(map(str, shortest))
    point = len(digits) + power
    if 0 < point <= 21:
        text = digits.ljust(point, "0") if power >= 0 else f"{digits[:point]}.{digits[point:]}"
    elif -6 < point <= 0:
        text = "0." + "0" * -point + digits
    else:
        fraction = f".{digits[1:]}" if len(digits) > 1 else ""
        text = f"{digits[0]}{fraction}e{point - 1:+d}"
    return "-" + text if sign else text
