"""Access token of the records interface: shared by all threads and renewed before it expires."""
from __future__ import annotations

import threading
import time
from concurrent.futures import Future
from typing import Optional

from ._requests import Call, Requests, to_json
from ._secret import Secret
from .errors import ApiError

#: Tokens are renewed this many seconds before they expire, or after 90 % of a short lifetime.
_MARGIN = 60.0


class Tokens:
    def __init__(self, requests: Requests, client_id: Secret, client_secret: Secret, scope: Optional[str]) -> None:
        self._requests = requests
        self._client_id, self._client_secret, self._scope = client_id, client_secret, scope
        self._lock = threading.Lock()
        self._token: Optional[Secret] = None
        self._renew_at = 0.0
        self._coming: Optional["Future[Secret]"] = None

    def get(self) -> Secret:
        """Returns a valid token. Threads that wait for the same request share its result or error."""
        with self._lock:
            if self._token and time.monotonic() < self._renew_at:
                return self._token
            coming = self._coming
            mine: "Future[Secret]" = Future()
            if coming is None:
                self._coming = mine
        if coming is not None:
            return coming.result()
        try:
            token = self._fetch()
        except BaseException as error:
            with self._lock:
                self._coming = None
            mine.set_exception(error)
            raise
        with self._lock:
            self._coming = None
        mine.set_result(token)
        return token

    def forget(self, token: Secret) -> None:
        """Drops a rejected token, unless it has already been replaced."""
        with self._lock:
            if self._token is token:
                self._token = None

    def _fetch(self) -> Secret:
        began = time.monotonic()
        form = {
            "grant_type": "client_credentials",
            "client_id": self._client_id.reveal(),
            "client_secret": self._client_secret.reveal(),
        }
        body = to_json({**form, "scope": self._scope} if self._scope else form)
        call = Call("POST", "/oauth/token", authorize=lambda: "", body=body, repeatable=True)
        answer = self._requests.send(call)
        if not isinstance(answer, dict) or not isinstance(answer.get("access_token"), str):
            raise ApiError("The response has no access token.", status=200, code="invalid_answer")
        lifetime = float(answer.get("expires_in", 3600))
        token = Secret(answer["access_token"], "access_token")
        with self._lock:
            self._token = token
            self._renew_at = began + max(lifetime - _MARGIN, lifetime * 0.9 if lifetime < 10 * _MARGIN else 0)
        return token
