"""Verifies webhook deliveries."""
from __future__ import annotations

import base64
import hashlib
import hmac
import json
import re
import time
from dataclasses import dataclass
from typing import Any, Dict, Iterable, Mapping, Optional, Sequence, Tuple, Union

from . import _ed25519
from .errors import OptionsError, WebhookVerificationError

#: Request headers: a mapping (Flask, Django, http.server) or pairs (ASGI).
Headers = Union[Mapping[Any, Any], Iterable[Tuple[Any, Any]]]

_PREFIX = "whsec_"
PUBLIC_PREFIX = "whpk_"
TOLERANCE_SECONDS = 300


@dataclass(frozen=True)
class Event:
    id: str
    type: str
    created_at: str
    data: Dict[str, Any]
    #: The `X-Origin` header of the request that caused the event.
    origin: Optional[str]
    #: The same for each attempt. Store it, and respond with 2xx to duplicates.
    delivery_id: Optional[str]


def verify_webhook(
    headers: Headers,
    body: Union[bytes, str],
    secret: Union[str, Sequence[str]],
    *,
    tolerance: float = TOLERANCE_SECONDS,
    require_timestamp: bool = True,
) -> Event:
    """Verifies a delivery and returns its event. Raises `WebhookVerificationError` unless the signature is valid and recent.

    `body` is the raw body. `secret` is the webhook's secret, its `public_key`, or several of them: during a rotation, both secrets.
    With a secret and a public key, the signatures of both must be valid.
    If a delivery has several signatures, the first of these is verified: `webhook-signature`, `X-Pay-Signature`,
    `X-Service-Signature`. The last one has no timestamp. A delivery with only that signature is rejected unless `require_timestamp` is
    false, so that removing headers does not make a replayed delivery valid. Every delivery of Placar has a timestamp.
    """
    given = _lowered(headers)
    if not isinstance(body, (bytes, bytearray, memoryview, str)):
        raise TypeError("body must be the raw bytes or text of the request, not the parsed JSON")
    raw = body.encode() if isinstance(body, str) else bytes(body)
    every = [secret] if isinstance(secret, str) else list(secret or ())
    if not every or not all(every):
        raise OptionsError("secret must not be empty")
    keys = [one for one in every if one.startswith(PUBLIC_PREFIX)]
    secrets = [one for one in every if one not in keys]
    if "webhook-signature" in given:
        right = _standard(given, raw, secrets, keys, tolerance)
    elif "x-pay-signature" in given and secrets:
        right = _pay(given["x-pay-signature"], raw, secrets, tolerance)
    elif "x-service-signature" in given and secrets:
        if require_timestamp:
            raise _failure("signature_missing", "the delivery has no signature with a timestamp")
        expected = ["sha256=" + _hex(one, raw) for one in secrets]
        right = _matches([given["x-service-signature"]], expected)
    else:
        raise _failure("signature_missing", "the delivery has no signature")
    if not right:
        raise _failure("signature_invalid", "the signature does not match this body and secret")
    return _event(given, raw)


def _failure(code: str, message: str) -> WebhookVerificationError:
    return WebhookVerificationError(message, code=code)


def _standard(
    given: Mapping[str, str], raw: bytes, secrets: Sequence[str], keys: Sequence[str], tolerance: float
) -> bool:
    id, at = given.get("webhook-id", ""), given.get("webhook-timestamp", "")
    _check_time(at, tolerance)
    message = f"{id}.{at}.".encode() + raw
    signatures = given["webhook-signature"].split()
    digests = (hmac.new(_standard_key(one), message, hashlib.sha256).digest() for one in secrets)
    expected = ["v1," + base64.b64encode(digest).decode() for digest in digests]
    if secrets and not _matches(signatures, expected):
        return False
    asymmetric = [_decoded(one[4:]) for one in signatures if one.startswith("v1a,")]
    decoded = [_decoded(key[len(PUBLIC_PREFIX) :]) for key in keys]
    return not keys or any(_ed25519.verify(key, message, one) for key in decoded for one in asymmetric)


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
    """Decodes the base64 after `whsec_`. Other secrets are used as bytes."""
    encoded = secret[len(_PREFIX) :] if secret.startswith(_PREFIX) else ""
    return _decoded(encoded) or secret.encode()


def _decoded(text: str) -> bytes:
    """Empty if the text is not base64."""
    try:
        return base64.b64decode(text, validate=True)
    except ValueError:
        return b""


def _check_time(text: str, tolerance: float) -> None:
    if not re.fullmatch(r"[0-9]{1,15}", text):
        raise _failure("timestamp_stale", "the delivery has no timestamp")
    if abs(time.time() - int(text)) > tolerance:
        message = f"the signed time differs from this machine's clock by more than {tolerance:g} seconds"
        raise _failure("timestamp_stale", message)


def _event(given: Mapping[str, str], raw: bytes) -> Event:
    try:
        told = json.loads(raw)
        id, type, created_at, data = (told[name] for name in ("id", "type", "created_at", "data"))
    except (ValueError, KeyError, TypeError):
        raise _failure("body_invalid", "the body is not an event") from None
    delivery_id = given.get("webhook-id") or given.get("x-pay-delivery") or given.get("x-service-delivery")
    return Event(id, type, created_at, data, told.get("origin"), delivery_id)


def _lowered(headers: Headers) -> Dict[str, str]:
    items = getattr(headers, "items", None)
    pairs = items() if items is not None else headers
    return {_text(name).lower(): _text(value) for name, value in pairs}


def _text(value: Any) -> str:
    if isinstance(value, bytes):
        return value.decode("latin-1")
    # A lone surrogate, which a server may make of an invalid byte, could not be encoded later.
    return str(value).encode("utf-8", "replace").decode()
