"""Error classes, by the code of the response or by the kind of network failure."""
from __future__ import annotations

from typing import Any, Dict, List, Mapping, Optional, Type

WRONG_ADDRESS = "Check that url is the URL of the functions."


class PlacarError(Exception):
    """Base class of all errors of this package."""

    #: For an interrupted sync: the result of the finished batches.
    result: Any = None


class OptionsError(PlacarError, ValueError):
    """An option is missing or invalid."""


class WebhookVerificationError(PlacarError):
    """The request is not signed with this secret, or it is too old. Respond with 401.

    `code` is `signature_missing`, `signature_invalid`, `timestamp_stale` or `body_invalid`.
    """

    def __init__(self, message: str, *, code: str) -> None:
        super().__init__(message)
        self.code = code


class NetworkError(PlacarError):
    """No response. `sent` tells whether the request may have arrived and been executed."""

    def __init__(self, message: str, *, sent: bool, idempotency_key: Optional[str] = None) -> None:
        super().__init__(message)
        self.sent = sent
        #: Idempotency key of a payment request. Repeat the call with it, and the request is executed at most once.
        self.idempotency_key = idempotency_key


class TimedOut(NetworkError):
    """No complete response within `timeout`."""


class ApiError(PlacarError):
    """A response with an error status."""

    def __init__(
        self,
        message: str,
        *,
        status: int,
        code: str = "",
        request_id: Optional[str] = None,
        fields: Optional[List[Dict[str, Any]]] = None,
        retry_after: Optional[float] = None,
        body: Any = None,
        idempotency_key: Optional[str] = None,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.status = status
        self.code = code
        #: Include it when you contact support.
        self.request_id = request_id
        #: Invalid fields, each with `field` and `message`; for activities also `index`.
        self.fields = fields or []
        #: Seconds to wait, as requested by the service.
        self.retry_after = retry_after
        #: The response body: parsed JSON or text.
        self.body = body
        self.idempotency_key = idempotency_key

    @property
    def effect(self) -> Optional[str]:
        """For a 503: `none` if the request had no effect, `unknown` if that is not known."""
        body = self.body if isinstance(self.body, dict) else {}
        inner = body.get("error")
        effect = (inner if isinstance(inner, dict) else body).get("effect")
        return effect if isinstance(effect, str) else None

    @property
    def existing_id(self) -> Optional[str]:
        """The record that already has the email address or external id."""
        existing: Optional[str] = self._told("existing_id")
        return existing

    @property
    def merged_into(self) -> Optional[str]:
        """The lead that this lead was merged into."""
        winner: Optional[str] = self._told("merged_into")
        return winner

    def _told(self, member: str) -> Any:
        error = self.body.get("error") if isinstance(self.body, dict) else None
        return error.get(member) if isinstance(error, dict) else None

    def __str__(self) -> str:
        about = " ".join(part for part in (str(self.status), self.code) if part)
        wrong = "; ".join(f"{_place(field)}: {field.get('message')}" for field in self.fields[:5])
        more = f" and {len(self.fields) - 5} more" if len(self.fields) > 5 else ""
        request = f" [request {self.request_id}]" if self.request_id else ""
        return f"{about}: {self.message}{f' ({wrong}{more})' if wrong else ''}{request}"


def _place(field: Mapping[str, Any]) -> str:
    name = str(field.get("field", ""))
    return f"[{field['index']}].{name}" if "index" in field else name


class ValidationError(ApiError):
    """The request is invalid. `fields` has the details."""


class AuthenticationError(ApiError):
    """The key, client or token is invalid."""


class PermissionDenied(ApiError):
    """A scope is missing."""


class NotFound(ApiError):
    """The record does not exist, or belongs to another tenant."""


class PreconditionFailed(ApiError):
    """The record has changed since `if_match`. `current` is its current state."""

    #: The version of `current`.
    etag: Optional[str] = None

    @property
    def current(self) -> Any:
        return self._told("current")


class CursorExpired(ApiError):
    """The events after this cursor have expired."""


class Conflict(ApiError):
    """The request conflicts with the current state."""


class IdempotencyKeyReused(Conflict):
    """The key was already used for a different request."""


class IdempotencyKeyInUse(Conflict):
    """The first request with this key is still in flight."""


class Unprocessable(ApiError):
    """The request is valid, but not possible in the current state."""


class BatchRejected(Unprocessable):
    """An operation of an atomic batch was rejected, so none was executed."""

    @property
    def results(self) -> List[Dict[str, Any]]:
        """Status and error of each operation, in order; 424 for operations that were not executed because of another one."""
        results = self._told("results")
        return results if isinstance(results, list) else []


class UserLimitReached(Unprocessable):
    """The plan's user limit is reached."""


class RateLimited(ApiError):
    """Too many requests. Wait `retry_after` seconds."""


class ServerError(ApiError):
    """The service failed or is unavailable."""


class ProviderError(ServerError):
    """The payment provider failed or rejected the request. `retryable` tells whether a retry may succeed."""

    @property
    def retryable(self) -> bool:
        return isinstance(self.body, dict) and self.body.get("retryable") is True


class ProviderNotConfigured(ServerError):
    """Not available for this country or currency."""


_BY_CODE: Dict[str, Type[ApiError]] = {
    "validation_error": ValidationError,
    "bad_request": ValidationError,
    "unknown_cost_center": ValidationError,
    "invalid_request": ValidationError,
    "invalid_scope": ValidationError,
    "invalid_client": AuthenticationError,
    "idempotency_key_reused": IdempotencyKeyReused,
    "idempotency_key_in_use": IdempotencyKeyInUse,
    "user_limit_reached": UserLimitReached,
    "batch_rejected": BatchRejected,
    "provider_error": ProviderError,
    "provider_not_configured": ProviderNotConfigured,
}

_BY_STATUS: Dict[int, Type[ApiError]] = {
    400: ValidationError,
    401: AuthenticationError,
    403: PermissionDenied,
    404: NotFound,
    410: CursorExpired,
    409: Conflict,
    412: PreconditionFailed,
    422: Unprocessable,
    429: RateLimited,
}


def error_of(
    status: int, body: Any, headers: Mapping[str, str], idempotency_key: Optional[str] = None
) -> ApiError:
    """Creates the error for a response of any interface: problem details, `{error: {...}}`, or RFC 6749."""
    told: Mapping[str, Any] = body if isinstance(body, dict) else {}
    inner = told.get("error")
    if isinstance(inner, dict):
        code, message, fields = inner.get("code"), inner.get("message"), inner.get("details")
    elif isinstance(inner, str):
        code, message, fields = inner, told.get("error_description"), None
    else:
        message = told.get("detail") or told.get("title") or told.get("message")
        code, fields = told.get("code"), told.get("errors")
    fallback: Type[ApiError] = ServerError if status >= 500 else ApiError
    kind: Type[ApiError] = _BY_CODE.get(str(code).lower(), _BY_STATUS.get(status, fallback))
    elsewhere = status < 400 or status in (404, 405)
    unexplained = f"The response does not come from Placar. {WRONG_ADDRESS}" if elsewhere else "The response has no details."
    error = kind(
        str(message or unexplained),
        status=status,
        code=str(code or ""),
        request_id=headers.get("x-request-id"),
        fields=[field for field in fields if isinstance(field, dict)] if isinstance(fields, list) else None,
        retry_after=_seconds(headers.get("retry-after")),
        body=body,
        idempotency_key=idempotency_key,
    )
    if isinstance(error, PreconditionFailed):
        error.etag = headers.get("etag")
    return error


def _seconds(text: Optional[str]) -> Optional[float]:
    return float(text) if text is not None and text.strip().isdecimal() else None
