import threading
import unittest

from placar import SkippedItem, ValidationError
from placar.activities import batches

from .scripted_server import ScriptedServer, ok, scripted


def outcome(asked):
    """Skips items without a collaborator, like the service."""
    items = asked.json()["activities"]
    skipped = [
        {"index": index, "external_id": item["external_id"], "reason": "collaborator_not_registered"}
        for index, item in enumerate(items)
        if item.get("skip")
    ]
    done = len(items) - len(skipped)
    return ok({"data": {"processed": done, "skipped": len(skipped), "skipped_items": skipped, "duplicates": 0,
                        "errors": [], "total": len(items)}})


class Sync(unittest.TestCase):
    def test_batches_of_1000_merged_in_order_whichever_is_answered_first(self):
        last_answered = threading.Event()

        def answer(asked):
            first = asked.json()["activities"][0]["external_id"]
            if first == "0":
                last_answered.wait(30)
            if first == "2000":
                last_answered.set()
            return outcome(asked)

        told = []
        items = [{"external_id": str(n), **({"skip": True} if n in (999, 1000, 2499) else {})} for n in range(2500)]
        with ScriptedServer(answer) as server:
            result = server.client().activities.sync(items, on_progress=lambda done, total: told.append((done, total)))
            self.assertEqual(sorted(len(one.json()["activities"]) for one in server.asked), [500, 1000, 1000])
        self.assertEqual((result.processed, result.skipped, result.total), (2497, 3, 2500))
        reason = "collaborator_not_registered"
        self.assertEqual(result.skipped_items, [SkippedItem(n, str(n), reason) for n in (999, 1000, 2499)])
        self.assertEqual((len(told), told[-1]), (3, (2500, 2500)))

    def test_four_at_a_time_and_a_generator_is_read_no_further(self):
        state = {"now": 0, "most": 0, "read": 0, "ahead": 0}
        lock = threading.Lock()
        four = threading.Event()

        def items():
            for n in range(12_000):
                state["read"] = n
                yield {"external_id": str(n)}

        def answer(asked):
            with lock:
                state["now"] += 1
                state["most"] = max(state["most"], state["now"])
                if state["now"] == 4:
                    four.set()
            four.wait(30)
            with lock:
                state["now"] -= 1
                first = int(asked.json()["activities"][0]["external_id"])
                state["ahead"] = max(state["ahead"], state["read"] - first)
            return outcome(asked)

        totals = []
        with ScriptedServer(answer) as server:
            result = server.client().activities.sync(items(), on_progress=lambda done, total: totals.append(total))
        self.assertEqual((result.processed, state["most"], set(totals)), (12_000, 4, {None}))
        self.assertLess(state["ahead"], 8000)

    def test_large_items_make_smaller_batches(self):
        items = [{"external_id": str(n), "data": {"text": "x" * 16_000}} for n in range(300)]
        made = list(batches("sync_activities", "activities", items, 1000))
        self.assertEqual([batch.offset for batch in made], [0, 130, 260])
        self.assertTrue(all(len(batch.body) < 2.1 * 2**20 for batch in made))

    def test_nothing_to_send(self):
        with scripted() as server:
            self.assertEqual(server.client().activities.sync([]).total, 0)
            self.assertEqual(server.asked, [])

    def test_an_invalid_item_is_named_among_all_and_what_was_done_is_told(self):
        wrong = {"index": 5, "field": "activity_code", "message": "must be"}

        def answer(asked):
            if asked.json()["activities"][0]["external_id"] == "1000":
                return ok({"error": {"code": "VALIDATION_ERROR", "message": "1 of", "details": [wrong]}}, 400)
            return outcome(asked)

        with ScriptedServer(answer) as server:
            with self.assertRaises(ValidationError) as caught:
                server.client().activities.sync(({"external_id": str(n)} for n in range(9000)), concurrency=1)
            self.assertEqual(len(server.asked), 2)
        self.assertEqual(caught.exception.fields, [{**wrong, "index": 1005}])
        self.assertEqual(caught.exception.result.processed, 1000)
        self.assertIn("[1005].activity_code: must be", str(caught.exception))

    def test_collaborators_one_batch_after_the_other(self):
        def answer(asked):
            size = len(asked.json()["collaborators"])
            return ok({"data": {"created": size - 1, "existing": 1, "errors": [], "total": size}})

        with ScriptedServer(answer) as server:
            result = server.client().collaborators.sync([{"external_id": str(n)} for n in range(1001)])
            firsts = [one.json()["collaborators"][0]["external_id"] for one in server.asked]
        self.assertEqual(firsts, ["0", "500", "1000"])
        self.assertEqual((result.created, result.existing, result.total), (998, 3, 1001))
