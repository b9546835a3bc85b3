"""Records: leads, deals, users, teams and related records, in the names of the client's variant.

`origin` is returned in the events that a change causes (default: the client's `origin`). `silent` is for imports: the change causes no
webhooks, points, automations or emails; it needs the scope `admin`. `if_match` takes the `etag_of` a record: if the record has changed
since, the call raises `PreconditionFailed`.
"""
from __future__ import annotations

import json
import uuid
from typing import Any, Dict, Iterable, List, Mapping, Optional

from ._interfaces import Record, Said, SignedInterface, TokenInterface, segment
from .activities import ActivitySync, OnProgress, SyncResult
from .pages import Pages, numbered

Body = Mapping[str, Any]
Origin = Optional[str]
Key = Optional[str]


class _Collection:
    _path = ""

    def __init__(self, http: TokenInterface) -> None:
        self._http = http

    def list(self, **filters: Any) -> Pages:
        """All matches, page by page. Filters, `sort` and `search` are described in the documentation of lists."""
        return self._pages(self._path, filters)

    def _pages(self, path: str, filters: Mapping[str, Any]) -> Pages:
        return numbered(lambda given: self._http.get(path, given), filters)

    def _at(self, id: str, rest: str = "") -> str:
        return f"{self._path}/{segment(id)}{rest}"

    def _get(self, path: str, parameters: Optional[Mapping[str, Any]] = None) -> Record:
        data: Record = self._http.get(path, parameters)["data"]
        return data

    def _post(self, path: str, body: Body, said: Said) -> Any:
        answer = self._http.post(path, dict(body), said)
        return answer["data"] if isinstance(answer, dict) and "data" in answer else answer


class _Readable(_Collection):
    def get(self, id: str) -> Record:
        """Fetches one by id. Raises `NotFound`."""
        return self._get(self._at(id))


class _Writable(_Readable):
    def create(
        self, record: Body, *, origin: Origin = None, silent: bool = False, idempotency_key: Key = None
    ) -> Record:
        """Creates the record. Retries do not create it twice."""
        created: Record = self._post(self._path, record, Said(origin, silent, idempotency_key=idempotency_key))
        return created

    def update(
        self, id: str, changes: Body, *, origin: Origin = None, silent: bool = False, if_match: Optional[str] = None
    ) -> Record:
        """Changes only the given members. None clears a member."""
        data: Record = self._http.patch(self._at(id), dict(changes), Said(origin, silent, if_match))["data"]
        return data


class _Removable(_Writable):
    def delete(self, id: str, *, origin: Origin = None, silent: bool = False, if_match: Optional[str] = None) -> None:
        self._http.delete(self._at(id), Said(origin, silent, if_match))


class _Named(_Writable):
    def get_by_external_id(self, external_id: str) -> Record:
        """Fetches the record with your own id. Raises `NotFound`."""
        return self._get(f"{self._path}/external/{segment(external_id)}")

    def put(
        self,
        external_id: str,
        record: Body,
        *,
        origin: Origin = None,
        silent: bool = False,
        if_match: Optional[str] = None,
        if_none_match: Optional[str] = None,
    ) -> Record:
        """Creates or updates the record with your own id. Repeating the call is safe.

        With `if_none_match="*"` it only creates the record, and raises `PreconditionFailed` if the record exists.
        """
        path = f"{self._path}/external/{segment(external_id)}"
        said = Said(origin, silent, if_match, if_none_match)
        data: Record = self._http.put(path, dict(record), said)["data"]
        return data


#: Per request.
_MAX_OPERATIONS = 500
_MAX_BYTES = 5 * 1024 * 1024
# Limit of JSON members and items, counted by the characters that precede them.
_MAX_SEPARATORS = 45_000


def _split_into_requests(operations: List[Dict[str, Any]]) -> List[List[Dict[str, Any]]]:
    """Splits the operations into requests, in order."""
    parts: List[List[Dict[str, Any]]] = []
    size = separators = 0
    for operation in operations:
        text = json.dumps(operation, ensure_ascii=False)
        its_size, its_separators = len(text.encode()) + 1, sum(text.count(separator) for separator in ",{[") + 1
        full = parts and (
            len(parts[-1]) == _MAX_OPERATIONS
            or size + its_size > _MAX_BYTES
            or separators + its_separators > _MAX_SEPARATORS
        )
        if full or not parts:
            parts.append([])
            size = separators = 0
        parts[-1].append(operation)
        size, separators = size + its_size, separators + its_separators
    return parts


