"""Batches of records."""
from __future__ import annotations

import unittest

from placar import BatchRejected

from .scripted_server import ok, scripted


def answer(*statuses: int):
    return ok({"data": {"results": [{"status": status} for status in statuses]}, "meta": {}})


class Batches(unittest.TestCase):
    def test_any_number_of_operations_each_request_with_a_key_of_its_own(self):
        operations = ({"method": "create", "data": {"name": str(nth)}} for nth in range(501))
        with scripted(answer(*[201] * 500), None, answer(409)) as server:
            results = server.client(origin="crm").leads.batch(operations, idempotency_key="order-7")
            self.assertEqual([one["status"] for one in results[498:]], [201, 201, 409])
            sent = server.of("/v1/leads/batch")
            self.assertEqual([len(one.json()["operations"]) for one in sent], [500, 1, 1])
            self.assertEqual([one.headers["idempotency-key"] for one in sent], ["order-7", "order-7.1", "order-7.1"])
            self.assertEqual({one.headers["x-origin"] for one in sent}, {"crm"})

    def test_large_and_wide_operations_are_cut_so_that_a_request_takes_them(self):
        large = [{"data": {"note": "é" * 600_000}}] * 9
        wide = [{"data": {str(nth): nth for nth in range(20_000)}}] * 3
        with scripted(answer(*[201] * 4), answer(*[201] * 4), answer(201), answer(201, 201), answer(201)) as server:
            server.client().leads.batch(large)
            server.client().leads.batch(wide)
            sent = [len(one.json()["operations"]) for one in server.of("/v1/leads/batch")]
            self.assertEqual(sent, [4, 4, 1, 2, 1])

    def test_all_or_none(self):
        rejected = {"code": "BATCH_REJECTED", "message": "no", "results": [{"status": 424}, {"status": 404}]}
        with scripted(ok({"error": rejected}, 422)) as server:
            with self.assertRaises(BatchRejected) as caught:
                server.client().deals.batch([{}, {}], atomic=True)
            self.assertEqual([one["status"] for one in caught.exception.results], [424, 404])
            self.assertIs(server.of("/v1/deals/batch")[0].json()["atomic"], True)

    def test_nothing_to_do_asks_nobody(self):
        with scripted() as server:
            self.assertEqual(server.client().activities.batch([]), [])
            self.assertEqual(server.asked, [])
