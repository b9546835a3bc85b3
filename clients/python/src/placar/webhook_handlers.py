"""Webhook endpoints for WSGI (Flask, Django, gunicorn) and ASGI (FastAPI, Starlette, uvicorn)."""
from __future__ import annotations

import inspect
import logging
from typing import Any, Awaitable, Callable, Dict, Iterable, List, Sequence, Tuple, Union

from .errors import WebhookVerificationError
from .webhooks import TOLERANCE_SECONDS, Event, verify_webhook

#: More than any event has.
MAX_BODY_BYTES = 8 * 1024 * 1024

_log = logging.getLogger("placar.webhooks")
_REASONS = {
    204: "204 No Content",
    400: "400 Bad Request",
    401: "401 Unauthorized",
    405: "405 Method Not Allowed",
    413: "413 Content Too Large",
    500: "500 Internal Server Error",
}
_Answer = Tuple[int, str]
_Headers = List[Tuple[str, str]]
_NOT_POST: _Answer = (405, "Method not allowed. Use POST.")
_TOO_LARGE: _Answer = (413, "The body is larger than 8 MiB.")
_FAILED: _Answer = (500, "The webhook handler failed.")
Secret = Union[str, Sequence[str]]


def wsgi_webhook(
    secret: Secret, on_event: Callable[[Event], Any], *, tolerance: float = TOLERANCE_SECONDS
) -> Callable[[Dict[str, Any], Callable[..., Any]], Iterable[bytes]]:
    """Returns a WSGI application that verifies each POST request and calls `on_event` with its event.

    It responds with 204 when `on_event` returns, and with 500 when it raises: then Placar sends the event again. `on_event` must return
    within 10 seconds. An event can arrive more than once: skip an `event.id` that you have processed. Other responses: 400, 401, 405, 413.
    """

    def application(environ: Dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
        status, message = _receive_wsgi(environ, secret, on_event, tolerance)
        start_response(_REASONS[status], _headers_of(status, message))
        return [message.encode()]

    return application


def asgi_webhook(
    secret: Secret, on_event: Callable[[Event], Any], *, tolerance: float = TOLERANCE_SECONDS
) -> Callable[[Dict[str, Any], Callable[[], Awaitable[Any]], Callable[[Any], Awaitable[Any]]], Awaitable[None]]:
    """The same as `wsgi_webhook` as an ASGI application. `on_event` may be a coroutine function."""

    async def application(
        scope: Dict[str, Any], receive: Callable[[], Awaitable[Any]], send: Callable[[Any], Awaitable[Any]]
    ) -> None:
        if scope["type"] != "http":
            raise RuntimeError("asgi_webhook serves HTTP only")
        status, message = await _receive_asgi(scope, receive, secret, on_event, tolerance)
        headers = [(name.encode(), value.encode()) for name, value in _headers_of(status, message)]
        await send({"type": "http.response.start", "status": status, "headers": headers})
        await send({"type": "http.response.body", "body": message.encode()})

    return application


def _headers_of(status: int, message: str) -> _Headers:
    allow = [("allow", "POST")] if status == 405 else []
    return [*allow, ("content-type", "text/plain"), ("content-length", str(len(message.encode())))] if message else allow


def _receive_wsgi(environ: Dict[str, Any], secret: Secret, on_event: Callable[[Event], Any], tolerance: float) -> _Answer:
    if environ["REQUEST_METHOD"] != "POST":
        return _NOT_POST
    try:
        length = int(environ.get("CONTENT_LENGTH") or 0)
    except ValueError:
        return 400, "Content-Length is not a number."
    if length > MAX_BODY_BYTES:
        return _TOO_LARGE
    names = ((name[5:].replace("_", "-"), value) for name, value in environ.items() if name.startswith("HTTP_"))
    try:
        on_event(verify_webhook(dict(names), environ["wsgi.input"].read(length), secret, tolerance=tolerance))
    except Exception as error:
        return _failure(error)
    return 204, ""


async def _receive_asgi(
    scope: Dict[str, Any],
    receive: Callable[[], Awaitable[Any]],
    secret: Secret,
    on_event: Callable[[Event], Any],
    tolerance: float,
) -> _Answer:
    if scope["method"] != "POST":
        return _NOT_POST
    body, more = b"", True
    while more:
        message = await receive()
        if message["type"] == "http.disconnect":
            return 400, "The request was aborted."
        body += message.get("body", b"")
        more = message.get("more_body", False)
        if len(body) > MAX_BODY_BYTES:
            return _TOO_LARGE
    try:
        result = on_event(verify_webhook(scope["headers"], body, secret, tolerance=tolerance))
        if inspect.isawaitable(result):
            await result
    except Exception as error:
        return _failure(error)
    return 204, ""


def _failure(error: Exception) -> _Answer:
    if isinstance(error, WebhookVerificationError):
        return 401, str(error)
    _log.error("the webhook handler failed", exc_info=error)
    return _FAILED
