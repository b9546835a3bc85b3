"""Calls every method and checks that every operation of the documents is requested."""
import inspect
import json
import os
import re
import unittest
from pathlib import Path

from .scripted_server import ScriptedServer, ok

DOCUMENTS = Path(os.environ.get("PLACAR_DOCUMENTS") or Path(__file__).parents[3] / "docs" / "openapi")
#: Clients do not need health checks and the documents themselves. Stages are listed at two paths. `placar ledger export` downloads
#: the files. `/v1/me` and `/v1/board` need the token of a person or a screen, which programs do not have.
WITHOUT = {"getHealth", "getLiveness", "getReadiness", "getOpenApiDocument", "listPipelineStages",
           "exportBalanceTransactionsCsv", "exportBalanceTransactionsOfx"}


def operations(name):
    paths = json.loads((DOCUMENTS / f"{name}.json").read_text("utf-8"))["paths"]
    for path, methods in paths.items():
        for method, operation in methods.items():
            yield operation["operationId"], method.upper(), path


def answer(asked):
    if asked.target.endswith("/oauth/token"):
        return ok({"access_token": "token-1", "expires_in": 3600})
    return ok({"data": [], "meta": {"total_pages": 1}, "has_more": False, "next_cursor": "c", "results": []})


def call(method):
    needed = [one for one in inspect.signature(method).parameters.values()
              if one.default is one.empty and one.kind in (one.POSITIONAL_ONLY, one.POSITIONAL_OR_KEYWORD)]
    for body in ("x", {"id": "x"}, [{"id": "x"}]):
        try:
            found = method(*["x" if one.name.endswith("id") else body for one in needed])
            for _ in found if hasattr(found, "__iter__") else ():
                break
        except Exception:  # The scripted response fits no method; only the request matters.
            pass


class Operations(unittest.TestCase):
    def test_each_has_a_method(self):
        with ScriptedServer(answer) as server:
            for name, part in vars(server.client(max_retries=0)).items():
                if not name.startswith("_"):
                    for other, method in inspect.getmembers(part, callable):
                        # `follow` never ends.
                        if not other.startswith("_") and other != "follow":
                            call(method)
            asked = {f"{one.method} {one.target.partition('?')[0].replace('/functions/v1', '', 1)}" for one in server.asked}
        self.assertGreater(len(asked), 80)
        lacking = []
        for document in ("default-integration", "payments", "v1"):
            for operation, method, path in operations(document):
                pattern = re.compile(method + " " + re.sub(r"\{\w+\}", "[^/]+", path))
                # Scripts, the console and MCP call the admin API directly.
                known = operation in WITHOUT or re.match("admin[A-Z]", operation) or re.match("/v1/(me|board)(/|$)", path)
                if not known and not any(map(pattern.fullmatch, asked)):
                    lacking.append((operation, f"{method} {path}"))
        self.assertEqual(lacking, [])


if __name__ == "__main__":
    unittest.main()
