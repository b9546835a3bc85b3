import threading
import time
import unittest

from placar import (ApiError, Conflict, IdempotencyKeyReused, NetworkError, NotFound, ProviderError, RateLimited,
                    ServerError, TimedOut, Unprocessable, ValidationError)

from .scripted_server import ScriptedServer, ok, scripted

LEAD = {"data": {"id": "l1"}, "meta": {}}
INVOICE = {"id": "inv_1"}
BUSY = ok({"code": "rate_limited", "detail": "wait"}, 429, Retry_After="0")
AWAY = ok({"code": "server_error", "detail": "It is not known whether this was done."}, 503, Retry_After="0")
AWAY_RECORDS = ok({"error": {"code": "SERVER_ERROR", "message": "It is not known whether this was done."}}, 503)
NOTHING_DONE = ok({"error": {"code": "SERVER_ERROR", "message": "Unreachable.", "effect": "none"}}, 503, Retry_After="0")


class WrongAddress(unittest.TestCase):
    def test_an_answer_of_somebody_else_asks_for_the_address(self):
        for status, content in ((404, b"<html>"), (301, None), (200, b"<html>")):
            with scripted(ok(content, status)) as server:
                with self.assertRaisesRegex(ApiError, "Check that url is the URL of the functions"):
                    server.client().balance.get()
        with scripted(ok({"message": "Missing authorization header"}, 401)) as server:
            with self.assertRaisesRegex(ApiError, "401: Missing authorization header"):
                server.client().balance.get()


