import asyncio
import io
import json
import logging
import threading
import unittest
import urllib.error
import urllib.request
from wsgiref.simple_server import WSGIRequestHandler, make_server

from placar import asgi_webhook, wsgi_webhook
from .test_webhooks import BODY, SECRET, standard


class Handler(unittest.TestCase):
    def setUp(self):
        self.events = []
        self.failure = None
        logging.getLogger("placar.webhooks").disabled = True

    def tearDown(self):
        logging.getLogger("placar.webhooks").disabled = False

    def on_event(self, event):
        if self.failure:
            raise self.failure
        self.events.append(event)

    async def on_event_later(self, event):
        await asyncio.sleep(0)
        self.on_event(event)

    def check(self, send):
        """What every kind of server answers; `send(method, headers, body)` gives status and headers."""
        self.assertEqual(send("POST", standard(SECRET), BODY)[0], 204)
        self.assertEqual([event.id for event in self.events], ["evt_1"])
        self.assertEqual(send("POST", standard(SECRET), BODY.replace(b"evt_1", b"evt_2"))[0], 401)
        self.assertEqual(send("POST", {}, BODY)[0], 401)
        status, headers = send("GET", {}, b"")
        self.assertEqual((status, headers["allow"]), (405, "POST"))
        self.assertEqual(send("POST", standard(SECRET), b"x" * (8 * 1024 * 1024 + 1))[0], 413)
        self.assertEqual(len(self.events), 1)
        self.failure = RuntimeError("the database is down")
        self.assertEqual(send("POST", standard(SECRET), BODY)[0], 500)

    def test_wsgi(self):
        class Quiet(WSGIRequestHandler):
            def log_message(self, *_):
                pass

        server = make_server("127.0.0.1", 0, wsgi_webhook(SECRET, self.on_event), handler_class=Quiet)
        thread = threading.Thread(target=server.serve_forever)
        thread.start()

        def send(method, headers, body):
            if len(body) > 1024 * 1024:
                # The server answers before it reads; a client may then fail to write.
                environ = {"REQUEST_METHOD": method, "CONTENT_LENGTH": str(len(body)), "wsgi.input": io.BytesIO(body)}
                answers = []
                wsgi_webhook(SECRET, self.on_event)(environ, lambda status, headers: answers.append((status, headers)))
                return int(answers[0][0][:3]), dict(answers[0][1])
            request = urllib.request.Request(
                f"http://127.0.0.1:{server.server_port}/", data=body or None, headers=headers, method=method
            )
            try:
                with urllib.request.urlopen(request) as answer:
                    return answer.status, answer.headers
            except urllib.error.HTTPError as error:
                with error:
                    return error.code, error.headers

        try:
            self.check(send)
        finally:
            server.shutdown()
            thread.join()
            server.server_close()

    def test_asgi(self):
        for on_event in (self.on_event, self.on_event_later):
            self.setUp()
            application = asgi_webhook(SECRET, on_event)
            self.check(lambda *request: asyncio.run(self.call(application, *request)))

    async def call(self, application, method, headers, body):
        half = len(body) // 2
        messages = [
            {"type": "http.request", "body": body[:half], "more_body": True},
            {"type": "http.request", "body": body[half:]},
        ]
        sent = []

        async def receive():
            return messages.pop(0)

        async def send(message):
            sent.append(message)

        names = [(name.lower().encode(), value.encode()) for name, value in headers.items()]
        await application({"type": "http", "method": method, "headers": names}, receive, send)
        return sent[0]["status"], {name.decode(): value.decode() for name, value in sent[0]["headers"]}
