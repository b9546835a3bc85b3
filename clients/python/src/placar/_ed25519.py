"""Verifies Ed25519 signatures (RFC 8032, section 5.1.7), which the standard library cannot.

It handles only public values, so it need not run in constant time. One verification takes a few milliseconds.
"""
from __future__ import annotations

import hashlib
from typing import Optional, Tuple

#: The field's prime, and the order of the base point.
_P = 2**255 - 19
_ORDER = 2**252 + 27742317777372353535851937790883648493
_D = -121665 * pow(121666, -1, _P) % _P
_ROOT_OF_MINUS_ONE = pow(2, (_P - 1) // 4, _P)

#: Extended coordinates (X, Y, Z, T) with x = X/Z, y = Y/Z, xy = T/Z.
_Point = Tuple[int, int, int, int]
_NEUTRAL: _Point = (0, 1, 1, 0)


def verify(public_key: bytes, message: bytes, signature: bytes) -> bool:
    """Whether the owner of `public_key` (32 bytes) signed `message` with `signature` (64 bytes)."""
    if len(public_key) != 32 or len(signature) != 64:
        return False
    key, commitment = _decode(public_key), _decode(signature[:32])
    scalar = int.from_bytes(signature[32:], "little")
    if key is None or commitment is None or scalar >= _ORDER:
        return False
    digest = hashlib.sha512(signature[:32] + public_key + message).digest()
    challenge = int.from_bytes(digest, "little") % _ORDER
    return _equal(_multiply(_BASE, scalar), _add(commitment, _multiply(key, challenge)))


def _decode(text: bytes) -> Optional[_Point]:
    encoded = int.from_bytes(text, "little")
    sign, y = encoded >> 255, encoded & (1 << 255) - 1
    if y >= _P:
        return None
    square = (y * y - 1) * pow(_D * y * y + 1, -1, _P) % _P
    x = pow(square, (_P + 3) // 8, _P)
    if x * x % _P != square:
        x = x * _ROOT_OF_MINUS_ONE % _P
    if x * x % _P != square or (x == 0 and sign == 1):
        return None
    if x % 2 != sign:
        x = _P - x
    return x, y, 1, x * y % _P


def _add(one: _Point, other: _Point) -> _Point:
    """RFC 8032, section 5.1.4. The formula is complete: it also doubles."""
    x1, y1, z1, t1 = one
    x2, y2, z2, t2 = other
    a, b = (y1 - x1) * (y2 - x2) % _P, (y1 + x1) * (y2 + x2) % _P
    c, d = 2 * t1 * t2 * _D % _P, 2 * z1 * z2 % _P
    e, f, g, h = b - a, d - c, d + c, b + a
    return e * f % _P, g * h % _P, f * g % _P, e * h % _P


def _multiply(point: _Point, factor: int) -> _Point:
    product = _NEUTRAL
    for bit in bin(factor)[2:]:
        product = _add(product, product)
        if bit == "1":
            product = _add(product, point)
    return product


def _equal(one: _Point, other: _Point) -> bool:
    x1, y1, z1, _ = one
    x2, y2, z2, _ = other
    return (x1 * z2 - x2 * z1) % _P == 0 and (y1 * z2 - y2 * z1) % _P == 0


def _base_point() -> _Point:
    point = _decode((4 * pow(5, -1, _P) % _P).to_bytes(32, "little"))
    assert point is not None
    return point


_BASE = _base_point()
