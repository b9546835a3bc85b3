"""Lists that fetch their pages while they are walked."""
from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Callable, Dict, Iterator, List, Mapping, Optional

Record = Dict[str, Any]


@dataclass(frozen=True)
class Page:
    data: List[Record]
    #: Rows that match, of records; about, above 10 000. None of payments.
    total: Optional[int]
    has_more: bool
    #: Of an event feed: what to go on `after`. None of lists.
    next_cursor: Optional[str] = None


class Pages:
    """Iterating gives the rows; `pages()` gives page by page. Each iteration begins at the first page."""

    def __init__(self, walk: Callable[[], Iterator[Page]]) -> None:
        self._walk = walk

    def __iter__(self) -> Iterator[Record]:
        for page in self._walk():
            yield from page.data

    def pages(self) -> Iterator[Page]:
        return self._walk()

    def first(self) -> Optional[Record]:
        """The first row, None when there is none."""
        return next(iter(self), None)


def numbered(get: Callable[[Mapping[str, Any]], Any], parameters: Mapping[str, Any]) -> Pages:
    """Pages of records: until `page` is the `total_pages` of the page just read."""

    def walk() -> Iterator[Page]:
        number = int(parameters.get("page") or 1)
        while True:
            answer = get({"per_page": 100, **parameters, "page": number})
            # Variant A says where it stands in `meta`, the others in `pagination`.
            at = answer.get("pagination") or answer["meta"]
            more = number < at["total_pages"] and len(answer["data"]) > 0
            yield Page(answer["data"], at["total"], more)
            if not more:
                return
            number += 1

    return Pages(walk)


def by_cursor(get: Callable[[Mapping[str, Any]], Any], parameters: Mapping[str, Any]) -> Pages:
    """Pages of payments: after the last id, or with `ending_before`, before the first."""

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


#: Longest wait that the API knows, in seconds.
_LONGEST_WAIT = 20


class Feed:
    """What webhooks push, to be asked for. Each event has its `cursor`: store it, and go on `after` it."""

    def __init__(self, get: Callable[[Mapping[str, Any]], Any]) -> None:
        self._get = get

    def page(self, **parameters: Any) -> Page:
        """One page, as it is asked for: `after` (`"now"` for the present end), `types`, `limit`, `wait`."""
        answer = self._get(parameters)
        # Records say it in `meta`, payments beside `data`.
        at = answer.get("meta") or answer
        return Page(answer["data"], None, bool(at["has_more"]), at["next_cursor"])

    def list(self, **parameters: Any) -> Pages:
        """All events from `after` to the present end. Raises `CursorExpired` where that is no longer kept."""

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
        """The same, and then each event as it happens, for good."""
        given = {"limit": 500, "wait": _LONGEST_WAIT, **parameters}
        while True:
            page = self.page(**given)
            yield from page.data
            given["after"] = page.next_cursor
