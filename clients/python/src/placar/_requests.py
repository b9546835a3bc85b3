"""Sends requests and retries those that are safe to repeat, after `Retry-After` or with exponential backoff."""
from __future__ import annotations

import datetime
import decimal
import json
import logging
import random
import ssl
import time
import uuid
from dataclasses import dataclass
from typing import Any, Callable, Dict, Mapping, Optional
from urllib.parse import urlencode

from ._pace import Pace
from ._secret import Secret
from ._transport import Response, StaleConnection, Transport
from ._version import VERSION
from .errors import WRONG_ADDRESS, ApiError, IdempotencyKeyInUse, NetworkError, ProviderError, error_of

log = logging.getLogger("placar")

#: Longest backoff in seconds, unless the service requests more.
_MAX_PAUSE = 30.0


@dataclass(frozen=True)
class Settings:
    timeout: float
    max_retries: int
    max_wait: float
    #: First delay in seconds. It doubles each time.
    backoff: float
    sleep: Callable[[float], None] = time.sleep


@dataclass(frozen=True)
class Call:
    method: str
    #: Path with query. Begins with the function's name.
    target: str
    #: Called for each attempt, because signatures contain the time.
    authorize: Callable[[], str]
    body: Optional[bytes] = None
    headers: Optional[Mapping[str, str]] = None
    #: Whether repeating the request has no further effect.
    repeatable: bool = False
    idempotency_key: Optional[str] = None
    #: Called after a 401. Returns whether a retry with new authorization may succeed.
    reauthorize: Optional[Callable[[], bool]] = None


class Requests:
    def __init__(self, transport: Transport, settings: Settings) -> None:
        self._transport = transport
        self._settings = settings
        self._paces: Dict[str, Pace] = {}

    def send(self, call: Call) -> Any:
        """Returns the JSON of the response, None if it has no body. Raises `ApiError` or `NetworkError`."""
        pace = self._pace(call.target)
        outcome_unknown = reauthorized = False
        # The server may have closed a pooled connection, which shows only when sending. Requests that cannot be repeated use a new one.
        fresh = not call.repeatable
        retries = 0
        while True:
            pace.wait()
            try:
                response = self._once(call, fresh)
            except StaleConnection:
                fresh = outcome_unknown = True
                continue
            except NetworkError as error:
                error.idempotency_key = call.idempotency_key
                broken = isinstance(error.__cause__, ssl.SSLCertVerificationError)
                if broken or retries == self._settings.max_retries or (error.sent and not call.repeatable):
                    raise
                outcome_unknown = outcome_unknown or error.sent
                self._settings.sleep(self._pause(retries))
                retries += 1
                continue
            pace.heed(response.headers)
            body = _parse(response)
            if 200 <= response.status < 300:
                return _tagged(body, response.headers.get("etag"))
            if response.status == 404 and call.method == "DELETE" and outcome_unknown:
                return None
            api_error = error_of(response.status, body, response.headers, call.idempotency_key)
            if response.status == 401 and call.reauthorize and not reauthorized and call.reauthorize():
                reauthorized = True
                continue
            wait = api_error.retry_after
            too_long = wait is not None and wait > self._settings.max_wait
            if too_long or retries == self._settings.max_retries or not _may_repeat(call, api_error):
                raise api_error
            outcome_unknown = outcome_unknown or response.status >= 500
            pause = self._pause(retries) if wait is None else wait + random.uniform(0, 0.25)
            if response.status == 429:
                pace.hold(pause)
            else:
                self._settings.sleep(pause)
            retries += 1

    def _once(self, call: Call, fresh: bool) -> Response:
        headers = {
            "Accept": "application/json",
            "User-Agent": f"placar-python/{VERSION}",
            "X-Request-Id": str(uuid.uuid4()),
            **(call.headers or {}),
            "Authorization": call.authorize(),
        }
        if call.body is not None:
            headers["Content-Type"] = "application/json"
        if call.idempotency_key is not None:
            headers["Idempotency-Key"] = call.idempotency_key
        if not headers["Authorization"]:
            del headers["Authorization"]
        began = time.monotonic()
        path = call.target.partition("?")[0]
        try:
            response = self._transport.send(
                call.method, call.target, headers, call.body, self._settings.timeout, fresh
            )
        except NetworkError as error:
            log.debug("%s %s: %s", call.method, path, error)
            raise
        took = (time.monotonic() - began) * 1000
        log.debug("%s %s %d %.0f ms, request %s", call.method, path, response.status, took,
                  response.headers.get("x-request-id"))
        return response

    def _pause(self, retries: int) -> float:
        return min(_MAX_PAUSE, self._settings.backoff * 2.0**retries) * random.uniform(0.5, 1)

    def _pace(self, target: str) -> Pace:
        interface = target.split("/", 2)[1]
        return self._paces.setdefault(interface, Pace(self._settings.sleep, self._settings.max_wait))


def _may_repeat(call: Call, error: ApiError) -> bool:
    if error.status in (408, 429) or isinstance(error, IdempotencyKeyInUse):
        return True
    if error.status < 500 or error.status == 501:
        return False
    if isinstance(error, ProviderError):
        return error.retryable and call.repeatable
    return call.repeatable or error.effect == "none"


class _Tagged(Dict[str, Any]):
    """A record with its version from the `ETag` header."""

    etag: str


def etag_of(record: Mapping[str, Any]) -> Optional[str]:
    """The version of a record for `if_match`. None for list items and copies."""
    return record.etag if isinstance(record, _Tagged) else None


def _tagged(body: Any, etag: Optional[str]) -> Any:
    if etag is None or not isinstance(body, dict) or not isinstance(body.get("data"), dict):
        return body
    record = _Tagged(body["data"])
    record.etag = etag
    return {**body, "data": record}


def _parse(response: Response) -> Any:
    if not response.body:
        return None
    try:
        return json.loads(response.body)
    except ValueError:
        if 200 <= response.status < 300:
            raise ApiError(f"The response is not valid JSON. {WRONG_ADDRESS}", status=response.status, code="invalid_answer",
                           request_id=response.headers.get("x-request-id")) from None
        return response.body.decode("utf-8", "replace")[:1000]


def to_json(value: Any) -> bytes:
    """Serializes to JSON. Dates, ids and decimals are converted to strings or numbers that the service accepts."""
    return json.dumps(value, default=_other, separators=(",", ":"), allow_nan=False).encode()


def _other(value: Any) -> Any:
    if isinstance(value, decimal.Decimal):
        return int(value) if value == value.to_integral_value() else float(value)
    return as_text(value)


def as_text(value: Any) -> str:
    """Serializes a query parameter."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, datetime.datetime):
        if value.tzinfo is None:
            raise ValueError("a datetime must have a time zone")
        return value.isoformat()
    if isinstance(value, datetime.date):
        return value.isoformat()
    if isinstance(value, (str, int, float, decimal.Decimal, uuid.UUID)):
        return str(value)
    raise TypeError(f"{type(value).__name__} is not serializable")


def with_query(path: str, parameters: Mapping[str, Any]) -> str:
    query = urlencode({name: as_text(value) for name, value in parameters.items() if value is not None})
    return f"{path}?{query}" if query else path


def header_text(name: str, value: str) -> str:
    """Rejects header values that http.client would reject, before anything is sent."""
    Secret(value, name)
    return value