class _Batched(_Collection):
    def batch(
        self,
        operations: Iterable[Body],
        *,
        atomic: bool = False,
        origin: Origin = None,
        silent: bool = False,
        idempotency_key: Key = None,
    ) -> List[Record]:
        """Executes any number of operations in order and returns the result of each. A rejected operation does not stop the others.

        With `atomic`, all operations (at most 500) are executed or none: if one is rejected, `BatchRejected` is raised. Your
        own idempotency key is used for the first request; later requests append `.1`, `.2` and so on.
        """
        given = [dict(operation) for operation in operations]
        key = str(uuid.uuid4()) if idempotency_key is None else idempotency_key
        results: List[Record] = []
        parts = [given] if atomic and given else _split_into_requests(given)
        for nth, part in enumerate(parts):
            body = {"operations": part, "atomic": atomic}
            said = Said(origin, silent, idempotency_key=key if nth == 0 else f"{key}.{nth}")
            results.extend(self._post(f"{self._path}/batch", body, said)["results"])
        return results


class Leads(_Named, _Removable, _Batched):
    _path = "/leads"

    def convert(
        self, id: str, deal: Optional[Body] = None, *, origin: Origin = None, silent: bool = False, if_match: Optional[str] = None
    ) -> Record:
        """Converts the lead to a deal. Returns `{lead, deal}`; in variant B the opportunity."""
        converted: Record = self._post(self._at(id, "/convert"), deal or {}, Said(origin, silent, if_match))
        return converted

    def merge(
        self,
        id: str,
        loser_id: str,
        *,
        origin: Origin = None,
        silent: bool = False,
        if_match: Optional[str] = None,
    ) -> Record:
        """Merges the loser into the lead. This cannot be undone. Later, `get` of the loser raises `NotFound` with `merged_into`."""
        merged: Record = self._post(self._at(id, "/merge"), {"loser_id": loser_id}, Said(origin, silent, if_match))
        return merged

    def activities(self, id: str, **filters: Any) -> Pages:
        return self._pages(self._at(id, "/activities"), filters)


class Deals(_Named, _Removable, _Batched):
    """Named opportunities in variants B and C."""

    _path = "/deals"

    def move(
        self,
        id: str,
        move: Body,
        *,
        origin: Origin = None,
        silent: bool = False,
        if_match: Optional[str] = None,
        idempotency_key: Key = None,
    ) -> Record:
        """Moves the deal to another stage."""
        moved: Record = self._post(self._at(id, "/move"), move, Said(origin, silent, if_match, None, idempotency_key))
        return moved

    def close(
        self,
        id: str,
        outcome: Body,
        *,
        origin: Origin = None,
        silent: bool = False,
        if_match: Optional[str] = None,
        idempotency_key: Key = None,
    ) -> Record:
        """Closes the deal as won or lost."""
        closed: Record = self._post(self._at(id, "/close"), outcome, Said(origin, silent, if_match, None, idempotency_key))
        return closed

    def activities(self, id: str, **filters: Any) -> Pages:
        return self._pages(self._at(id, "/activities"), filters)

    def add_activity(self, id: str, activity: Body, *, origin: Origin = None, silent: bool = False) -> Record:
        added: Record = self._post(self._at(id, "/activities"), activity, Said(origin, silent))
        return added


class Opportunities(Deals):
    """The same deals, under the path of variants B and C."""

    _path = "/opportunities"


class Stages:
    def __init__(self, http: TokenInterface) -> None:
        self._http = http

    def list(self) -> List[Record]:
        """All stages in pipeline order."""
        data: List[Record] = self._http.get("/stages")["data"]
        return data


class Activities(_Batched):
    """Notes, calls and meetings of records. `sync` reports numbered activities of collaborators."""

    _path = "/activities"

    def __init__(self, http: TokenInterface, signed: SignedInterface) -> None:
        super().__init__(http)
        self._sync = ActivitySync(signed)

    def create(self, activity: Body, *, origin: Origin = None, silent: bool = False) -> Record:
        created: Record = self._post(self._path, activity, Said(origin, silent))
        return created

    def sync(
        self, items: Iterable[Mapping[str, Any]], *, on_progress: Optional[OnProgress] = None, concurrency: int = 4
    ) -> SyncResult:
        """See `ActivitySync.sync`."""
        return self._sync.sync(items, on_progress=on_progress, concurrency=concurrency)


class Users(_Named):
    _path = "/users"

    def me(self) -> Record:
        """The user that the client acts for. Raises `NotFound` if there is none."""
        return self._get("/users/me")

    def stats(self, id: str, *, period: Optional[str] = None) -> Record:
        return self._get(self._at(id, "/stats"), {"period": period})

    def metrics(self, id: str, **parameters: Any) -> Record:
        """Like `stats`, with `start_date` and `end_date`."""
        return self._get(self._at(id, "/metrics"), parameters)

    def points(self, id: str, **filters: Any) -> Pages:
        """Ledger entries, newest first. Their sum is `total_points`."""
        return self._pages(self._at(id, "/points"), filters)

    def badges(self, id: str, **filters: Any) -> Pages:
        return self._pages(self._at(id, "/badges"), filters)

    def delete(
        self, id: str, *, permanent: bool = False, origin: Origin = None, silent: bool = False, if_match: Optional[str] = None
    ) -> None:
        """Deactivates the user, or deletes it with `permanent`."""
        self._http.delete(self._at(id), Said(origin, silent, if_match), {"permanent": True} if permanent else None)


