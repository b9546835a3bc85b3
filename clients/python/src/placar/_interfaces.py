"""Request helpers of the two interfaces: signed with an API key, or authorized with an access token."""
from __future__ import annotations

import uuid
from dataclasses import dataclass
from typing import Any, Dict, Mapping, Optional
from urllib.parse import quote

from ._requests import Call, Requests, header_text, to_json, with_query
from ._secret import Secret
from ._tokens import Tokens
from .signing import authorization

Record = Dict[str, Any]


def segment(value: str) -> str:
    """Encodes an id as a path segment."""
    if not value:
        raise ValueError("an id must not be empty")
    # Servers resolve these segments, so the request would reach another path.
    if str(value) in (".", ".."):
        raise ValueError(f'"{value}" is not an id')
    return quote(str(value), safe="")


class SignedInterface:
    """Activity sync and payments."""

    def __init__(self, requests: Requests, api_key: Optional[Secret]) -> None:
        self._requests, self._api_key = requests, api_key

    def get(self, target: str, parameters: Optional[Mapping[str, Any]] = None) -> Any:
        return self._send("GET", with_query(target, parameters or {}), None, None)

    def post(self, target: str, body: bytes) -> Any:
        """Sends a request that is safe to repeat."""
        return self._send("POST", target, body, None)

    def post_once(self, target: str, body: Any, idempotency_key: Optional[str]) -> Any:
        """Sends a request with an Idempotency-Key. Retries use the same key, so it is executed once."""
        key = header_text("idempotency_key", idempotency_key) if idempotency_key is not None else str(uuid.uuid4())
        return self._send("POST", target, to_json(body), key)

    def patch(self, target: str, body: Any) -> Any:
        return self._send("PATCH", target, to_json(body), None)

    def delete(self, target: str) -> None:
        self._send("DELETE", target, None, None)

    def _send(self, method: str, target: str, body: Optional[bytes], idempotency_key: Optional[str]) -> Any:
        if self._api_key is None:
            raise ValueError("api_key is required for activity sync and payments")
        key = self._api_key
        call = Call(
            method,
            target,
            authorize=lambda: authorization(key.reveal(), method, target, body or b""),
            body=body,
            repeatable=True,
            idempotency_key=idempotency_key,
        )
        return self._requests.send(call)


@dataclass(frozen=True)
class Said:
    """Headers and options of a record request."""

    origin: Optional[str] = None
    silent: bool = False
    if_match: Optional[str] = None
    if_none_match: Optional[str] = None
    #: For POST. A random key is used if it is absent.
    idempotency_key: Optional[str] = None
    on_behalf_of: Optional[str] = None


class TokenInterface:
    """Records."""

    def __init__(self, requests: Requests, tokens: Optional[Tokens], variant: str, origin: Optional[str]) -> None:
        self._requests, self._tokens = requests, tokens
        self._headers = {"X-Api-Variant": variant}
        self._origin = origin

    def get(self, path: str, parameters: Optional[Mapping[str, Any]] = None) -> Any:
        return self.send("GET", with_query(path, parameters or {}), None, Said())

    def post(self, path: str, body: Any, said: Said) -> Any:
        return self.send("POST", path, body, said)

    def patch(self, path: str, body: Any, said: Said) -> Any:
        return self.send("PATCH", path, body, said)

    def put(self, path: str, body: Any, said: Said) -> Any:
        return self.send("PUT", path, body, said)

    def delete(self, path: str, said: Said, parameters: Optional[Mapping[str, Any]] = None) -> None:
        self.send("DELETE", with_query(path, parameters or {}), None, said)

    def send(self, method: str, path: str, body: Any, said: Said) -> Any:
        """Sends any request. `path` is below `/v1` and has its query."""
        if self._tokens is None:
            raise ValueError("client_id and client_secret are required for records")
        tokens = self._tokens
        used: Dict[str, Secret] = {}
        headers = dict(self._headers)
        from_whom = self._origin if said.origin is None else said.origin
        if from_whom is not None and method != "GET":
            headers["X-Origin"] = header_text("origin", from_whom)
        if said.silent:
            headers["X-Silent"] = "true"
        if said.if_match is not None:
            headers["If-Match"] = header_text("if_match", said.if_match)
        if said.on_behalf_of is not None:
            headers["X-On-Behalf-Of"] = header_text("on_behalf_of", said.on_behalf_of)
        if said.if_none_match is not None:
            headers["If-None-Match"] = header_text("if_none_match", said.if_none_match)
        key: Optional[str] = None
        if method == "POST":
            given = said.idempotency_key
            key = str(uuid.uuid4()) if given is None else header_text("idempotency_key", given)

        def authorize() -> str:
            used["token"] = tokens.get()
            return f"Bearer {used['token'].reveal()}"

        def reauthorize() -> bool:
            tokens.forget(used["token"])
            return True

        call = Call(
            method,
            f"/v1{path}",
            authorize=authorize,
            body=None if body is None else to_json(body),
            headers=headers,
            # After success the condition no longer matches; an idempotency key makes the server repeat its response.
            repeatable=key is not None or (said.if_match is None and said.if_none_match is None),
            idempotency_key=key,
            reauthorize=reauthorize,
        )
        return self._requests.send(call)
