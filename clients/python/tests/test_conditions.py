import unittest

from placar import NetworkError, NotFound, PreconditionFailed, etag_of

from .scripted_server import ok, scripted

LEAD = ok({"data": {"id": "l1", "name": "n"}, "meta": {}}, ETag='"1.a"')


class Conditions(unittest.TestCase):
    def test_a_record_knows_its_version_and_is_changed_by_it(self):
        with scripted(*[LEAD] * 8, ok(None, 204)) as server:
            leads, deals = server.client().leads, server.client().deals
            lead = leads.get("l1")
            self.assertEqual((lead, etag_of(lead), etag_of(dict(lead))), ({"id": "l1", "name": "n"}, '"1.a"', None))
            tag = etag_of(lead)
            leads.update("l1", {"name": "m"}, if_match=tag)
            leads.put("crm-1", {"name": "m"}, if_match=tag)
            leads.convert("l1", if_match=tag)
            leads.merge("l1", "l2", if_match=tag)
            deals.move("d1", {"stage_id": "s"}, if_match=tag)
            deals.close("d1", {"result": "won"}, if_match=tag)
            self.assertEqual(etag_of(leads.create({"name": "n"})), tag)
            leads.delete("l1", if_match=tag)
            sent = [(one.method, one.headers.get("if-match")) for one in server.of("/v1/")]
            self.assertEqual(sent, [("GET", None), ("PATCH", tag), ("PUT", tag), *[("POST", tag)] * 4, ("POST", None),
                                    ("DELETE", tag)])
            self.assertEqual(server.of("/v1/leads/l1/merge")[0].json(), {"loser_id": "l2"})

    def test_what_somebody_changed_meanwhile_is_told_with_the_present_record(self):
        changed = {"error": {"code": "PRECONDITION_FAILED", "message": "changed", "current": {"id": "l1", "name": "x"}}}
        with scripted(ok(changed, 412, ETag='"2.b"')) as server:
            with self.assertRaises(PreconditionFailed) as caught:
                server.client().leads.update("l1", {"name": "m"}, if_match='"1.a"')
            self.assertEqual((caught.exception.current, caught.exception.etag), ({"id": "l1", "name": "x"}, '"2.b"'))

    def test_it_is_not_repeated_where_it_may_have_been_done(self):
        for change in (
            lambda leads: leads.update("l1", {"name": "m"}, if_match='"1.a"'),
            lambda leads: leads.put("crm-1", {"name": "m"}, if_none_match="*"),
        ):
            with scripted(None) as server:
                with self.assertRaises(NetworkError):
                    change(server.client().leads)
                self.assertEqual(len(server.of("/v1/")), 1)

    def test_a_put_that_only_makes_says_so(self):
        with scripted(LEAD) as server:
            server.client().leads.put("crm-1", {"name": "m"}, if_none_match="*")
            self.assertEqual(server.of("/v1/")[0].headers["if-none-match"], "*")

    def test_a_merged_lead_names_the_one_that_it_is_part_of(self):
        gone = {"error": {"code": "NOT_FOUND", "message": "merged", "merged_into": "l2"}}
        with scripted(ok(gone, 404), ok({"error": {"code": "NOT_FOUND", "message": "none"}}, 404)) as server:
            for winner in ("l2", None):
                with self.assertRaises(NotFound) as caught:
                    server.client().leads.get("l1")
                self.assertEqual(caught.exception.merged_into, winner)

    def test_silent_is_said_where_it_is_meant_and_nowhere_else(self):
        with scripted(LEAD, LEAD, LEAD, LEAD, ok(None, 204)) as server:
            client = server.client(origin="crm")
            client.leads.create({"name": "n"}, silent=True)
            client.users.put("u-1", {"name": "n"}, silent=True, origin="other")
            client.deals.add_activity("d1", {"type": "note"}, silent=True)
            client.leads.update("l1", {"name": "m"})
            client.leads.delete("l1", silent=True)
            said = [(one.headers.get("x-silent"), one.headers.get("x-origin")) for one in server.of("/v1/")]
            self.assertEqual(said, [("true", "crm"), ("true", "other"), ("true", "crm"), (None, "crm"), ("true", "crm")])

    def test_a_tag_with_a_line_break_is_not_sent(self):
        with scripted(LEAD) as server:
            with self.assertRaises(ValueError):
                server.client().leads.update("l1", {}, if_match='"1"\r\nX-Silent: true')
            self.assertEqual(server.of("/v1/"), [])
