"""Payments: invoices, refunds, tax documents, payouts, the ledger and the balance."""
from __future__ import annotations

from typing import Any, Dict, Generic, List, Mapping, Optional, TypeVar, Union

from ._interfaces import SignedInterface, segment
from .pages import Pages, by_cursor
from .types import (BalanceTransaction, Cancellation, CapabilitiesDataItem, Invoice, KeySet, NewInvoice, NewPaymentWebhook, NewPayout,
                    NewTaxDocument, PaymentDelivery, PaymentWebhook, PaymentWebhookChange, PaymentWebhookWithSecret, Payout, Refund,
                    RefundRequest, Replay, TaxDocument)
from .types import BalanceDataItem as BalanceOfCurrency

Item = TypeVar("Item")
Body = Mapping[str, Any]

#: Filters whose API names are not valid Python names.
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
        """Fetches one by id. Raises `NotFound`."""
        answer: Item = self._http.get(f"/payments/{self._path}/{segment(id)}")
        return answer

    def list(self, **filters: Any) -> Pages:
        """All matches, newest first. Write `created[gte]` as `created_gte=`, and so on."""
        parameters = {_RENAMED.get(name, name): value for name, value in filters.items()}
        return by_cursor(lambda given: self._http.get(f"/payments/{self._path}", given), parameters)

    def _post(self, path: str, body: Body, idempotency_key: Optional[str]) -> Any:
        return self._http.post_once(f"/payments/{path}", dict(body), idempotency_key)


class Invoices(_Collection[Invoice]):
    _path = "invoices"

    def create(self, invoice: Union[NewInvoice, Body], *, idempotency_key: Optional[str] = None) -> Invoice:
        """Creates an invoice. Pass the key that you stored with the decision, so that repeated calls create it once."""
        answer: Invoice = self._post("invoices", invoice, idempotency_key)
        return answer

    def cancel(self, id: str, *, idempotency_key: Optional[str] = None) -> Invoice:
        answer: Invoice = self._post(f"invoices/{segment(id)}/cancel", {}, idempotency_key)
        return answer

    def refund(
        self, id: str, refund: Union[RefundRequest, Body, None] = None, *, idempotency_key: Optional[str] = None
    ) -> Refund:
        """Refunds all that is left, or `amount`. Pass the key that you stored with the decision."""
        answer: Refund = self._post(f"invoices/{segment(id)}/refunds", refund or {}, idempotency_key)
        return answer

    def get_refund(self, id: str, refund_id: str) -> Refund:
        answer: Refund = self._http.get(f"/payments/invoices/{segment(id)}/refunds/{segment(refund_id)}")
        return answer

    def list_refunds(self, id: str, **filters: Any) -> Pages:
        """The refunds of an invoice, newest first."""
        return by_cursor(lambda given: self._http.get(f"/payments/invoices/{segment(id)}/refunds", given), filters)

    def request_tax_document(
        self, id: str, document: Union[NewTaxDocument, Body], *, idempotency_key: Optional[str] = None
    ) -> TaxDocument:
        """Requests an NFS-e. It is issued later."""
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
        """Pays as the sandbox payer, if payments use the sandbox."""
        answer: Invoice = self._post(f"sandbox/invoices/{segment(id)}/pay", {}, idempotency_key)
        return answer

    def dispute_in_sandbox(self, id: str, outcome: Optional[str] = None, *, idempotency_key: Optional[str] = None) -> Invoice:
        """Disputes a paid invoice as the sandbox payer, or ends the dispute: `won`, `lost`, or None to leave it open."""
        answer: Invoice = self._post(f"sandbox/invoices/{segment(id)}/dispute", {"outcome": outcome}, idempotency_key)
        return answer

    def settle_refund_in_sandbox(self, refund_id: str, *, idempotency_key: Optional[str] = None) -> Refund:
        """Completes the refund of a boleto as the sandbox payer."""
        answer: Refund = self._post(f"sandbox/refunds/{segment(refund_id)}/settle", {}, idempotency_key)
        return answer


