import unittest

from placar import etag_of

from .scripted_server import ok, scripted


class Admin(unittest.TestCase):
    def test_any_operation_with_its_headers(self):
        made = ok({"data": {"id": "m1"}, "meta": {"summary": "Created."}}, 201, ETag='"1"')
        with scripted(made, made, ok(None, 204)) as server:
            admin = server.client().admin
            mission = admin.request("POST", "/missions", {"name": "n"}, on_behalf_of="ana@example.com")
            admin.request("patch", "missions/m1", {"points": 2}, if_match=etag_of(mission))
            self.assertIsNone(admin.request("DELETE", "/missions/m1"))
            first, second, third = server.of("/v1/admin/")
            self.assertEqual((first.method, first.target, first.headers["x-on-behalf-of"]),
                             ("POST", "/functions/v1/v1/admin/missions", "ana@example.com"))
            self.assertTrue(first.headers["idempotency-key"])
            self.assertEqual((second.method, second.headers["if-match"]), ("PATCH", '"1"'))
            self.assertEqual(third.method, "DELETE")

    def test_lists_go_on_by_number_by_cursor_or_not_at_all(self):
        numbered = [ok({"data": [{"n": n}], "meta": {"page": n, "total": 2, "total_pages": 2}}) for n in (1, 2)]
        logged = [ok({"data": [{"n": 3}], "meta": {"next_cursor": "c", "has_more": True}}),
                  ok({"data": [{"n": 4}], "meta": {"next_cursor": None, "has_more": False}})]
        with scripted(*numbered, *logged, ok({"data": [{"n": 5}], "meta": {}})) as server:
            admin = server.client().admin
            rows = [*admin.list("/missions"), *admin.list("/changes", {"from": "2026-01-01"}), *admin.list("/plans")]
            self.assertEqual([row["n"] for row in rows], [1, 2, 3, 4, 5])
            targets = [one.target for one in server.of("/v1/admin/")]
            self.assertIn("page=2", targets[1])
            self.assertIn("after=c", targets[3])
            self.assertIn("from=2026-01-01", targets[3])
