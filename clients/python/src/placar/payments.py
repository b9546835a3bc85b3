"""Payments: invoices, tax documents, payouts, the ledger and the balance."""
from __future__ import annotations

from typing import Any, Dict, Generic, List, Mapping, Optional, TypeVar, Union

from ._interfaces import SignedInterface, segment
from .pages import Pages, by_cursor
from .types import (BalanceTransaction, Cancellation, Invoice, KeySet, NewInvoice, NewPaymentWebhook, NewPayout, NewTaxDocument,
                    PaymentDelivery, PaymentWebhook, PaymentWebhookChange, PaymentWebhookWithSecret, Payout, Replay, TaxDocument)
from .types import BalanceDataItem as BalanceOfCurrency

Item = TypeVar("Item")
Body = Mapping[str, Any]

#: Filters whose names are no Python names.
_RENAMED = {
    "created_gte": "created[gte]",
    "created_lte": "created[lte]",
    "available_on_gte": "available_on[gte]",
    "available_on_lte": "available_on[lte]",
    "payment_method_type": "payment_method.type",
}


class _Collection(Generic[Item]):
    _path = ""

    def __init__(self, http: SignedInterface) -> None:
        self._http = http

    def get(self, id: str) -> Item:
        """One of them. Raises `NotFound`."""
        answer: Item = self._http.get(f"/payments/{self._path}/{segment(id)}")
        return answer

    def list(self, **filters: Any) -> Pages:
        """All that match, newest first; `created_gte=` stands for `created[gte]`, and so on."""
        parameters = {_RENAMED.get(name, name): value for name, value in filters.items()}
        return by_cursor(lambda given: self._http.get(f"/payments/{self._path}", given), parameters)

    def _post(self, path: str, body: Body, idempotency_key: Optional[str]) -> Any:
        return self._http.post_once(f"/payments/{path}", dict(body), idempotency_key)


class Invoices(_Collection[Invoice]):
    _path = "invoices"

    def create(self, invoice: Union[NewInvoice, Body], *, idempotency_key: Optional[str] = None) -> Invoice:
        """Charges somebody. Give the key that you stored with the decision, and it is done once whatever breaks."""
        answer: Invoice = self._post("invoices", invoice, idempotency_key)
        return answer

    def cancel(self, id: str, *, idempotency_key: Optional[str] = None) -> Invoice:
        answer: Invoice = self._post(f"invoices/{segment(id)}/cancel", {}, idempotency_key)
        return answer

    def request_tax_document(
        self, id: str, document: Union[NewTaxDocument, Body], *, idempotency_key: Optional[str] = None
    ) -> TaxDocument:
        """Asks for an NFS-e, which is issued later."""
        answer: TaxDocument = self._post(f"invoices/{segment(id)}/tax-documents", document, idempotency_key)
        return answer

    def get_tax_document(self, id: str, document_id: str) -> TaxDocument:
        answer: TaxDocument = self._http.get(f"/payments/invoices/{segment(id)}/tax-documents/{segment(document_id)}")
        return answer

    def cancel_tax_document(
        self, id: str, document_id: str, reason: Union[Cancellation, Body, None] = None, *, idempotency_key: Optional[str] = None
    ) -> TaxDocument:
        path = f"invoices/{segment(id)}/tax-documents/{segment(document_id)}/cancel"
        answer: TaxDocument = self._post(path, reason or {}, idempotency_key)
        return answer

    def pay_in_sandbox(self, id: str, *, idempotency_key: Optional[str] = None) -> Invoice:
        """Plays the payer, where payments run on the sandbox."""
        answer: Invoice = self._post(f"sandbox/invoices/{segment(id)}/pay", {}, idempotency_key)
        return answer


class Payouts(_Collection[Payout]):
    _path = "payouts"

    def create(self, payout: Union[NewPayout, Body], *, idempotency_key: Optional[str] = None) -> Payout:
        """Pays somebody. Give the key that you stored with the decision, and it is done once whatever breaks."""
        answer: Payout = self._post("payouts", payout, idempotency_key)
        return answer

    def cancel(self, id: str, *, idempotency_key: Optional[str] = None) -> Payout:
        answer: Payout = self._post(f"payouts/{segment(id)}/cancel", {}, idempotency_key)
        return answer


