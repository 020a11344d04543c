"""Ed25519 (RFC 8032), by the package `cryptography` where it is installed, else in Python alone.

Verification is strict: S is reduced, the key is sound (docs/spec/log.md), and the equation is the one without the
cofactor, on encoded points. Both ways give the same answer to every input.
"""

from __future__ import annotations

from hashlib import sha512

try:
    from cryptography.exceptions import InvalidSignature
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

    HAS_LIBRARY = True
except ImportError:
    HAS_LIBRARY = False

P = 2**255 - 19
ORDER = 2**252 + 27742317777372353535851937790883648493
D = -121665 * pow(121666, -1, P) % P
SQRT_OF_MINUS_1 = pow(2, (P - 1) // 4, P)
_Y_MASK = 2**255 - 1

Point = tuple[int, int, int, int]
"""Extended coordinates: X, Y, Z, T with x = X/Z, y = Y/Z, xy = T/Z."""

NEUTRAL: Point = (0, 1, 1, 0)

SMALL_ORDER = frozenset(
    int.from_bytes(bytes.fromhex(key), "little")
    for key in (
        "0000000000000000000000000000000000000000000000000000000000000000",
        "0100000000000000000000000000000000000000000000000000000000000000",
        "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
        "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
        "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
    )
)


def is_sound_key(key: bytes) -> bool:
    """False for keys under which anyone can write signatures, and for a second spelling of a key."""
    y = int.from_bytes(key, "little") & _Y_MASK
    return len(key) == 32 and y < P and y not in SMALL_ORDER


def verify(key: bytes, message: bytes, signature: bytes) -> bool:
    if len(signature) != 64 or not is_sound_key(key):
        return False
    if not HAS_LIBRARY:
        return verify_in_python(key, message, signature)
    try:
        Ed25519PublicKey.from_public_bytes(key).verify(signature, message)
    except (InvalidSignature, ValueError):
        return False
    return True


def sign(seed: bytes, message: bytes) -> bytes:
    """Signs with a private key of 32 bytes. Needs `cryptography`: arithmetic in Python leaks the key by its timing."""
    if not HAS_LIBRARY:
        raise RuntimeError("signing needs the package cryptography: pip install cryptography")
    return Ed25519PrivateKey.from_private_bytes(seed).sign(message)


def verify_in_python(key: bytes, message: bytes, signature: bytes) -> bool:
    """Verifies a signature of 64 bytes under a sound key, without any library."""
    point = _decode(key)
    s = int.from_bytes(signature[32:], "little")
    if point is None or s >= ORDER:
        return False
    k = int.from_bytes(sha512(signature[:32] + key + message).digest(), "little") % ORDER
    x, y, z, t = point
    return _encode(_sum_of_products(s, BASE, k, (-x % P, y, z, -t % P))) == signature[:32]


def _add(a: Point, b: Point) -> Point:
    m, n = (a[1] - a[0]) * (b[1] - b[0]) % P, (a[1] + a[0]) * (b[1] + b[0]) % P
    c, d = 2 * a[3] * b[3] * D % P, 2 * a[2] * b[2] % P
    e, f, g, h = n - m, d - c, d + c, n + m
    return e * f % P, g * h % P, f * g % P, e * h % P


def _double(a: Point) -> Point:
    x2, y2 = a[0] * a[0] % P, a[1] * a[1] % P
    h = x2 + y2
    e, g = h - (a[0] + a[1]) ** 2 % P, x2 - y2
    f = 2 * a[2] * a[2] % P + g
    return e * f % P, g * h % P, f * g % P, e * h % P


def _sum_of_products(s: int, a: Point, k: int, b: Point) -> Point:
    """Returns s times a plus k times b, with one doubling for each bit of both."""
    either = (NEUTRAL, a, b, _add(a, b))
    total = NEUTRAL
    for bit in range(max(s.bit_length(), k.bit_length()) - 1, -1, -1):
        total = _double(total)
        choice = (s >> bit & 1) + 2 * (k >> bit & 1)
        if choice:
            total = _add(total, either[choice])
    return total


def _encode(a: Point) -> bytes:
    inverse = pow(a[2], -1, P)
    x, y = a[0] * inverse % P, a[1] * inverse % P
    return (y | (x & 1) << 255).to_bytes(32, "little")


def _decode(key: bytes) -> Point | None:
    y = int.from_bytes(key, "little") & _Y_MASK
    u, v = (y * y - 1) % P, (D * y * y + 1) % P
    x = u * pow(v, 3, P) * pow(u * pow(v, 7, P), (P - 5) // 8, P) % P
    if v * x * x % P != u:
        x = x * SQRT_OF_MINUS_1 % P
    if v * x * x % P != u:
        return None
    if x & 1 != key[31] >> 7:
        x = P - x
    return x, y, 1, x * y % P


_base = _decode((4 * pow(5, -1, P) % P).to_bytes(32, "little"))
assert _base is not None
BASE: Point = _base
