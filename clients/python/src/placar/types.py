"""Shapes for type checkers; plain dictionaries otherwise."""
from __future__ import annotations

from typing import Any, Dict, Optional, TypedDict


class _ActivityRequired(TypedDict):
    activity_code: str
    external_id: str
    collaborator_email: str


class Activity(_ActivityRequired, total=False):
    """One thing that somebody did, as activity sync takes it."""

    #: With seconds and an offset, or `Z`; a `datetime` with a time zone is written so.
    occurred_at: Any
    data: Dict[str, Any]


class _CollaboratorRequired(TypedDict):
    external_id: str
    name: str
    email: str


class Collaborator(_CollaboratorRequired, total=False):
    phone: Optional[str]
    document: Optional[str]
    team: Optional[str]
    role: Optional[str]
    metadata: Optional[Dict[str, Any]]


class _CustomerRequired(TypedDict):
    country: str
    tax_id: str
    name: str


class Customer(_CustomerRequired, total=False):
    email: str


class PaymentMethod(TypedDict, total=False):
    type: str
    expires_in_seconds: int


class _InvoiceRequired(TypedDict):
    customer: Customer
    #: In minor units.
    amount: int
    currency: str
    payment_method: PaymentMethod


class NewInvoice(_InvoiceRequired, total=False):
    description: str
    cost_center: str
    contractor_reference: str
    tax_document: Dict[str, Any]
    metadata: Dict[str, Any]