class Retries(unittest.TestCase):
    def test_a_payment_keeps_its_key_over_a_429_a_503_and_a_cut_and_is_signed_anew(self):
        with scripted(BUSY, AWAY, None, ok(INVOICE, 201)) as server:
            self.assertEqual(server.client().invoices.create({"amount": 1}), INVOICE)
            keys = {one.headers["idempotency-key"] for one in server.asked}
            self.assertEqual((len(server.asked), len(keys)), (4, 1))
            self.assertEqual(len({one.headers["x-request-id"] for one in server.asked}), 4)

    def test_another_call_has_another_key_and_a_given_one_is_taken(self):
        with scripted(ok(INVOICE), ok(INVOICE), ok(INVOICE)) as server:
            client = server.client()
            for key in (None, None, "order-7"):
                client.payouts.create({}, idempotency_key=key)
            keys = [one.headers["idempotency-key"] for one in server.asked]
            self.assertEqual((len(set(keys)), keys[2]), (3, "order-7"))

    def test_what_is_given_up_tells_the_key(self):
        with scripted(None, None) as server:
            with self.assertRaises(NetworkError) as caught:
                server.client(max_retries=1).invoices.create({}, idempotency_key="order-7")
            self.assertTrue(caught.exception.sent)
            self.assertEqual(caught.exception.idempotency_key, "order-7")
        with scripted(AWAY, AWAY) as server:
            with self.assertRaises(ServerError) as refused:
                server.client(max_retries=1).invoices.create({})
            self.assertEqual(refused.exception.idempotency_key, server.asked[0].headers["idempotency-key"])

    def test_a_post_of_records_keeps_its_key_too(self):
        busy = ok({"error": {"code": "RATE_LIMITED", "message": "wait"}}, 429, Retry_After="0")
        in_use = ok({"error": {"code": "IDEMPOTENCY_KEY_IN_USE", "message": "running"}}, 409, Retry_After="0")
        with scripted(busy, NOTHING_DONE, AWAY_RECORDS, None, in_use, ok(LEAD, 201), ok(LEAD, 201)) as server:
            client = server.client(max_retries=5)
            self.assertEqual(client.leads.create({"name": "n"}), {"id": "l1"})
            client.deals.close("d1", {"result": "won"}, idempotency_key="order-7", if_match='"1.a"')
            keys = [one.headers["idempotency-key"] for one in server.of("/v1/")]
            self.assertEqual((len(keys), len(set(keys[:6])), keys[6]), (7, 1, "order-7"))

    def test_a_post_of_records_that_is_given_up_tells_the_key(self):
        with scripted(None) as server:
            with self.assertRaises(NetworkError) as caught:
                server.client(max_retries=0).leads.create({"name": "n"})
            self.assertEqual(caught.exception.idempotency_key, server.of("/v1/")[0].headers["idempotency-key"])

    def test_reads_changes_and_removals_of_records_are_repeated(self):
        with scripted(None, AWAY_RECORDS, ok(LEAD), None, ok(LEAD), None, ok({"error": {"code": "NOT_FOUND"}}, 404)) as server:
            client = server.client()
            client.leads.get("l1")
            client.leads.update("l1", {"name": "n"})
            client.leads.delete("l1")
            self.assertEqual(len(server.of("/v1/")), 7)

    def test_a_removal_that_was_not_in_doubt_says_not_found(self):
        with scripted(ok({"error": {"code": "NOT_FOUND", "message": "no"}}, 404)) as server:
            with self.assertRaises(NotFound):
                server.client().leads.delete("l1")

    def test_a_provider_that_refused_is_not_asked_again(self):
        refusal = {"code": "provider_error", "detail": "no", "retryable": False}
        silence = {**refusal, "retryable": True}
        with scripted(ok(refusal, 502)) as server:
            with self.assertRaises(ProviderError) as caught:
                server.client().invoices.create({})
            self.assertFalse(caught.exception.retryable)
        with scripted(ok(silence, 502), ok(INVOICE, 201)) as server:
            self.assertEqual(server.client().invoices.create({}), INVOICE)

    def test_a_key_in_use_is_asked_for_again_and_a_reused_one_not(self):
        in_use = ok({"code": "idempotency_key_in_use"}, 409, Retry_After="0")
        with scripted(in_use, ok(INVOICE, 201)) as server:
            self.assertEqual(server.client().invoices.create({}), INVOICE)
        with scripted(ok({"code": "idempotency_key_reused"}, 409)) as server:
            with self.assertRaises(IdempotencyKeyReused):
                server.client().invoices.create({})

    def test_retry_after_holds_all_threads(self):
        began = time.monotonic()
        times = []

        def answer(asked):
            times.append(time.monotonic() - began)
            return ok({"code": "rate_limited"}, 429, Retry_After="1") if len(times) == 1 else ok({"data": []})

        with ScriptedServer(answer) as server:
            client = server.client()
            first = threading.Thread(target=client.balance.get)
            first.start()
            while not times or first.is_alive() and client._transport._idle == []:
                pass
            client.balance.get()
            first.join()
            self.assertEqual(len(times), 3)
            self.assertTrue(all(at >= 0.95 for at in times[1:]), times)

    def test_a_wait_that_is_too_long_is_raised(self):
        with scripted(ok({"code": "rate_limited", "detail": "wait"}, 429, Retry_After="1800")) as server:
            with self.assertRaises(RateLimited) as caught:
                server.client().balance.get()
            self.assertEqual(caught.exception.retry_after, 1800)

    def test_an_answer_that_breaks_off_is_no_answer(self):
        with scripted((200, b'{"data":[', {"Content-Length": "999", "Connection": "close"}), ok({"data": [1]})) as server:
            self.assertEqual(server.client().balance.get(), [1])
            self.assertEqual(len(server.asked), 2)

    def test_a_time_limit_ends_an_attempt(self):
        over = threading.Event()

        def silent(asked):
            over.wait(30)
            return None

        with ScriptedServer(silent) as server:
            with self.assertRaises(TimedOut) as caught:
                server.client(timeout=0.2, max_retries=1).balance.get()
            self.assertTrue(caught.exception.sent)
            self.assertEqual(len(server.asked), 2)
            over.set()

    def test_nobody_listens(self):
        with scripted() as server:
            client = server.client(max_retries=1)
        with self.assertRaises(NetworkError) as caught:
            client.balance.get()
        self.assertFalse(caught.exception.sent)

    def test_a_redirect_is_not_followed(self):
        with scripted(ok(None, 307, Location="http://127.0.0.1:1/")) as server:
            with self.assertRaises(ApiError) as caught:
                server.client().balance.get()
            self.assertEqual((caught.exception.status, len(server.asked)), (307, 1))


class Errors(unittest.TestCase):
    def raised(self, status, body, call=lambda client: client.balance.get()):
        with scripted(ok(body, status, X_Request_Id="req-1")) as server:
            with self.assertRaises(ApiError) as caught:
                call(server.client(max_retries=0))
        return caught.exception

    def test_problem_details(self):
        error = self.raised(422, {"code": "validation_error", "detail": "Fix.", "errors": [{"field": "a.b", "message": "must"}]})
        self.assertIsInstance(error, ValidationError)
        self.assertEqual((error.request_id, error.fields), ("req-1", [{"field": "a.b", "message": "must"}]))
        self.assertEqual(str(error), "422 validation_error: Fix. (a.b: must) [request req-1]")

    def test_records(self):
        body = {"error": {"code": "CONFLICT", "message": "taken", "existing_id": "l9"}}
        error = self.raised(409, body, lambda client: client.leads.create({}))
        self.assertIsInstance(error, Conflict)
        self.assertEqual(error.existing_id, "l9")
        self.assertIs(type(self.raised(422, {"error": {"code": "UNPROCESSABLE_ENTITY"}})), Unprocessable)

    def test_answers_of_a_gateway(self):
        error = self.raised(502, b"<html>Bad gateway</html>")
        self.assertIsInstance(error, ServerError)
        self.assertEqual(error.body, "<html>Bad gateway</html>")
        self.assertEqual(self.raised(200, b"<html>").code, "invalid_answer")
