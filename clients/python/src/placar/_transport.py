"""Sends one HTTP request over http.client, with pooled connections and a timeout. Errors tell whether it may have been sent."""
from __future__ import annotations

import base64
import http.client
import socket
import ssl
import threading
import time
from dataclasses import dataclass
from typing import Dict, List, Optional, Tuple
from urllib.parse import unquote, urlsplit
from urllib.request import getproxies, proxy_bypass

from .errors import NetworkError, TimedOut

_KEEP_SECONDS = 15.0
_KEEP_CONNECTIONS = 8
_CHUNK = 64 * 1024


@dataclass(frozen=True)
class Response:
    status: int
    #: Keys in lower case.
    headers: Dict[str, str]
    body: bytes


class StaleConnection(NetworkError):
    """A pooled connection failed, most likely because the server had closed it."""


class Transport:
    """Connections to one host, through the proxy of `HTTPS_PROXY` if that is set. Does not follow redirects, so that keys are sent nowhere
    else."""

    def __init__(self, url: str) -> None:
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise ValueError("url must be the URL of the functions, such as https://<ref>.supabase.co/functions/v1")
        if parts.username is not None or parts.query or parts.fragment:
            raise ValueError("url must have no credentials, query or fragment")
        self._host, self._port = parts.hostname, parts.port
        self._tls = ssl.create_default_context() if parts.scheme == "https" else None
        self._prefix = parts.path.rstrip("/")
        proxy = getproxies().get("https") if self._tls and not proxy_bypass(self._host) else None
        self._proxy = urlsplit(proxy if "//" in proxy else f"//{proxy}") if proxy else None
        self._idle: List[Tuple[float, http.client.HTTPConnection]] = []
        self._lock = threading.Lock()

    def send(
        self, method: str, target: str, headers: Dict[str, str], body: Optional[bytes], timeout: float, fresh: bool
    ) -> Response:
        """Sends one request, over a pooled connection unless `fresh`. Raises `StaleConnection` if the pooled connection failed."""
        deadline = time.monotonic() + timeout
        kept = None if fresh else self._take()
        if kept is None:
            return self._exchange(self._connect(deadline), method, target, headers, body, deadline)
        try:
            return self._exchange(kept, method, target, headers, body, deadline)
        except TimedOut:
            raise
        except NetworkError as error:
            raise StaleConnection(str(error), sent=True) from error

    def close(self) -> None:
        """Closes pooled connections. Later requests open new ones."""
        with self._lock:
            idle, self._idle = self._idle, []
        for _, connection in idle:
            connection.close()

    def _connect(self, deadline: float) -> http.client.HTTPConnection:
        timeout = _left(deadline)
        connection: http.client.HTTPConnection
        if self._tls and self._proxy:
            proxy = self._proxy
            connection = http.client.HTTPSConnection(
                proxy.hostname or "", proxy.port or 80, timeout=timeout, context=self._tls
            )
            connection.set_tunnel(self._host, self._port or 443, _proxy_headers(proxy.username, proxy.password))
        elif self._tls:
            connection = http.client.HTTPSConnection(self._host, self._port, timeout=timeout, context=self._tls)
        else:
            connection = http.client.HTTPConnection(self._host, self._port, timeout=timeout)
        try:
            connection.connect()
        except (socket.timeout, TimeoutError) as error:
            connection.close()
            raise TimedOut(f"timeout while connecting to {self._host}", sent=False) from error
        except OSError as error:
            connection.close()
            through = f" through the proxy {self._proxy.hostname}" if self._proxy else ""
            raise NetworkError(f"cannot connect to {self._host}{through}: {error}", sent=False) from error
        return connection

    def _exchange(
        self,
        connection: http.client.HTTPConnection,
        method: str,
        target: str,
        headers: Dict[str, str],
        body: Optional[bytes],
        deadline: float,
    ) -> Response:
        sock = connection.sock
        try:
            sock.settimeout(_left(deadline))
            connection.request(method, self._prefix + target, body=body, headers=headers)
            sock.settimeout(_left(deadline))
            answer = connection.getresponse()
            chunks: List[bytes] = []
            while True:
                if not answer.isclosed():
                    sock.settimeout(_left(deadline))
                chunk = answer.read(_CHUNK)
                if not chunk:
                    break
                chunks.append(chunk)
            if answer.length:
                raise http.client.IncompleteRead(b"", answer.length)
        except (socket.timeout, TimeoutError) as error:
            connection.close()
            raise TimedOut(f"{method} {_path(target)}: no complete response within the timeout", sent=True) from error
        except (OSError, http.client.HTTPException) as error:
            connection.close()
            reason = type(error).__name__
            raise NetworkError(f"{method} {_path(target)}: connection failed ({reason})", sent=True) from error
        except BaseException:
            connection.close()
            raise
        if answer.will_close:
            connection.close()
        else:
            self._keep(connection)
        return Response(answer.status, {name.lower(): value for name, value in answer.getheaders()}, b"".join(chunks))

    def _take(self) -> Optional[http.client.HTTPConnection]:
        now = time.monotonic()
        with self._lock:
            while self._idle:
                since, connection = self._idle.pop()
                if now - since < _KEEP_SECONDS:
                    return connection
                connection.close()
        return None

    def _keep(self, connection: http.client.HTTPConnection) -> None:
        with self._lock:
            if len(self._idle) < _KEEP_CONNECTIONS:
                self._idle.append((time.monotonic(), connection))
                return
        connection.close()


def _proxy_headers(username: Optional[str], password: Optional[str]) -> Dict[str, str]:
    if username is None:
        return {}
    credentials = f"{unquote(username)}:{unquote(password or '')}".encode()
    return {"Proxy-Authorization": "Basic " + base64.b64encode(credentials).decode()}


def _path(target: str) -> str:
    """The path without its query, which may contain personal data."""
    return target.partition("?")[0]


def _left(deadline: float) -> float:
    left = deadline - time.monotonic()
    if left <= 0:
        raise socket.timeout("timed out")
    return left
