"""Lists that fetch their pages during iteration."""
from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Callable, Dict, Iterator, List, Mapping, Optional

Record = Dict[str, Any]


@dataclass(frozen=True)
class Page:
    data: List[Record]
    #: Records: number of matching rows, approximate above 10 000. Payments: None.
    total: Optional[int]
    has_more: bool
    #: Event feeds: the cursor to continue `after`. Lists: None.
    next_cursor: Optional[str] = None


class Pages:
    """Iterates over rows; `pages()` iterates over pages. Each iteration starts at the first page."""

    def __init__(self, walk: Callable[[], Iterator[Page]]) -> None:
        self._walk = walk

    def __iter__(self) -> Iterator[Record]:
        for page in self._walk():
            yield from page.data

    def pages(self) -> Iterator[Page]:
        return self._walk()

    def first(self) -> Optional[Record]:
        """The first row, None if the list is empty."""
        return next(iter(self), None)


def numbered(get: Callable[[Mapping[str, Any]], Any], parameters: Mapping[str, Any]) -> Pages:
    """Pages of records, until `page` reaches `total_pages` of the latest page."""

    def walk() -> Iterator[Page]:
        number = int(parameters.get("page") or 1)
        while True:
            answer = get({"per_page": 100, **parameters, "page": number})
            # Variant A has `meta`, the others have `pagination`.
            at = answer.get("pagination") or answer["meta"]
            more = number < at["total_pages"] and len(answer["data"]) > 0
            yield Page(answer["data"], at["total"], more)
            if not more:
                return
            number += 1

    return Pages(walk)


def by_cursor(get: Callable[[Mapping[str, Any]], Any], parameters: Mapping[str, Any]) -> Pages:
    """Pages of payments: after the last id or, with `ending_before`, before the first id."""

    def walk() -> Iterator[Page]:
        given = {"limit": 100, **parameters}
        while True:
            answer = get(given)
            data, more = answer["data"], bool(answer["has_more"])
            yield Page(data, None, more)
            if not more or not data:
                return
            if given.get("ending_before"):
                given["ending_before"] = data[0]["id"]
            else:
                given["starting_after"] = data[-1]["id"]

    return Pages(walk)


#: Longest long-polling wait that the API accepts, in seconds.
_LONGEST_WAIT = 20


class Feed:
    """The events that webhooks push, for polling. Each event has its `cursor`: store it, and continue with `after`."""

    def __init__(self, get: Callable[[Mapping[str, Any]], Any]) -> None:
        self._get = get

    def page(self, **parameters: Any) -> Page:
        """One page. Parameters: `after` (`"now"` for the current end), `types`, `limit`, `wait`."""
        answer = self._get(parameters)
        # Records have these members in `meta`, payments at the top level.
        at = answer.get("meta") or answer
        return Page(answer["data"], None, bool(at["has_more"]), at["next_cursor"])

    def list(self, **parameters: Any) -> Pages:
        """All events from `after` to the current end. Raises `CursorExpired` if they have expired."""

        def walk() -> Iterator[Page]:
            given = {"limit": 500, **parameters}
            while True:
                page = self.page(**given)
                yield page
                if not page.has_more:
                    return
                given["after"] = page.next_cursor

        return Pages(walk)

    def follow(self, **parameters: Any) -> Iterator[Record]:
        """Like `list`, and then each event as it happens. Never ends."""
        given = {"limit": 500, "wait": _LONGEST_WAIT, **parameters}
        while True:
            page = self.page(**given)
            yield from page.data
            given["after"] = page.next_cursor
