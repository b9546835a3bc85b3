import threading
import unittest
from unittest import mock

from placar import AuthenticationError
from placar import _tokens

from .scripted_server import ScriptedServer, ok

LEAD = ok({"data": {"id": "l1"}})
REFUSED = ok({"error": {"code": "UNAUTHORIZED", "message": "no"}}, 401)


def tokens_server(expires_in=3600, answer=lambda asked: LEAD, gate=None):
    made = []

    def serve(asked):
        if "/oauth/" not in asked.target:
            return answer(asked)
        if gate:
            gate.wait(30)
        made.append(asked)
        return ok({"access_token": f"token-{len(made)}", "expires_in": expires_in})

    return ScriptedServer(serve)


class Tokens(unittest.TestCase):
    def test_twenty_threads_fetch_one_token(self):
        gate = threading.Event()
        with tokens_server(gate=gate) as server:
            client = server.client()
            threads = [threading.Thread(target=client.leads.get, args=("l1",)) for _ in range(20)]
            for thread in threads:
                thread.start()
            gate.set()
            for thread in threads:
                thread.join()
            self.assertEqual((len(server.of("/oauth/")), len(server.of("/v1/"))), (1, 20))
            self.assertEqual({one.headers["authorization"] for one in server.of("/v1/")}, {"Bearer token-1"})

    def test_a_failure_is_shared_too(self):
        gate = threading.Event()
        failures = []

        def serve(asked):
            gate.wait(30)
            return ok({"error": "invalid_client", "error_description": "no"}, 401)

        with ScriptedServer(serve) as server:
            client = server.client()

            def get():
                try:
                    client.leads.get("l1")
                except AuthenticationError as error:
                    failures.append(error.code)

            threads = [threading.Thread(target=get) for _ in range(5)]
            for thread in threads:
                thread.start()
            tokens = client.leads._http._tokens
            while tokens._coming is None:
                pass
            # All five threads share the failure of the first request.
            while sum(thread.is_alive() for thread in threads) < 5:
                pass
            gate.set()
            for thread in threads:
                thread.join()
            self.assertEqual(failures, ["invalid_client"] * 5)
            self.assertLess(len(server.asked), 5)

    def test_renewed_before_it_ends(self):
        with tokens_server() as server:
            client = server.client()
            client.leads.get("l1")
            with mock.patch.object(_tokens.time, "monotonic", lambda base=_tokens.time.monotonic(): base + 3530):
                client.leads._http._tokens.get()
                self.assertNotEqual(client.leads._http._tokens.get(), None)
            self.assertEqual([one.json()["grant_type"] for one in server.of("/oauth/")], ["client_credentials"])
            with mock.patch.object(_tokens.time, "monotonic", lambda base=_tokens.time.monotonic(): base + 3545):
                client.leads._http._tokens.get()
            self.assertEqual(len(server.of("/oauth/")), 2)

    def test_a_refused_token_is_replaced_once(self):
        with tokens_server(answer=lambda asked: REFUSED if asked.headers["authorization"].endswith("-1") else LEAD) as server:
            self.assertEqual(server.client().leads.create({"name": "n"}), {"id": "l1"})
            self.assertEqual(len(server.of("/oauth/")), 2)
        with tokens_server(answer=lambda asked: REFUSED) as server:
            with self.assertRaises(AuthenticationError):
                server.client().leads.get("l1")
            self.assertEqual((len(server.of("/oauth/")), len(server.of("/v1/"))), (2, 2))
