"""Verifying what arrives at your own address."""
from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import json
import re
import time
from dataclasses import dataclass
from typing import Any, Dict, Iterable, Mapping, Optional, Sequence, Tuple, Union

from .errors import WebhookVerificationError

#: Anything with headers: a mapping (of Flask, Django, http.server), or pairs (of ASGI).
Headers = Union[Mapping[Any, Any], Iterable[Tuple[Any, Any]]]

_PREFIX = "whsec_"
TOLERANCE_SECONDS = 300


@dataclass(frozen=True)
class Event:
    id: str
    type: str
    created_at: str
    data: Dict[str, Any]
    #: What the request that caused it said in `X-Origin`.
    origin: Optional[str]
    #: The same on every attempt. Keep it, and answer 2xx to what comes again.
    delivery_id: Optional[str]


def verify_webhook(
    headers: Headers,
    body: Union[bytes, str],
    secret: Union[str, Sequence[str]],
    *,
    tolerance: float = TOLERANCE_SECONDS,
) -> Event:
    """The event of a delivery. Raises `WebhookVerificationError` unless its signature is right and recent.

    `body` is what came, before any parsing. `secret` may be several: the old and the new one while a secret is rotated.
    A webhook's `public_key` is not taken: Python's standard library has no Ed25519. A webhook without a secret is verified
    with a package that has it, such as `cryptography`: README.md shows how.
    Of the signatures that a delivery has the first of these counts: `webhook-signature`, `X-Pay-Signature`,
    `X-Service-Signature`. The last has no time, so alone it does not tell a delivery from its repetition.
    """
    given = _lowered(headers)
    if not isinstance(body, (bytes, bytearray, memoryview, str)):
        raise TypeError("body must be the bytes or the text that came: what was parsed has no signature any more")
    raw = body.encode() if isinstance(body, str) else bytes(body)
    secrets = [secret] if isinstance(secret, str) else list(secret or ())
    if not secrets or not all(secrets):
        raise ValueError("secret must not be empty: without one anybody could have sent the delivery")
    if any(one.startswith("whpk_") for one in secrets):
        raise ValueError("secret must not be a public key: Python's standard library has no Ed25519 to verify by it")
    if "webhook-signature" in given:
        right = _standard(given, raw, secrets, tolerance)
    elif "x-pay-signature" in given:
        right = _pay(given["x-pay-signature"], raw, secrets, tolerance)
    elif "x-service-signature" in given:
        expected = ["sha256=" + _hex(one, raw) for one in secrets]
        right = _matches([given["x-service-signature"]], expected)
    else:
        raise WebhookVerificationError("the delivery has no signature")
    if not right:
        raise WebhookVerificationError("the signature is not that of this body with this secret")
    return _event(given, raw)


def _standard(given: Mapping[str, str], raw: bytes, secrets: Sequence[str], tolerance: float) -> bool:
    id, at = given.get("webhook-id", ""), given.get("webhook-timestamp", "")
    _check_time(at, tolerance)
    message = f"{id}.{at}.".encode() + raw
    digests = (hmac.new(_standard_key(one), message, hashlib.sha256).digest() for one in secrets)
    expected = ["v1," + base64.b64encode(digest).decode() for digest in digests]
    return _matches(given["webhook-signature"].split(), expected)


def _pay(signature: str, raw: bytes, secrets: Sequence[str], tolerance: float) -> bool:
    parts = [(name, value) for name, _, value in (part.strip().partition("=") for part in signature.split(","))]
    at = dict(parts).get("t", "")
    _check_time(at, tolerance)
    expected = [_hex(one, at.encode() + b"." + raw) for one in secrets]
    return _matches([value for name, value in parts if name == "v1"], expected)


def _matches(signatures: Sequence[str], expected: Sequence[str]) -> bool:
    pairs = [(one, other) for one in signatures for other in expected]
    return any([hmac.compare_digest(one.encode(), other.encode()) for one, other in pairs])


def _hex(secret: str, message: bytes) -> str:
    return hmac.new(secret.encode(), message, hashlib.sha256).hexdigest()


def _standard_key(secret: str) -> bytes:
    """Base64 after `whsec_`, or else the bytes of the text."""
    encoded = secret[len(_PREFIX) :] if secret.startswith(_PREFIX) else ""
    try:
        return base64.b64decode(encoded, validate=True) or secret.encode()
    except binascii.Error:
        return secret.encode()


def _check_time(text: str, tolerance: float) -> None:
    if not re.fullmatch(r"[0-9]{1,15}", text):
        raise WebhookVerificationError("the delivery has no time")
    if abs(time.time() - int(text)) > tolerance:
        raise WebhookVerificationError(f"the delivery is not of the last {tolerance:g} seconds, by this machine's clock")


def _event(given: Mapping[str, str], raw: bytes) -> Event:
    try:
        told = json.loads(raw)
        id, type, created_at, data = (told[name] for name in ("id", "type", "created_at", "data"))
    except (ValueError, KeyError, TypeError):
        raise WebhookVerificationError("the body is no event") from None
    delivery_id = given.get("webhook-id") or given.get("x-pay-delivery") or given.get("x-service-delivery")
    return Event(id, type, created_at, data, told.get("origin"), delivery_id)


def _lowered(headers: Headers) -> Dict[str, str]:
    items = getattr(headers, "items", None)
    pairs = items() if items is not None else headers
    return {_text(name).lower(): _text(value) for name, value in pairs}


def _text(value: Any) -> str:
    return value.decode("latin-1") if isinstance(value, bytes) else str(value)