class BalanceTransactions(_Collection[BalanceTransaction]):
    """The ledger."""

    _path = "balance-transactions"


class Balance:
    def __init__(self, http: SignedInterface) -> None:
        self._http = http

    def get(self) -> List[BalanceOfCurrency]:
        """What the ledger adds up to: `currency`, `available` and `pending`, one item a currency."""
        data: List[BalanceOfCurrency] = self._http.get("/payments/balance")["data"]
        return data


class PaymentWebhooks(_Collection[PaymentWebhook]):
    """Webhooks of payments; `webhooks` are those of records."""

    _path = "webhooks"

    def create(self, webhook: Union[NewPaymentWebhook, Body], *, idempotency_key: Optional[str] = None) -> PaymentWebhookWithSecret:
        """The answer has the `secret`: keep it. One that is sent again with the same key is answered without."""
        answer: PaymentWebhookWithSecret = self._post(self._path, webhook, idempotency_key)
        return answer

    def update(self, id: str, changes: Union[PaymentWebhookChange, Body]) -> PaymentWebhook:
        """Only what is given changes; None for `events` means all."""
        answer: PaymentWebhook = self._http.patch(f"/payments/{self._at(id)}", dict(changes))
        return answer

    def delete(self, id: str) -> None:
        self._http.delete(f"/payments/{self._at(id)}")

    def pause(self, id: str, *, idempotency_key: Optional[str] = None) -> PaymentWebhook:
        """What happens from here on waits, for 30 days, until it is resumed."""
        answer: PaymentWebhook = self._post(self._at(id, "/pause"), {}, idempotency_key)
        return answer

    def resume(self, id: str, *, idempotency_key: Optional[str] = None) -> PaymentWebhook:
        """Sends what waited."""
        answer: PaymentWebhook = self._post(self._at(id, "/resume"), {}, idempotency_key)
        return answer

    def rotate_secret(self, id: str, *, idempotency_key: Optional[str] = None) -> PaymentWebhookWithSecret:
        """A new `secret`; for 24 hours the old one signs as well."""
        answer: PaymentWebhookWithSecret = self._post(self._at(id, "/rotate-secret"), {}, idempotency_key)
        return answer

    def keys(self, id: str) -> KeySet:
        """The key set (JWKS) that verifies what it is sent; `public_key` is the same key."""
        answer: KeySet = self._http.get(f"/payments/{self._at(id, '/keys')}")
        return answer

    def test(self, id: str, *, idempotency_key: Optional[str] = None) -> Dict[str, Any]:
        """Has `webhook.test` sent to it alone."""
        answer: Dict[str, Any] = self._post(self._at(id, "/test"), {}, idempotency_key)
        return answer

    def replay_all(
        self,
        id: str,
        *,
        since: Optional[str] = None,
        failed: bool = False,
        idempotency_key: Optional[str] = None,
    ) -> Replay:
        """Has all of a time sent again, or all that failed, under their ids. `replay_progress` says how far it is."""
        body = {"failed": failed} if since is None else {"failed": failed, "since": since}
        answer: Replay = self._post(self._at(id, "/replay"), body, idempotency_key)
        return answer

    def replay_progress(self, id: str, replay_id: str) -> Replay:
        answer: Replay = self._http.get(f"/payments/{self._at(id)}/replays/{segment(replay_id)}")
        return answer

    def deliveries(self, id: str, **filters: Any) -> Pages:
        return by_cursor(lambda given: self._http.get(f"/payments/{self._at(id)}/deliveries", given), filters)

    def delivery(self, id: str, delivery_id: str) -> PaymentDelivery:
        """One of them, with its attempts. Raises `NotFound`."""
        answer: PaymentDelivery = self._http.get(f"/payments/{self._at(id)}/deliveries/{segment(delivery_id)}")
        return answer

    def replay(self, id: str, delivery_id: str, *, idempotency_key: Optional[str] = None) -> Dict[str, Any]:
        answer: Dict[str, Any] = self._post(self._at(id, f"/deliveries/{segment(delivery_id)}/replay"), {}, idempotency_key)
        return answer

    def _at(self, id: str, rest: str = "") -> str:
        return f"{self._path}/{segment(id)}{rest}"
