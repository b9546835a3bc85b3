"""SVC-SIGN-V1 signatures for requests with an API key."""
from __future__ import annotations

import hashlib
import hmac
import time
from typing import Optional


def sign(api_key: str, timestamp: str, method: str, target: str, body: bytes = b"") -> str:
    """Returns the signature. `target` is the path from the function's name on, with the query exactly as sent."""
    message = "\n".join([timestamp, method.upper(), target, hashlib.sha256(body).hexdigest()])
    return hmac.new(api_key.encode(), message.encode(), hashlib.sha256).hexdigest()


def authorization(
    api_key: str, method: str, target: str, body: bytes = b"", timestamp: Optional[int] = None
) -> str:
    """Returns the `Authorization` header of one request. It is valid for 300 seconds."""
    at = str(int(time.time()) if timestamp is None else timestamp)
    return f"SVC-SIGN-V1 {api_key}:{at}:{sign(api_key, at, method, target, body)}"
