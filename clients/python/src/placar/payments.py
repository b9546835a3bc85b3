"""Payments: invoices, tax documents, payouts, the ledger and the balance."""
from __future__ import annotations

from typing import Any, Dict, List, Mapping, Optional

from ._interfaces import Record, SignedInterface, segment
from .pages import Pages, by_cursor

#: Filters whose names are no Python names.
_RENAMED = {
    "created_gte": "created[gte]",
    "created_lte": "created[lte]",
    "available_on_gte": "available_on[gte]",
    "available_on_lte": "available_on[lte]",
    "payment_method_type": "payment_method.type",
}


class _Collection:
    _path = ""

    def __init__(self, http: SignedInterface) -> None:
        self._http = http

    def get(self, id: str) -> Record:
        """One of them. Raises `NotFound`."""
        answer: Record = self._http.get(f"/payments/{self._path}/{segment(id)}")
        return answer

    def list(self, **filters: Any) -> Pages:
        """All that match, newest first; `created_gte=` stands for `created[gte]`, and so on."""
        parameters = {_RENAMED.get(name, name): value for name, value in filters.items()}
        return by_cursor(lambda given: self._http.get(f"/payments/{self._path}", given), parameters)

    def _post(self, path: str, body: Mapping[str, Any], idempotency_key: Optional[str]) -> Record:
        answer: Record = self._http.post_once(f"/payments/{path}", dict(body), idempotency_key)
        return answer


class Invoices(_Collection):
    _path = "invoices"

    def create(self, invoice: Mapping[str, Any], *, idempotency_key: Optional[str] = None) -> Record:
        """Charges somebody. Give the key that you stored with the decision, and it is done once whatever breaks."""
        return self._post("invoices", invoice, idempotency_key)

    def cancel(self, id: str, *, idempotency_key: Optional[str] = None) -> Record:
        return self._post(f"invoices/{segment(id)}/cancel", {}, idempotency_key)

    def request_tax_document(
        self, id: str, document: Mapping[str, Any], *, idempotency_key: Optional[str] = None
    ) -> Record:
        """Asks for an NFS-e, which is issued later."""
        return self._post(f"invoices/{segment(id)}/tax-documents", document, idempotency_key)

    def get_tax_document(self, id: str, document_id: str) -> Record:
        answer: Record = self._http.get(f"/payments/invoices/{segment(id)}/tax-documents/{segment(document_id)}")
        return answer

    def cancel_tax_document(
        self, id: str, document_id: str, reason: Optional[Mapping[str, Any]] = None, *, idempotency_key: Optional[str] = None
    ) -> Record:
        path = f"invoices/{segment(id)}/tax-documents/{segment(document_id)}/cancel"
        return self._post(path, reason or {}, idempotency_key)

    def pay_in_sandbox(self, id: str, *, idempotency_key: Optional[str] = None) -> Record:
        """Plays the payer, where payments run on the sandbox."""
        return self._post(f"sandbox/invoices/{segment(id)}/pay", {}, idempotency_key)


class Payouts(_Collection):
    _path = "payouts"

    def create(self, payout: Mapping[str, Any], *, idempotency_key: Optional[str] = None) -> Record:
        """Pays somebody. Give the key that you stored with the decision, and it is done once whatever breaks."""
        return self._post("payouts", payout, idempotency_key)

    def cancel(self, id: str, *, idempotency_key: Optional[str] = None) -> Record:
        return self._post(f"payouts/{segment(id)}/cancel", {}, idempotency_key)


class BalanceTransactions(_Collection):
    """The ledger."""

    _path = "balance-transactions"


class Balance:
    def __init__(self, http: SignedInterface) -> None:
        self._http = http

    def get(self) -> List[Dict[str, Any]]:
        """What the ledger adds up to: `currency`, `available` and `pending`, one item a currency."""
        data: List[Dict[str, Any]] = self._http.get("/payments/balance")["data"]
        return data


class PaymentWebhooks(_Collection):
    """Webhooks of payments; `webhooks` are those of records."""

    _path = "webhooks"

    def create(self, webhook: Mapping[str, Any], *, idempotency_key: Optional[str] = None) -> Record:
        """The answer has the `secret`: keep it. One that is sent again with the same key is answered without."""
        return self._post(self._path, webhook, idempotency_key)

    def update(self, id: str, changes: Mapping[str, Any]) -> Record:
        """Only what is given changes; None for `events` means all."""
        answer: Record = self._http.patch(f"/payments/{self._at(id)}", dict(changes))
        return answer

    def delete(self, id: str) -> None:
        self._http.delete(f"/payments/{self._at(id)}")

    def pause(self, id: str, *, idempotency_key: Optional[str] = None) -> Record:
        """What happens from here on waits, for 30 days, until it is resumed."""
        return self._post(self._at(id, "/pause"), {}, idempotency_key)

    def resume(self, id: str, *, idempotency_key: Optional[str] = None) -> Record:
        """Sends what waited."""
        return self._post(self._at(id, "/resume"), {}, idempotency_key)

    def rotate_secret(self, id: str, *, idempotency_key: Optional[str] = None) -> Record:
        """A new `secret`; for 24 hours the old one signs as well."""
        return self._post(self._at(id, "/rotate-secret"), {}, idempotency_key)

    def keys(self, id: str) -> Record:
        """The key set (JWKS) that verifies what it is sent; `public_key` is the same key."""
        answer: Record = self._http.get(f"/payments/{self._at(id, '/keys')}")
        return answer

    def test(self, id: str, *, idempotency_key: Optional[str] = None) -> Record:
        """Has `webhook.test` sent to it alone."""
        return self._post(self._at(id, "/test"), {}, idempotency_key)

    def replay_all(
        self,
        id: str,
        *,
        since: Optional[str] = None,
        failed: bool = False,
        idempotency_key: Optional[str] = None,
    ) -> Record:
        """Has all of a time sent again, or all that failed, under their ids. `replay_progress` says how far it is."""
        body = {"failed": failed} if since is None else {"failed": failed, "since": since}
        return self._post(self._at(id, "/replay"), body, idempotency_key)

    def replay_progress(self, id: str, replay_id: str) -> Record:
        answer: Record = self._http.get(f"/payments/{self._at(id)}/replays/{segment(replay_id)}")
        return answer

    def deliveries(self, id: str, **filters: Any) -> Pages:
        return by_cursor(lambda given: self._http.get(f"/payments/{self._at(id)}/deliveries", given), filters)

    def delivery(self, id: str, delivery_id: str) -> Record:
        """One of them, with its attempts. Raises `NotFound`."""
        answer: Record = self._http.get(f"/payments/{self._at(id)}/deliveries/{segment(delivery_id)}")
        return answer

    def replay(self, id: str, delivery_id: str, *, idempotency_key: Optional[str] = None) -> Record:
        return self._post(self._at(id, f"/deliveries/{segment(delivery_id)}/replay"), {}, idempotency_key)

    def _at(self, id: str, rest: str = "") -> str:
        return f"{self._path}/{segment(id)}{rest}"
