import logging
import pickle
import traceback
import unittest

from placar import ApiError, NetworkError, Placar

from .scripted_server import ok, scripted

KEY, CLIENT_SECRET, TOKEN = "sk_live_hidden", "client-secret-hidden", "token-hidden"


class Secrets(unittest.TestCase):
    def assertHidden(self, text):
        for secret in (KEY, CLIENT_SECRET, TOKEN):
            self.assertNotIn(secret, text)

    def test_no_object_shows_them(self):
        client = Placar("https://api.example/functions/v1", api_key=KEY, client_id="id", client_secret=CLIENT_SECRET)
        seen, todo, shown = set(), [client], []
        while todo:
            one = todo.pop()
            if id(one) in seen or not type(one).__module__.startswith("placar"):
                continue
            seen.add(id(one))
            shown.append(repr(one) + str(one))
            for value in getattr(one, "__dict__", {}).values():
                shown.append(repr(value))
                todo.append(value)
        self.assertGreater(len(seen), 10)
        self.assertHidden("".join(shown))
        with self.assertRaises(TypeError):
            pickle.dumps(client.invoices)

    def test_no_error_or_log_line_shows_them(self):
        token = ok({"access_token": TOKEN, "expires_in": 3600})
        refusal = ok({"error": {"code": "FORBIDDEN", "message": "no"}}, 403)
        with scripted(refusal, None, token=token) as server, self.assertLogs("placar", logging.DEBUG) as logs:
            client = server.client(api_key=KEY, client_secret=CLIENT_SECRET, max_retries=0)
            for call in (lambda: client.leads.list(search="ana@example.com").first(), client.balance.get):
                with self.assertRaises((ApiError, NetworkError)) as caught:
                    call()
                error = caught.exception
                told = "".join(traceback.format_exception(type(error), error, error.__traceback__))
                self.assertHidden(told + repr(error) + repr(vars(error)))
        self.assertHidden("".join(logs.output))
        self.assertNotIn("ana@example.com", "".join(logs.output))

    def test_a_key_that_is_no_header_is_refused_without_showing_it(self):
        for wrong in (f"{KEY}\n", f" {KEY}", f"{KEY}é"):
            with self.assertRaises(ValueError) as caught:
                Placar("https://api.example", api_key=wrong)
            self.assertHidden(str(caught.exception))

    def test_addresses(self):
        for url in ("api.example", "ftp://api.example", "https://user:pw@api.example", "https://api.example/?a=b"):
            with self.assertRaises(ValueError) as caught:
                Placar(url, api_key=KEY)
            self.assertNotIn("pw", str(caught.exception))

    def test_what_is_missing_is_named(self):
        with self.assertRaisesRegex(ValueError, "api_key"):
            Placar("https://api.example").balance.get()
        with self.assertRaisesRegex(ValueError, "client_id"):
            Placar("https://api.example", api_key=KEY).leads.get("1")
