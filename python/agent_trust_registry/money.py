"""Money without fractions: decimal texts outside, whole numbers inside."""

from __future__ import annotations

import re

_STATED = re.compile(r"0*([0-9]{1,9})(?:\.([0-9]{0,20}))?", re.ASCII)


def scaled(decimal: str, places: int) -> int:
    """Returns a decimal as a whole number: '1.3' at two places is 130."""
    whole, _, fraction = decimal.partition(".")
    return int(whole + fraction.ljust(places, "0"))


def dollars(cents: int) -> str:
    return f"{cents // 100}.{cents % 100:02d}"


def as_stated(text: str) -> str | None:
    """Returns an amount as the source states it, '00720.0' as '720.00'; None of zero and of more than four decimals."""
    whole, fraction = _parts(text)
    if whole is None or len(fraction) > 4 or (int(whole) == 0 and not fraction):
        return None
    return f"{int(whole)}.{fraction.ljust(2, '0')}"


def rounded(text: str) -> str | None:
    """Returns an amount of more than four decimals, rounded half up to the cent; None of others and of zero."""
    whole, fraction = _parts(text)
    if whole is None or len(fraction) <= 4:
        return None
    cents = int(whole) * 100 + int(fraction[:2]) + (fraction[2] >= "5")
    return dollars(cents) if cents else None


def _parts(text: str) -> tuple[str | None, str]:
    """The digits before the point, and those after it without trailing zeros."""
    match = _STATED.fullmatch(text)
    return (match[1], (match[2] or "").rstrip("0")) if match else (None, "")
