"""The admin API: missions, settings, credentials, payments and logs of a workspace."""
from __future__ import annotations

from typing import Any, Iterator, Mapping, Optional

from ._interfaces import Said, TokenInterface
from .pages import Page, Pages


def _below(path: str) -> str:
    return f"/admin/{path.lstrip('/')}"


class Admin:
    """Any operation of the admin API. Paths are those below `/v1/admin`, such as `/missions`."""

    def __init__(self, http: TokenInterface) -> None:
        self._http = http

    def request(
        self,
        method: str,
        path: str,
        body: Optional[Mapping[str, Any]] = None,
        *,
        if_match: Optional[str] = None,
        idempotency_key: Optional[str] = None,
        on_behalf_of: Optional[str] = None,
    ) -> Any:
        """Returns `data` of the response, None for DELETE. A POST is executed once, whatever the retries.

        `on_behalf_of`: the person that your program acts for, for the audit trail.
        """
        said = Said(if_match=if_match, idempotency_key=idempotency_key, on_behalf_of=on_behalf_of)
        answer = self._http.send(method.upper(), _below(path), None if body is None else dict(body), said)
        return None if answer is None else answer["data"]

    def list(self, path: str, filters: Optional[Mapping[str, Any]] = None) -> Pages:
        """All items, page by page, also of `/requests` and `/changes`."""
        return Pages(lambda: self._walk(_below(path), {"per_page": 100, **(filters or {})}))

    def _walk(self, path: str, given: Mapping[str, Any]) -> Iterator[Page]:
        while True:
            answer = self._http.get(path, given)
            # Variant A has everything in `meta`, the others have the page numbers in `pagination`. Logs have cursors.
            at = {**answer["meta"], **(answer.get("pagination") or {})}
            page = int(at.get("page") or 1)
            cursor = at.get("next_cursor")
            more = bool(at["has_more"]) if "has_more" in at else page < int(at.get("total_pages") or 1)
            yield Page(answer["data"], at.get("total"), more, cursor)
            if not more:
                return
            given = {**given, "after": cursor} if cursor else {**given, "page": page + 1}
