"""What goes wrong, as classes: by the code of the answer, or by what happened on the way to it."""
from __future__ import annotations

from typing import Any, Dict, List, Mapping, Optional, Type

WRONG_ADDRESS = "is url the address of the functions?"


class PlacarError(Exception):
    """All errors of this package."""

    #: Of a sync that broke off: the result of the batches that were done.
    result: Any = None


class WebhookVerificationError(PlacarError):
    """The request is not a delivery that was signed with this secret, or it is too old."""


class NetworkError(PlacarError):
    """There is no answer. `sent` says whether the request may have arrived, and so may have been done."""

    def __init__(self, message: str, *, sent: bool, idempotency_key: Optional[str] = None) -> None:
        super().__init__(message)
        self.sent = sent
        #: The key of a payment's request: give it to the same call again, and nothing is done twice.
        self.idempotency_key = idempotency_key


class TimedOut(NetworkError):
    """No whole answer came within `timeout`."""


class ApiError(PlacarError):
    """An answer that is not a success."""

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
        #: To be quoted when asking for help.
        self.request_id = request_id
        #: What is wrong: `field` and `message` each, of activities `index` too.
        self.fields = fields or []
        #: Seconds that the service asks to wait.
        self.retry_after = retry_after
        #: The answer as it came: parsed JSON, or text.
        self.body = body
        self.idempotency_key = idempotency_key

    @property
    def effect(self) -> Optional[str]:
        """Of a 503: `none` where nothing was done, `unknown` where nobody knows."""
        body = self.body if isinstance(self.body, dict) else {}
        inner = body.get("error")
        effect = (inner if isinstance(inner, dict) else body).get("effect")
        return effect if isinstance(effect, str) else None

    @property
    def existing_id(self) -> Optional[str]:
        """The record that has the e-mail or the external id already."""
        existing: Optional[str] = self._told("existing_id")
        return existing

    @property
    def merged_into(self) -> Optional[str]:
        """The lead that this one became a part of."""
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
    """The request is wrong: `fields` says where."""


class AuthenticationError(ApiError):
    """The key, the client or the token is not accepted."""


class PermissionDenied(ApiError):
    """A scope is missing."""


class NotFound(ApiError):
    """Not there, or another tenant's."""


class PreconditionFailed(ApiError):
    """Somebody changed the record since `if_match`: `current` is the record as it is."""

    #: The version of `current`.
    etag: Optional[str] = None

    @property
    def current(self) -> Any:
        return self._told("current")


class CursorExpired(ApiError):
    """Events after this cursor are no longer kept."""


class Conflict(ApiError):
    """It clashes with what is there."""


class IdempotencyKeyReused(Conflict):
    """Another request had this key."""


class IdempotencyKeyInUse(Conflict):
    """The first request with this key is still running."""


class Unprocessable(ApiError):
    """Well-formed, and impossible."""


class BatchRejected(Unprocessable):
    """An operation of an atomic batch is refused, so nothing was done."""

    @property
    def results(self) -> List[Dict[str, Any]]:
        """In the order of the operations: the status and error of each, or 424 for one that was not in the way."""
        results = self._told("results")
        return results if isinstance(results, list) else []


class UserLimitReached(Unprocessable):
    """The plan's number of users is reached."""


class RateLimited(ApiError):
    """Too many requests: wait `retry_after` seconds."""


class ServerError(ApiError):
    """The service failed, or is not available."""


class ProviderError(ServerError):
    """The payment provider failed or refused. `retryable` says which."""

    @property
    def retryable(self) -> bool:
        return isinstance(self.body, dict) and self.body.get("retryable") is True


class ProviderNotConfigured(ServerError):
    """Not live for this country or currency."""


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
    """The error for an answer of any interface: problem details, `{error: {...}}`, or that of RFC 6749."""
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
    unexplained = f"The answer is not from Placar: {WRONG_ADDRESS}" if elsewhere else "The answer says no more."
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
