"""Schedules the requests of one interface: all wait after a 429, and near the rate limit they are spread out."""
from __future__ import annotations

import email.utils
import threading
import time
from typing import Callable, Mapping, Optional

#: Below this share of the limit, requests are spread out.
_NEAR = 0.1
#: Upper bound of the gap in seconds: the rest of the limit may not be needed.
_MAX_DISTANCE = 1.0


class Pace:
    def __init__(self, sleep: Callable[[float], None], max_wait: float) -> None:
        self._sleep = sleep
        self._max_wait = max_wait
        self._not_before = 0.0
        self._distance = 0.0
        self._lock = threading.Lock()

    def wait(self) -> None:
        """Waits for this request's slot."""
        with self._lock:
            now = time.monotonic()
            at = max(now, self._not_before)
            if self._distance:
                self._not_before = at + self._distance
        if at > now:
            self._sleep(at - now)

    def hold(self, seconds: float) -> None:
        """Blocks all requests for that many seconds."""
        with self._lock:
            self._not_before = max(self._not_before, time.monotonic() + seconds)

    def heed(self, headers: Mapping[str, str]) -> None:
        """Reads the rate limit headers of a response."""
        limit, remaining, reset = (_number(headers.get(f"x-ratelimit-{name}")) for name in ("limit", "remaining", "reset"))
        if limit is None or remaining is None or reset is None:
            return
        left = max(0.0, reset - _server_time(headers))
        near = remaining < limit * _NEAR
        with self._lock:
            self._distance = min(_MAX_DISTANCE, left / (remaining + 1)) if near else 0.0
        # If the window ends too late to wait for, the service responds with a 429.
        if remaining == 0 and 0 < left <= self._max_wait:
            self.hold(left)


def _number(text: Optional[str]) -> Optional[float]:
    return float(text) if text is not None and text.isdecimal() else None


def _server_time(headers: Mapping[str, str]) -> float:
    try:
        return email.utils.parsedate_to_datetime(headers["date"]).timestamp()
    except (KeyError, TypeError, ValueError):
        return time.time()