class Missions(_Collection):
    """With the completions of all users, or of one with `user_id`."""

    _path = "/missions"


class Standings(_Collection):
    """Users and collaborators ranked by points. `from` is a Python keyword: use `since`, or `list(**{"from": "2026-01-01"})`."""

    _path = "/standings"

    def list(self, *, since: Any = None, **filters: Any) -> Pages:
        return super().list(**_from(since, filters))

    def around(self, user_id: str, *, since: Any = None, **filters: Any) -> List[Record]:
        """The rows around a user, `per_page` in total."""
        data: List[Record] = self._http.get(self._path, {**_from(since, filters), "around": user_id})["data"]
        return data


def _from(since: Any, filters: Mapping[str, Any]) -> Dict[str, Any]:
    return dict(filters) if since is None else {**filters, "from": since}


class Seasons(_Collection):
    _path = "/seasons"


class Badges(_Collection):
    _path = "/badges"


class Challenges(_Collection):
    """With the progress of all users, or of one with `user_id`."""

    _path = "/challenges"


class Invitations(_Collection):
    _path = "/invitations"

    def create(self, invitation: Body, *, origin: Origin = None, silent: bool = False) -> Record:
        created: Record = self._post(self._path, invitation, Said(origin, silent))
        return created

    def resend(self, id: str, *, origin: Origin = None) -> Record:
        sent: Record = self._post(self._at(id, "/resend"), {}, Said(origin))
        return sent

    def revoke(self, id: str, *, origin: Origin = None, silent: bool = False) -> None:
        self._http.delete(self._at(id), Said(origin, silent))


class Teams(_Writable):
    _path = "/teams"

    def members(self, id: str, **filters: Any) -> Pages:
        return self._pages(self._at(id, "/members"), filters)

    def add_member(self, id: str, user_id: str, *, origin: Origin = None, silent: bool = False) -> Record:
        added: Record = self._post(self._at(id, "/members"), {"user_id": user_id}, Said(origin, silent))
        return added

    def remove_member(self, id: str, user_id: str, *, origin: Origin = None, silent: bool = False) -> None:
        self._http.delete(self._at(id, f"/members/{segment(user_id)}"), Said(origin, silent))


class Webhooks(_Removable):
    """`create` with `"secret": "generate"` returns the secret, once."""

    _path = "/webhooks"

    def pause(self, id: str, *, origin: Origin = None) -> Record:
        """Holds new events back, for up to 30 days, until `resume`."""
        paused: Record = self._post(self._at(id, "/pause"), {}, Said(origin))
        return paused

    def resume(self, id: str, *, origin: Origin = None) -> Record:
        """Resumes deliveries, including the events that were held back."""
        resumed: Record = self._post(self._at(id, "/resume"), {}, Said(origin))
        return resumed

    def keys(self, id: str) -> Record:
        """The key set (JWKS) that verifies deliveries; `public_key` is the same key."""
        found: Record = self._http.get(self._at(id, "/keys"))
        return found

    def test(self, id: str, *, origin: Origin = None) -> Any:
        """Sends `webhook.test` to this webhook only."""
        return self._post(self._at(id, "/test"), {}, Said(origin))

    def replay_all(
        self, id: str, *, since: Optional[str] = None, failed: bool = False, origin: Origin = None
    ) -> Record:
        """Sends all deliveries of a period, or all failed ones, again with their ids. See `replay_progress` for the progress."""
        body = {"failed": failed} if since is None else {"failed": failed, "since": since}
        begun: Record = self._post(self._at(id, "/replay"), body, Said(origin))
        return begun

    def replay_progress(self, id: str, replay_id: str) -> Record:
        return self._get(self._at(id, f"/replays/{segment(replay_id)}"))

    def deliveries(self, id: str, **filters: Any) -> Pages:
        return self._pages(self._at(id, "/deliveries"), filters)

    def delivery(self, id: str, delivery_id: str) -> Record:
        """Fetches one delivery with its attempts. Raises `NotFound`."""
        return self._get(self._at(id, f"/deliveries/{segment(delivery_id)}"))

    def replay(self, id: str, delivery_id: str, *, origin: Origin = None) -> Any:
        return self._post(self._at(id, f"/deliveries/{segment(delivery_id)}/replay"), {}, Said(origin))
