"""Webhook endpoints as WSGI and ASGI applications."""
from __future__ import annotations

import asyncio
import inspect
import logging
from typing import Any, Awaitable, Callable, Dict, Iterable, List, Optional, Sequence, Tuple

from ._verify_webhook import Event, verify_webhook
from ._webhook_options import RecentIds, Seen, SharedCalls, secrets_of
from .errors import OptionsError, WebhookVerificationError

_log = logging.getLogger("placar.webhooks")
_REASONS = {
    204: "No Content",
    401: "Unauthorized",
    405: "Method Not Allowed",
    413: "Content Too Large",
    500: "Internal Server Error",
}
_Response = Tuple[int, str]
_ACCEPTED: _Response = (204, "")
_NOT_POST: _Response = (405, "Method not allowed. Use POST.")

WsgiApp = Callable[[Dict[str, Any], Callable[..., Any]], Iterable[bytes]]
AsgiApp = Callable[[Dict[str, Any], Callable[[], Awaitable[Any]], Callable[[Any], Awaitable[Any]]], Awaitable[None]]


def wsgi_app(
    *,
    on_event: Callable[[Event], Any],
    secret: Optional[str] = None,
    secrets: Optional[Sequence[str]] = None,
    public_key: Optional[str] = None,
    seen: Optional[Seen] = None,
    max_bytes: int = 1024 * 1024,
    require_timestamp: bool = True,
) -> WsgiApp:
    """Returns a webhook endpoint for Flask, Django, gunicorn and other WSGI servers.

    Pass the webhook's `secret`, `secrets` (the old and the new one during a rotation) or its `public_key`.
    `on_event` is called with each verified event. The response is 204 when it returns, and 500 when it raises: then Placar sends the
    event again, and the error is logged. It must return within 10 seconds. Concurrent deliveries of an event share one call. Events that `seen` has are not passed to it; the default has
    the last 10 000 ids, in memory.
    Other responses: 401 (not verified, with the code as text), 405 (not POST), 413 (larger than `max_bytes`).
    Raises `OptionsError` if there is no secret.
    """
    accepted, processed = secrets_of(secret, secrets, public_key), RecentIds() if seen is None else seen
    if any(inspect.iscoroutinefunction(one) for one in (on_event, processed.has, processed.add)):
        raise OptionsError("on_event and seen must not have coroutine functions. Use asgi_app.")
    calls = SharedCalls()

    def process_once(event: Event) -> None:
        if not processed.has(event.id):
            on_event(event)
            processed.add(event.id)

    def receive(environ: Dict[str, Any]) -> _Response:
        if environ["REQUEST_METHOD"] != "POST":
            return _NOT_POST
        names = ((name[5:].replace("_", "-"), value) for name, value in environ.items() if name.startswith("HTTP_"))
        try:
            body = _wsgi_body(environ, max_bytes)
            if len(body) > max_bytes:
                return _too_large(max_bytes)
            event = verify_webhook(dict(names), body, accepted, require_timestamp=require_timestamp)
        except WebhookVerificationError as error:
            return 401, error.code
        try:
            calls.run(event.id, lambda: process_once(event))
        except Exception as error:
            return _failure(error)
        return _ACCEPTED

    def application(environ: Dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
        status, text = receive(environ)
        start_response(f"{status} {_REASONS[status]}", _headers_of(status, text))
        # Most servers send what they get, and the response to HEAD has no body.
        return [] if environ["REQUEST_METHOD"] == "HEAD" else [text.encode()]

    return application


def asgi_app(
    *,
    on_event: Callable[[Event], Any],
    secret: Optional[str] = None,
    secrets: Optional[Sequence[str]] = None,
    public_key: Optional[str] = None,
    seen: Optional[Seen] = None,
    max_bytes: int = 1024 * 1024,
    require_timestamp: bool = True,
) -> AsgiApp:
    """The same as `wsgi_app`, for FastAPI, Starlette, uvicorn and other ASGI servers. `on_event` may be a coroutine function."""
    accepted, processed = secrets_of(secret, secrets, public_key), RecentIds() if seen is None else seen
    in_flight: Dict[str, "asyncio.Task[None]"] = {}

    async def process_once(event: Event) -> None:
        if not await _awaited(processed.has(event.id)):
            await _awaited(on_event(event))
            await _awaited(processed.add(event.id))

    async def process(event: Event) -> None:
        task = in_flight.get(event.id)
        if task is None:
            task = in_flight[event.id] = asyncio.ensure_future(process_once(event))
            task.add_done_callback(lambda _: in_flight.pop(event.id))
        # A request that is canceled must not cancel the others.
        await asyncio.shield(task)

    async def respond_to(scope: Dict[str, Any], receive: Callable[[], Awaitable[Any]]) -> _Response:
        if scope["method"] != "POST":
            return _NOT_POST
        try:
            body = await _asgi_body(receive, max_bytes)
            if len(body) > max_bytes:
                return _too_large(max_bytes)
            event = verify_webhook(scope["headers"], body, accepted, require_timestamp=require_timestamp)
        except WebhookVerificationError as error:
            return 401, error.code
        try:
            await process(event)
        except Exception as error:
            return _failure(error)
        return _ACCEPTED

    async def application(
        scope: Dict[str, Any], receive: Callable[[], Awaitable[Any]], send: Callable[[Any], Awaitable[Any]]
    ) -> None:
        if scope["type"] != "http":
            raise RuntimeError("asgi_app serves HTTP only")
        status, text = await respond_to(scope, receive)
        headers = [(name.lower().encode(), value.encode()) for name, value in _headers_of(status, text)]
        await send({"type": "http.response.start", "status": status, "headers": headers})
        await send({"type": "http.response.body", "body": text.encode()})

    return application


def _wsgi_body(environ: Dict[str, Any], max_bytes: int) -> bytes:
    """The body. If it is larger than `max_bytes`, only so much that this is known."""
    declared = environ.get("CONTENT_LENGTH") or ""
    if declared.isdecimal():
        length = min(int(declared), max_bytes + 1)
    else:
        # Servers that accept chunked bodies set this.
        length = max_bytes + 1 if environ.get("wsgi.input_terminated") else 0
    try:
        body: bytes = environ["wsgi.input"].read(length)
    except OSError:
        raise _incomplete() from None
    return body


async def _asgi_body(receive: Callable[[], Awaitable[Any]], max_bytes: int) -> bytes:
    chunks: List[bytes] = []
    size, more = 0, True
    while more and size <= max_bytes:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise _incomplete()
        chunks.append(message.get("body", b""))
        size, more = size + len(chunks[-1]), message.get("more_body", False)
    return b"".join(chunks)


async def _awaited(result: Any) -> Any:
    return await result if inspect.isawaitable(result) else result


def _incomplete() -> WebhookVerificationError:
    return WebhookVerificationError("the body is incomplete", code="body_invalid")


def _too_large(max_bytes: int) -> _Response:
    return 413, f"The body is larger than {max_bytes} bytes."


def _failure(error: Exception) -> _Response:
    """The response tells the sender nothing about the error."""
    _log.error("the webhook handler failed", exc_info=error)
    return 500, "The webhook handler failed."


def _headers_of(status: int, text: str) -> List[Tuple[str, str]]:
    allow = [("Allow", "POST")] if status == 405 else []
    return [*allow, ("Content-Type", "text/plain"), ("Content-Length", str(len(text.encode())))] if text else allow
