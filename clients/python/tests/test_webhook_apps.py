import asyncio
import io
import json
import logging
import socket
import threading
import time
import unittest
from concurrent.futures import ThreadPoolExecutor
from unittest import mock

from placar import OptionsError, verify_webhook
from placar.webhooks import asgi_app, wsgi_app

from .test_ed25519 import PUBLIC_KEY, sign
from .test_webhooks import BODY, OLD, SECRET, service, standard
from .webhook_servers import asgi_server, request, wsgi_server

MIB = 1024 * 1024


def event_of(id, size=None):
    body = json.dumps({"id": id, "type": "lead.created", "created_at": "", "data": {}}).encode()
    return body if size is None else body + b" " * (size - len(body))


class Checks:
    """What the endpoints of both kinds respond."""

    def setUp(self):
        self.ids, self.failure = [], None
        logging.getLogger("placar.webhooks").disabled = True

    def tearDown(self):
        logging.getLogger("placar.webhooks").disabled = False

    def on_event(self, event):
        if self.failure:
            raise self.failure
        self.ids.append(event.id)

    def serving(self, **options):
        given = {"on_event": self.on_event, **options}
        if not {"secret", "secrets", "public_key"} & set(given):
            given["secret"] = SECRET
        return self.server(self.app(**given))

    def check(self, port, expected, headers, body=BODY):
        self.assertEqual(request(port, "POST", headers, body)[:2], expected)

    def test_405_if_it_is_not_post(self):
        with self.serving() as port:
            for method in ("GET", "PUT", "DELETE"):
                status, _, headers = request(port, method, standard(SECRET), b"" if method == "GET" else BODY)
                self.assertEqual((status, headers["Allow"]), (405, "POST"))
        self.assertEqual(self.ids, [])

    def test_413_above_max_bytes(self):
        largest = event_of("evt_1", MIB)
        with self.serving() as port:
            self.check(port, (204, ""), standard(SECRET, body=largest), largest)
            # The server may respond before the whole body is sent, so only the first part is.
            with socket.create_connection(("127.0.0.1", port)) as connection:
                connection.sendall(b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n" % (MIB + 1) + largest + b" ")
                self.assertRegex(connection.makefile("rb").readline(), b"^HTTP/1.[01] 413 ")
        with self.serving(max_bytes=10) as port:
            self.assertEqual(request(port, "POST", standard(SECRET), BODY)[0], 413)
        self.assertEqual(self.ids, ["evt_1"])

    def test_401_with_the_code_if_it_is_not_verified(self):
        with self.serving() as port:
            self.check(port, (401, "signature_missing"), {})
            self.check(port, (401, "signature_missing"), service(SECRET))
            self.check(port, (401, "signature_invalid"), standard(OLD))
            self.check(port, (401, "signature_invalid"), standard(SECRET), BODY.replace(b"evt_1", b"evt_2"))
            self.check(port, (401, "timestamp_stale"), standard(SECRET, at=int(time.time()) - 310))
            self.check(port, (401, "body_invalid"), standard(SECRET, body=b"[]"), b"[]")
        self.assertEqual(self.ids, [])
        with self.serving(require_timestamp=False) as port:
            self.check(port, (204, ""), service(SECRET))

    def test_204_after_on_event_which_gets_each_event_once(self):
        with self.serving() as port:
            self.check(port, (204, ""), standard(SECRET))
            self.check(port, (204, ""), standard(SECRET))
            self.check(port, (204, ""), standard(SECRET, body=event_of("evt_2")), event_of("evt_2"))
        self.assertEqual(self.ids, ["evt_1", "evt_2"])

    def test_500_without_a_word_of_the_error_and_the_retry_is_processed(self):
        with self.serving() as port:
            # An error of the verification of something else is a failure of on_event, too.
            for self.failure in (RuntimeError("password hunter2 rejected"), self.verification_error()):
                status, text, _ = request(port, "POST", standard(SECRET), BODY)
                self.assertEqual(status, 500)
                self.assertNotRegex(text, "password|hunter2|rejected|signature")
            self.failure = None
            self.check(port, (204, ""), standard(SECRET))
        self.assertEqual(self.ids, ["evt_1"])

    def verification_error(self):
        try:
            verify_webhook({}, BODY, SECRET)
        except Exception as error:
            return error

    def test_concurrent_deliveries_of_an_event_share_one_call(self):
        calls, verified, release = [], [], threading.Event()
        with mock.patch("placar._webhook_apps.verify_webhook", self.counting(verified)):
            with self.serving(on_event=self.blocking(calls, release)) as port, ThreadPoolExecutor() as pool:
                sent = [pool.submit(request, port, "POST", standard(SECRET), BODY) for _ in range(3)]
                while len(verified) < 3:
                    time.sleep(0.001)
                release.set()
                self.assertEqual([one.result()[0] for one in sent], [204, 204, 204])
        self.assertEqual(calls, ["evt_1"])

    def counting(self, verified):
        def verify(*given, **more):
            event = verify_webhook(*given, **more)
            verified.append(event.id)
            return event

        return verify

    def test_an_aborted_upload_does_no_harm(self):
        with self.serving() as port:
            with socket.create_connection(("127.0.0.1", port)) as connection:
                connection.sendall(b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{")
                connection.shutdown(socket.SHUT_WR)
                self.assertRegex(connection.makefile("rb").readline(), b"^HTTP/1.[01] 401 ")
            self.check(port, (204, ""), standard(SECRET))

    def test_several_secrets_or_a_public_key(self):
        with self.serving(secrets=[SECRET, "", OLD]) as port:
            self.check(port, (204, ""), standard(OLD))
            self.check(port, (401, "signature_invalid"), standard("another", raw=True))
        # A text is one secret. Its characters are not.
        with self.serving(secrets=SECRET) as port:
            self.check(port, (401, "signature_invalid"), standard("w", raw=True))
            self.check(port, (204, ""), standard(SECRET))
        self.ids.clear()
        signed = standard()
        message = f"{signed['webhook-id']}.{signed['webhook-timestamp']}.".encode() + BODY
        signed["webhook-signature"] = "v1a," + sign(message)
        with self.serving(public_key=PUBLIC_KEY) as port:
            self.check(port, (204, ""), signed)
            self.check(port, (401, "signature_invalid"), {**signed, "webhook-id": "whd_2"})
            self.check(port, (401, "signature_missing"), service(SECRET))
        self.assertEqual(self.ids, ["evt_1"])

    def test_a_missing_secret_is_an_options_error(self):
        for options in ({}, {"secret": ""}, {"secret": None}, {"secrets": []}, {"secrets": [""]}, {"public_key": ""}):
            with self.assertRaisesRegex(OptionsError, "^secret, secrets or public_key is required$"):
                self.app(on_event=self.on_event, **options)
        with self.assertRaisesRegex(OptionsError, "^public_key must start with whpk_$"):
            self.app(on_event=self.on_event, public_key=SECRET)

    def test_uses_seen(self):
        steps, test = [], self

        class Seen(set):
            def has(self, id):
                steps.append(f"has {id}")
                return test.result(id in self)

            def add(self, id):
                steps.append(f"add {id}")
                super().add(id)
                return test.result(None)

        with self.serving(seen=Seen(), on_event=lambda event: steps.append(f"event {event.id}")) as port:
            self.check(port, (204, ""), standard(SECRET))
            self.check(port, (204, ""), standard(SECRET))
        self.assertEqual(steps, ["has evt_1", "event evt_1", "add evt_1", "has evt_1"])


class Wsgi(Checks, unittest.TestCase):
    app, server = staticmethod(wsgi_app), staticmethod(wsgi_server)

    def result(self, value):
        return value

    def blocking(self, calls, release):
        def on_event(event):
            calls.append(event.id)
            release.wait()

        return on_event

    def test_a_coroutine_function_is_an_options_error(self):
        async def on_event(_):
            pass

        class Seen:
            def has(self, id):
                return False

            async def add(self, id):
                pass

        for options in ({"on_event": on_event}, {"on_event": print, "seen": Seen()}):
            with self.assertRaisesRegex(OptionsError, "Use asgi_app"):
                wsgi_app(secret=SECRET, **options)

    def test_the_response_to_head_has_no_body(self):
        with self.serving() as port, socket.create_connection(("127.0.0.1", port)) as connection:
            connection.sendall(b"HEAD / HTTP/1.1\r\nHost: x\r\n\r\n")
            head, _, body = connection.makefile("rb").read().partition(b"\r\n\r\n")
            self.assertRegex(head, b"^HTTP/1.[01] 405 ")
            self.assertEqual(body, b"")

    def test_a_body_without_content_length(self):
        environ = {"HTTP_" + name.replace("-", "_").upper(): value for name, value in standard(SECRET).items()}
        environ.update({"REQUEST_METHOD": "POST", "wsgi.input": io.BytesIO(BODY), "wsgi.input_terminated": True})
        statuses = []
        app = wsgi_app(secret=SECRET, on_event=self.on_event)
        app(environ, lambda status, headers: statuses.append(status))
        self.assertEqual(statuses, ["204 No Content"])

    def test_remembers_the_last_10_000_ids(self):
        app, statuses = wsgi_app(secret=SECRET, on_event=self.on_event), []
        def send(n):
            body = event_of(f"evt_{n}")
            environ = {"HTTP_" + key.replace("-", "_").upper(): text for key, text in standard(SECRET, body=body).items()}
            environ.update({"REQUEST_METHOD": "POST", "CONTENT_LENGTH": str(len(body)), "wsgi.input": io.BytesIO(body)})
            app(environ, lambda status, headers: statuses.append(status))

        for n in range(10_001):
            send(n)
        for n in (1, 5000, 10_000):
            send(n)
        self.assertEqual(len(self.ids), 10_001)
        send(0)
        self.assertEqual(self.ids[10_001:], ["evt_0"])
        self.assertEqual(set(statuses), {"204 No Content"})


class Asgi(Checks, unittest.TestCase):
    app, server = staticmethod(asgi_app), staticmethod(asgi_server)

    async def result(self, value):
        return value

    def blocking(self, calls, release):
        async def on_event(event):
            calls.append(event.id)
            while not release.is_set():
                await asyncio.sleep(0.001)

        return on_event

    def test_serves_http_only(self):
        with self.assertRaisesRegex(RuntimeError, "HTTP only"):
            asyncio.run(asgi_app(secret=SECRET, on_event=self.on_event)({"type": "websocket"}, None, None))

    def test_concurrent_deliveries_share_a_failure(self):
        async def check():
            calls, release = [], asyncio.Event()

            async def on_event(event):
                calls.append(event.id)
                await release.wait()
                raise RuntimeError("down")

            app = asgi_app(secret=SECRET, on_event=on_event)
            sent = [asyncio.ensure_future(self.respond(app)) for _ in range(3)]
            for _ in range(20):
                await asyncio.sleep(0)
            release.set()
            self.assertEqual(await asyncio.gather(*sent), [500, 500, 500])
            self.assertEqual(calls, ["evt_1"])
            self.assertEqual(await self.respond(app), 500)
            self.assertEqual(calls, ["evt_1", "evt_1"])

        asyncio.run(check())

    async def respond(self, app):
        sent = []

        async def receive():
            return {"type": "http.request", "body": BODY}

        async def send(message):
            sent.append(message)

        headers = [(name.lower().encode(), value.encode()) for name, value in standard(SECRET).items()]
        await app({"type": "http", "method": "POST", "headers": headers}, receive, send)
        return sent[0]["status"]
