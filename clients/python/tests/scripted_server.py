"""A server that sends scripted responses and records requests."""
from __future__ import annotations

import json
import threading
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Callable, Dict, List, Optional, Tuple

from placar import Placar


@dataclass
class Asked:
    method: str
    target: str
    headers: Dict[str, str]
    body: bytes

    def json(self) -> Any:
        return json.loads(self.body)


#: Status, body and headers. None closes the connection without a response.
Answer = Optional[Tuple[int, Any, Dict[str, str]]]


def ok(body: Any, status: int = 200, **headers: str) -> Answer:
    return status, body, {name.replace("_", "-"): value for name, value in headers.items()}


class ScriptedServer:
    """Use it as a context manager: `with ScriptedServer(answer) as server`."""

    def __init__(self, answer: Callable[[Asked], Answer]) -> None:
        self.asked: List[Asked] = []
        self._clients: List[Placar] = []
        owner = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            disable_nagle_algorithm = True

            def _serve(self) -> None:
                body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
                headers = {name.lower(): value for name, value in self.headers.items()}
                asked = Asked(self.command, self.path, headers, body)
                owner.asked.append(asked)
                told = answer(asked)
                if told is None:
                    self.close_connection = True
                    return
                status, content, more = told
                data = content if isinstance(content, bytes) else b"" if content is None else json.dumps(content).encode()
                self.send_response(status)
                for name, value in {"Content-Length": str(len(data)), **more}.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(data)

            do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = _serve

            def log_message(self, *_: Any) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_port}/functions/v1"

    def __enter__(self) -> "ScriptedServer":
        threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True).start()
        return self

    def __exit__(self, *_: Any) -> None:
        for client in self._clients:
            client.close()
        self._server.shutdown()
        self._server.server_close()

    def client(self, **more: Any) -> Placar:
        given = {"api_key": "sk_test_key", "client_id": "the-client", "client_secret": "the-secret", "backoff": 0.001}
        client = Placar(self.url, **{**given, **more})
        self._clients.append(client)
        return client

    def of(self, path: str) -> List[Asked]:
        """Recorded requests below a path of the functions."""
        return [one for one in self.asked if one.target.startswith(f"/functions/v1{path}")]


def scripted(*answers: Answer, token: Answer = ok({"access_token": "token-1", "expires_in": 3600})) -> ScriptedServer:
    """Sends the responses one after the other. Token requests have their own response."""
    rest = list(answers)
    return ScriptedServer(lambda asked: token if "/oauth/" in asked.target else rest.pop(0) if rest else None)
