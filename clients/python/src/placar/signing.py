"""SVC-SIGN-V1: how requests with an API key are signed."""
from __future__ import annotations

import hashlib
import hmac
import time
from typing import Optional


def sign(api_key: str, timestamp: str, method: str, target: str, body: bytes = b"") -> str:
    """The signature; `target` is the path from the function's name on, with its query exactly as sent."""
    message = "\n".join([timestamp, method.upper(), target, hashlib.sha256(body).hexdigest()])
    return hmac.new(api_key.encode(), message.encode(), hashlib.sha256).hexdigest()


def authorization(
    api_key: str, method: str, target: str, body: bytes = b"", timestamp: Optional[int] = None
) -> str:
    """The `Authorization` header of one request, which is good for 300 seconds."""
    at = str(int(time.time()) if timestamp is None else timestamp)
    return f"SVC-SIGN-V1 {api_key}:{at}:{sign(api_key, at, method, target, body)}"
