"""Activity sync for any number of items, in batches."""
from __future__ import annotations

from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from typing import Any, Callable, Dict, Iterable, Iterator, List, Mapping, NamedTuple, Optional, Sized, Tuple

from ._interfaces import SignedInterface
from ._requests import to_json
from .errors import ApiError, PlacarError

_TARGET = "/default-integration"
_MAX_ACTIVITIES = 1000
_MAX_COLLABORATORS = 500
#: The service accepts 6 MiB per request. Smaller bodies leave room for several at once.
_MAX_BYTES = 2 * 1024 * 1024

#: Called after each batch with the number of finished items and the total, None if unknown.
OnProgress = Callable[[int, Optional[int]], None]


@dataclass(frozen=True)
class SkippedItem:
    #: Position in the given items, from 0.
    index: int
    external_id: str
    reason: str


@dataclass
class SyncResult:
    """Result of syncing activities: all batches, in the order of the items."""

    processed: int = 0
    duplicates: int = 0
    #: Not recorded, because no collaborator has the email address. Send them again later.
    skipped: int = 0
    skipped_items: List[SkippedItem] = field(default_factory=list)
    #: Duplicates whose content differs from the recorded activity, which stays unchanged.
    duplicate_items: List[SkippedItem] = field(default_factory=list)
    #: Recorded, but their code has no mission yet.
    unmapped: int = 0
    errors: List[str] = field(default_factory=list)
    total: int = 0


@dataclass
class CollaboratorResult:
    created: int = 0
    existing: int = 0
    #: One message per invalid item.
    errors: List[str] = field(default_factory=list)
    total: int = 0


class Batch(NamedTuple):
    offset: int
    size: int
    body: bytes


def batches(action: str, member: str, items: Iterable[Mapping[str, Any]], most: int) -> Iterator[Batch]:
    """Splits items into batches by count and size. Reads ahead at most one batch."""
    head = f'{{"action":"{action}","{member}":['.encode()
    texts: List[bytes] = []
    offset = size = 0
    for item in items:
        text = to_json(item)
        if texts and (len(texts) == most or size + len(text) > _MAX_BYTES):
            yield Batch(offset, len(texts), head + b",".join(texts) + b"]}")
            offset, size, texts = offset + len(texts), 0, []
        texts.append(text)
        size += len(text) + 1
    if texts:
        yield Batch(offset, len(texts), head + b",".join(texts) + b"]}")


class ActivitySync:
    def __init__(self, http: SignedInterface) -> None:
        self._http = http

    def sync(
        self,
        items: Iterable[Mapping[str, Any]],
        *,
        on_progress: Optional[OnProgress] = None,
        concurrency: int = 4,
    ) -> SyncResult:
        """Sends any number of activities, `concurrency` batches at a time.

        A batch with an invalid activity is rejected as a whole. Then no further batch is started, and a `ValidationError` is
        raised: its `fields` have indexes within `items`, its `result` has the outcome of the other batches. Sending all items
        again is safe.
        """
        total = len(items) if isinstance(items, Sized) else None
        done = 0
        answers: List[Tuple[int, Dict[str, Any]]] = []
        failure: Optional[Tuple[int, BaseException]] = None
        coming = batches("sync_activities", "activities", items, _MAX_ACTIVITIES)
        under_way: Dict["Future[Any]", Batch] = {}
        with ThreadPoolExecutor(max_workers=concurrency, thread_name_prefix="placar-sync") as pool:
            while True:
                while failure is None and len(under_way) < concurrency:
                    batch = next(coming, None)
                    if batch is None:
                        break
                    under_way[pool.submit(self._http.post, _TARGET, batch.body)] = batch
                if not under_way:
                    break
                for future in wait(under_way, return_when=FIRST_COMPLETED).done:
                    batch = under_way.pop(future)
                    error = future.exception()
                    if error is None:
                        answers.append((batch.offset, future.result()["data"]))
                        done += batch.size
                        if on_progress:
                            on_progress(done, total)
                    elif failure is None or batch.offset < failure[0]:
                        failure = (batch.offset, error)
        result = _merge(answers)
        if failure:
            raise _placed(failure[1], failure[0], result)
        return result


class CollaboratorSync:
    def __init__(self, http: SignedInterface) -> None:
        self._http = http

    def sync(
        self, items: Iterable[Mapping[str, Any]], *, on_progress: Optional[OnProgress] = None
    ) -> CollaboratorResult:
        """Creates or updates any number of collaborators. If items share an email address, the last one wins."""
        total = len(items) if isinstance(items, Sized) else None
        result = CollaboratorResult()
        for batch in batches("sync_collaborators", "collaborators", items, _MAX_COLLABORATORS):
            try:
                data = self._http.post(_TARGET, batch.body)["data"]
            except PlacarError as error:
                raise _placed(error, batch.offset, result)
            result.created += data["created"]
            result.existing += data["existing"]
            result.errors += data["errors"]
            result.total += data["total"]
            if on_progress:
                on_progress(result.total, total)
        return result


def _merge(answers: List[Tuple[int, Dict[str, Any]]]) -> SyncResult:
    result = SyncResult()
    for offset, data in sorted(answers, key=lambda answer: answer[0]):
        result.processed += data["processed"]
        result.duplicates += data["duplicates"]
        result.skipped += data["skipped"]
        result.skipped_items += [
            SkippedItem(item["index"] + offset, item["external_id"], item["reason"]) for item in data["skipped_items"]
        ]
        result.duplicate_items += [
            SkippedItem(item["index"] + offset, item["external_id"], item["reason"])
            for item in data.get("duplicate_items", [])
        ]
        result.unmapped += data.get("unmapped", 0)
        result.errors += data["errors"]
        result.total += data["total"]
    return result


def _placed(error: BaseException, offset: int, result: Any) -> BaseException:
    """The error with indexes within all items, and with the result so far."""
    if isinstance(error, ApiError):
        error.fields = [
            {**one, "index": one["index"] + offset} if isinstance(one.get("index"), int) else one for one in error.fields
        ]
    if isinstance(error, PlacarError):
        error.result = result
    return error
