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
