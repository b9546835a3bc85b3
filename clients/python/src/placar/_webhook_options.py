"""What webhook endpoints have in common: their secrets, the memory of processed events, and calls of `on_event`."""
from __future__ import annotations

import threading
from concurrent.futures import Future
from typing import Any, Callable, Dict, List, Optional, Protocol, Sequence

from ._verify_webhook import PUBLIC_PREFIX
from .errors import OptionsError

REMEMBERED_IDS = 10_000


class Seen(Protocol):
    """Ids of processed events. Use a table or Redis if several processes receive webhooks."""

    def has(self, id: str) -> Any:
        """Whether the event was processed. In `asgi_app`, it may be a coroutine function, as `add` may."""
        ...

    def add(self, id: str) -> Any: ...


class RecentIds:
    """The last 10 000 ids."""

    def __init__(self) -> None:
        self._ids: Dict[str, None] = {}
        self._lock = threading.Lock()

    def has(self, id: str) -> bool:
        return id in self._ids

    def add(self, id: str) -> None:
        with self._lock:
            self._ids[id] = None
            while len(self._ids) > REMEMBERED_IDS:
                del self._ids[next(iter(self._ids))]


class SharedCalls:
    """Threads that run a call for the same id at the same time share one call, and its result or error."""

    def __init__(self) -> None:
        self._running: Dict[str, "Future[None]"] = {}
        self._lock = threading.Lock()

    def run(self, id: str, call: Callable[[], None]) -> None:
        with self._lock:
            running = self._running.get(id)
            future: "Future[None]" = running or Future()
            self._running[id] = future
        if running is not None:
            return running.result()
        try:
            call()
            future.set_result(None)
        except BaseException as error:
            future.set_exception(error)
            raise
        finally:
            with self._lock:
                del self._running[id]


def secrets_of(secret: Optional[str], secrets: Optional[Sequence[str]], public_key: Optional[str]) -> List[str]:
    if public_key and not public_key.startswith(PUBLIC_PREFIX):
        # As a secret, it would let everybody who knows the public key sign events.
        raise OptionsError(f"public_key must start with {PUBLIC_PREFIX}")
    several = (secrets,) if isinstance(secrets, str) else secrets or ()
    given = [one for one in (secret, *several, public_key) if one]
    if not given:
        raise OptionsError("secret, secrets or public_key is required")
    return given
