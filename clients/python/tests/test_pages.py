import datetime
import unittest
from decimal import Decimal

from placar._requests import to_json

from .scripted_server import ok, scripted


class Pages(unittest.TestCase):
    def test_records_of_all_envelopes_until_the_last_page_of_the_page_just_read(self):
        for envelope in ("meta", "pagination"):
            def page(number, pages, *ids):
                at = {"page": number, "per_page": 100, "total": 5, "total_pages": pages}
                return ok({"data": [{"id": one} for one in ids], envelope: at})

            with scripted(page(1, 2, "a", "b"), page(2, 3, "c"), page(3, 3, "d")) as server:
                self.assertEqual([one["id"] for one in server.client().leads.list(status="new")], ["a", "b", "c", "d"])
                targets = [one.target for one in server.of("/v1/")]
                self.assertEqual(targets[2], "/functions/v1/v1/leads?per_page=100&status=new&page=3")

    def test_an_id_leads_to_no_other_path(self):
        with scripted() as server:
            for id in ("", ".", ".."):
                with self.assertRaises(ValueError):
                    server.client().leads.get(id)
            self.assertEqual(server.of("/v1/"), [])

    def test_only_what_is_walked_is_fetched(self):
        at = {"page": 1, "per_page": 100, "total": 900, "total_pages": 9}
        with scripted(ok({"data": [{"id": "a"}], "meta": at})) as server:
            self.assertEqual(server.client().deals.list().first(), {"id": "a"})
            self.assertEqual(len(server.of("/v1/")), 1)

    def test_payments_by_cursor_both_ways(self):
        first = ok({"data": [{"id": "b"}, {"id": "a"}], "has_more": True})
        last = ok({"data": [], "has_more": False})
        with scripted(first, last, first, last) as server:
            invoices = server.client().invoices
            self.assertEqual([one["id"] for one in invoices.list(created_gte=datetime.date(2026, 5, 1))], ["b", "a"])
            list(invoices.list(ending_before="z"))
            queries = [one.target.partition("?")[2] for one in server.asked]
        self.assertEqual(queries[:2], ["limit=100&created%5Bgte%5D=2026-05-01",
                                       "limit=100&created%5Bgte%5D=2026-05-01&starting_after=a"])
        self.assertEqual(queries[2:], ["limit=100&ending_before=z", "limit=100&ending_before=b"])

    def test_events_go_on_after_the_cursor_of_each_page(self):
        def page(more, cursor, *ids):
            at = {"next_cursor": cursor, "has_more": more}
            return ok({"data": [{"id": one} for one in ids], "meta": at})

        with scripted(page(True, "k1", "a"), page(True, "k2"), page(False, "k3", "b")) as server:
            self.assertEqual([one["id"] for one in server.client().events.list(types="lead.created")], ["a", "b"])
            targets = [one.target for one in server.of("/v1/")]
            self.assertEqual(targets[2], "/functions/v1/v1/events?limit=500&types=lead.created&after=k2")

    def test_following_waits_and_goes_on_when_nothing_came(self):
        def page(cursor, *ids):
            return ok({"data": [{"id": one} for one in ids], "has_more": False, "next_cursor": cursor})

        with scripted(page("k1"), page("k2", "a")) as server:
            self.assertEqual(next(server.client().payment_events.follow(after="k0")), {"id": "a"})
            queries = [one.target.partition("?")[2] for one in server.asked]
            self.assertEqual(queries, ["limit=500&wait=20&after=k0", "limit=500&wait=20&after=k1"])

    def test_ids_cannot_leave_their_place_in_the_path(self):
        with scripted(ok({"data": {}})) as server:
            server.client().leads.get("../users/1?x=y")
            self.assertEqual(server.of("/v1/")[0].target, "/functions/v1/v1/leads/..%2Fusers%2F1%3Fx%3Dy")
            with self.assertRaises(ValueError):
                server.client().leads.delete("")


class Values(unittest.TestCase):
    def test_dates_and_decimals(self):
        at = datetime.datetime(2026, 5, 1, 9, 30, tzinfo=datetime.timezone.utc)
        body = to_json({"at": at, "value": Decimal("1250.5"), "n": Decimal("7")})
        self.assertEqual(body, b'{"at":"2026-05-01T09:30:00+00:00","value":1250.5,"n":7}')
        for wrong in (datetime.datetime(2026, 5, 1), float("nan")):
            with self.assertRaises(ValueError):
                to_json({"at": wrong})

    def test_headers_of_records(self):
        with scripted(ok({"data": {}}), ok({"data": {}}), ok({"data": {}})) as server:
            client = server.client(variant="c", origin="crm")
            client.leads.get("1")
            client.leads.create({})
            client.leads.create({}, origin="other")
            asked = server.of("/v1/")
        self.assertEqual({one.headers["x-api-variant"] for one in asked}, {"c"})
        self.assertEqual([one.headers.get("x-origin") for one in asked], [None, "crm", "other"])