class Payouts(_Collection[Payout]):
    _path = "payouts"

    def create(self, payout: Union[NewPayout, Body], *, idempotency_key: Optional[str] = None) -> Payout:
        """Creates a payout. Pass the key that you stored with the decision, so that repeated calls create it once."""
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
        """Totals of the ledger: one item per `currency`, with `available` and `pending`."""
        data: List[BalanceOfCurrency] = self._http.get("/payments/balance")["data"]
        return data


class PaymentCapabilities:
    def __init__(self, http: SignedInterface) -> None:
        self._http = http

    def list(self) -> List[CapabilitiesDataItem]:
        """What can be charged, paid out and issued: one item per kind, region, currency and method."""
        data: List[CapabilitiesDataItem] = self._http.get("/payments/capabilities")["data"]
        return data


class PaymentWebhooks(_Collection[PaymentWebhook]):
    """Webhooks of payments. `webhooks` has those of records."""

    _path = "webhooks"

    def create(self, webhook: Union[NewPaymentWebhook, Body], *, idempotency_key: Optional[str] = None) -> PaymentWebhookWithSecret:
        """The response contains the `secret`: store it. A repetition with the same key does not contain it."""
        answer: PaymentWebhookWithSecret = self._post(self._path, webhook, idempotency_key)
        return answer

    def update(self, id: str, changes: Union[PaymentWebhookChange, Body]) -> PaymentWebhook:
        """Changes only the given members. None for `events` means all events."""
        answer: PaymentWebhook = self._http.patch(f"/payments/{self._at(id)}", dict(changes))
        return answer

    def delete(self, id: str) -> None:
        self._http.delete(f"/payments/{self._at(id)}")

    def pause(self, id: str, *, idempotency_key: Optional[str] = None) -> PaymentWebhook:
        """Holds new events back, for up to 30 days, until `resume`."""
        answer: PaymentWebhook = self._post(self._at(id, "/pause"), {}, idempotency_key)
        return answer

    def resume(self, id: str, *, idempotency_key: Optional[str] = None) -> PaymentWebhook:
        """Resumes deliveries, including the events that were held back."""
        answer: PaymentWebhook = self._post(self._at(id, "/resume"), {}, idempotency_key)
        return answer

    def rotate_secret(self, id: str, *, idempotency_key: Optional[str] = None) -> PaymentWebhookWithSecret:
        """Creates a new `secret`. The old one also signs for 24 hours."""
        answer: PaymentWebhookWithSecret = self._post(self._at(id, "/rotate-secret"), {}, idempotency_key)
        return answer

    def keys(self, id: str) -> KeySet:
        """The key set (JWKS) that verifies deliveries; `public_key` is the same key."""
        answer: KeySet = self._http.get(f"/payments/{self._at(id, '/keys')}")
        return answer

    def test(self, id: str, *, idempotency_key: Optional[str] = None) -> Dict[str, Any]:
        """Sends `webhook.test` to this webhook only."""
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
        """Sends all deliveries of a period, or all failed ones, again with their ids. See `replay_progress` for the progress."""
        body = {"failed": failed} if since is None else {"failed": failed, "since": since}
        answer: Replay = self._post(self._at(id, "/replay"), body, idempotency_key)
        return answer

    def replay_progress(self, id: str, replay_id: str) -> Replay:
        answer: Replay = self._http.get(f"/payments/{self._at(id)}/replays/{segment(replay_id)}")
        return answer

    def deliveries(self, id: str, **filters: Any) -> Pages:
        return by_cursor(lambda given: self._http.get(f"/payments/{self._at(id)}/deliveries", given), filters)

    def delivery(self, id: str, delivery_id: str) -> PaymentDelivery:
        """Fetches one delivery with its attempts. Raises `NotFound`."""
        answer: PaymentDelivery = self._http.get(f"/payments/{self._at(id)}/deliveries/{segment(delivery_id)}")
        return answer

    def replay(self, id: str, delivery_id: str, *, idempotency_key: Optional[str] = None) -> Dict[str, Any]:
        answer: Dict[str, Any] = self._post(self._at(id, f"/deliveries/{segment(delivery_id)}/replay"), {}, idempotency_key)
        return answer

    def _at(self, id: str, rest: str = "") -> str:
        return f"{self._path}/{segment(id)}{rest}"
