"""Shapes for type checkers, plain dictionaries otherwise; records in the names of variant A. Made by `npm run clients`."""
from __future__ import annotations

from datetime import datetime
from typing import Any, Dict, List, Literal, Optional, TypedDict, Union


class CollaboratorResult(TypedDict):
    #: Collaborators that were new.
    created: int
    #: Collaborators matched by e-mail and updated.
    existing: int
    #: One message per failed item: `Collaborator <external_id> (<email>): <reason>`.
    errors: List[str]
    #: Items received.
    total: int


class ActivityResult(TypedDict):
    #: Activities recorded.
    processed: int
    #: Activities whose collaborator is not registered.
    skipped: int
    #: Which ones, in the order of the batch.
    skipped_items: List[SkippedItem]
    #: Activities whose external_id was already sent.
    duplicates: int
    #: Empty: an invalid activity refuses the whole request.
    errors: List[str]
    #: Items received.
    total: int


class SkippedItem(TypedDict):
    #: Its place in the batch, from 0.
    index: int
    external_id: str
    #: Why; more reasons may be added.
    reason: Literal["collaborator_not_registered"]


class _CollaboratorRequired(TypedDict):
    #: Id in the caller's system.
    external_id: str
    #: Full name.
    name: str
    #: Matches collaborators and activities; compared without case.
    email: str


class Collaborator(_CollaboratorRequired, total=False):
    #: Any format.
    phone: Optional[str]
    #: Identity document, for example a national tax id.
    document: Optional[str]
    #: Team name.
    team: Optional[str]
    #: Role in the caller's organisation.
    role: Optional[str]
    #: Free key-value data, at most 16 KiB. Replaced whole.
    metadata: Optional[Dict[str, Any]]


class _ActivityRequired(TypedDict):
    #: 001 through 999. Admins decide which mission a code counts for.
    activity_code: str
    #: Deduplication key, unique per tenant.
    external_id: str
    #: E-mail of the collaborator who did the activity.
    collaborator_email: str


class Activity(_ActivityRequired, total=False):
    #: Free-form context, at most 16 KiB.
    data: Optional[Dict[str, Any]]
    #: When it was done; the time of receipt when absent.
    occurred_at: Union[str, datetime, None]


class _InvoiceCustomerRequired(TypedDict):
    country: str
    name: str
    email: str


class InvoiceCustomer(_InvoiceCustomerRequired, total=False):
    tax_id: str
    phone: str


class InvoicePaymentMethodPix(TypedDict):
    qr_code: str
    qr_code_image_url: str
    #: UTC, with milliseconds.
    expires_at: str


class InvoicePaymentMethodBoleto(TypedDict):
    digitable_line: str
    barcode: str
    pdf_url: str
    #: UTC, with milliseconds.
    expires_at: str


class InvoicePaymentMethodCard(TypedDict):
    checkout_url: str
    #: UTC, with milliseconds.
    expires_at: str


class InvoicePaymentMethodAchDebit(TypedDict):
    checkout_url: str
    #: UTC, with milliseconds.
    expires_at: str


class InvoicePaymentMethodSepaDebit(TypedDict):
    checkout_url: str
    #: UTC, with milliseconds.
    expires_at: str


class InvoicePaymentMethodBankTransfer(TypedDict):
    checkout_url: str
    #: UTC, with milliseconds.
    expires_at: str


class _InvoicePaymentMethodRequired(TypedDict):
    type: str


class InvoicePaymentMethod(_InvoicePaymentMethodRequired, total=False):
    pix: InvoicePaymentMethodPix
    boleto: InvoicePaymentMethodBoleto
    card: InvoicePaymentMethodCard
    ach_debit: InvoicePaymentMethodAchDebit
    sepa_debit: InvoicePaymentMethodSepaDebit
    bank_transfer: InvoicePaymentMethodBankTransfer


class InvoiceTaxDocument(TypedDict):
    id: str
    type: str
    status: str
    auto_issue: bool


class Invoice(TypedDict):
    id: str
    status: Literal["open", "paid", "canceled", "failed"]
    #: Minor units. As requested.
    amount: int
    currency: str
    region: str
    customer: InvoiceCustomer
    description: str
    payment_method: InvoicePaymentMethod
    tax_document: Optional[InvoiceTaxDocument]
    cost_center: Optional[str]
    contractor_reference: Optional[str]
    our_number: str
    metadata: Dict[str, str]
    #: Minor units. The provider took it; null until it is paid.
    fee: Optional[int]
    #: Minor units. amount - fee; null until it is paid.
    net: Optional[int]
    #: UTC, with milliseconds.
    paid_at: Optional[str]
    #: Why it failed, if it has.
    failure_reason: Optional[str]
    #: UTC, with milliseconds.
    created: str


class _TaxDocumentRequired(TypedDict):
    id: str
    invoice_id: str
    type: str
    status: Literal["pending", "issued", "failed", "canceled"]
    service_code: str
    metadata: Dict[str, str]
    #: UTC, with milliseconds.
    created: str


class TaxDocument(_TaxDocumentRequired, total=False):
    failure_reason: str
    #: Since when the city is asked to take it back, while it has not decided.
    cancel_requested_at: str
    #: Why the city did not take it back, in its words.
    cancel_error: str
    document_number: str
    xml_url: str
    pdf_url: str
    #: UTC, with milliseconds.
    issued_at: str


class Payout(TypedDict):
    id: str
    status: Literal["created", "incoming_payment_waiting", "processing", "paid", "failed", "canceled"]
    #: Minor units. As requested.
    amount: int
    currency: str
    region: str
    beneficiary: Dict[str, Any]
    purpose: str
    provider: str
    cost_center: Optional[str]
    contractor_reference: Optional[str]
    our_number: str
    metadata: Dict[str, str]
    #: Why it failed, if it has.
    failure_reason: Optional[str]
    #: UTC, with milliseconds.
    created: str


class _NewInvoiceCustomerRequired(TypedDict):
    country: str
    name: str
    email: str


class NewInvoiceCustomer(_NewInvoiceCustomerRequired, total=False):
    #: BR: CPF or CNPJ without punctuation; required with tax_document.
    tax_id: Optional[str]
    #: E.164 recommended.
    phone: Optional[str]


class _NewInvoicePaymentMethodRequired(TypedDict):
    type: Literal["pix", "boleto", "bolepix", "card", "ach_debit", "sepa_debit", "bank_transfer"]


class NewInvoicePaymentMethod(_NewInvoicePaymentMethodRequired, total=False):
    #: pix, boleto, bolepix: validity. Default one hour for pix, three days for the others.
    expires_in_seconds: Optional[int]
    #: Where the payer is sent after a checkout.
    return_url: Optional[str]


class NewInvoiceTaxDocument(TypedDict, total=False):
    auto_issue: Optional[bool]
    type: Optional[Literal["nfse", "nfe", "peppol"]]
    service_code: Optional[str]


class _NewInvoiceRequired(TypedDict):
    customer: NewInvoiceCustomer
    #: Minor units: 12345 is 123.45.
    amount: int
    currency: str
    #: Shown to the payer and in the fiscal document.
    description: str
    payment_method: NewInvoicePaymentMethod


class NewInvoice(_NewInvoiceRequired, total=False):
    tax_document: Optional[NewInvoiceTaxDocument]
    #: Must be registered; the tenant's default when absent.
    cost_center: Optional[str]
    #: The caller's own reference.
    contractor_reference: Optional[str]
    #: At most 50 keys of at most 40 characters, values of at most 500.
    metadata: Optional[Dict[str, str]]


class Cancellation(TypedDict, total=False):
    #: Free text.
    reason: Optional[str]


class _NewTaxDocumentRequired(TypedDict):
    type: Literal["nfse", "nfe", "peppol"]


class NewTaxDocument(_NewTaxDocumentRequired, total=False):
    #: Municipal service code; required for nfse.
    service_code: Optional[str]
    metadata: Optional[Dict[str, str]]


class NewPayoutBeneficiaryAddress(TypedDict, total=False):
    """Some countries and currencies need it."""

    line1: Optional[str]
    city: Optional[str]
    state: Optional[str]
    postal_code: Optional[str]
    country: Optional[str]


class NewPayoutBeneficiaryBankAccount(TypedDict):
    type: Literal["pix"]
    key_type: Literal["cpf", "cnpj", "email", "phone", "evp"]
    key: str


class _NewPayoutBeneficiaryBankAccount2Required(TypedDict):
    type: Literal["bank_transfer"]
    country: str


class NewPayoutBeneficiaryBankAccount2(_NewPayoutBeneficiaryBankAccount2Required, total=False):
    iban: Optional[str]
    account_number: Optional[str]
    routing_number: Optional[str]
    #: checking when absent.
    account_type: Optional[Literal["checking", "savings"]]
    bic: Optional[str]


class _NewPayoutBeneficiaryRequired(TypedDict):
    name: str
    #: BR: CPF or CNPJ without punctuation.
    document: str
    phone: str
    bank_account: Union[NewPayoutBeneficiaryBankAccount, NewPayoutBeneficiaryBankAccount2]


class NewPayoutBeneficiary(_NewPayoutBeneficiaryRequired, total=False):
    #: Receipts are sent there.
    email: Optional[str]
    #: person when absent.
    type: Optional[Literal["person", "business"]]
    #: Some countries and currencies need it.
    address: Optional[NewPayoutBeneficiaryAddress]


class _NewPayoutRequired(TypedDict):
    beneficiary: NewPayoutBeneficiary
    #: Minor units: 12345 is 123.45.
    amount: int
    currency: str
    purpose: Literal["prize", "commission", "vendor_payment", "other"]


class NewPayout(_NewPayoutRequired, total=False):
    #: Must be registered; the tenant's default when absent.
    cost_center: Optional[str]
    #: The caller's own reference.
    contractor_reference: Optional[str]
    #: At most 50 keys of at most 40 characters, values of at most 500.
    metadata: Optional[Dict[str, str]]


class BalanceTransactionSource(TypedDict):
    resource: Literal["invoice", "payout"]
    id: str


class BalanceTransaction(TypedDict):
    id: str
    type: Literal["charge", "payout", "fee", "adjustment"]
    #: Minor units. Money in is positive, money out negative.
    amount: int
    currency: str
    #: Minor units. The provider took it.
    fee: int
    #: Minor units. amount - fee.
    net: int
    available_on: str
    #: UTC, with milliseconds.
    created: str
    source: Optional[BalanceTransactionSource]
    cost_center: Optional[str]
    our_number: Optional[str]
    contractor_reference: Optional[str]
    #: Why the balance was adjusted; null for other entries.
    reason: Optional[str]


class BalanceDataItem(TypedDict):
    currency: str
    #: Minor units. Net of the entries whose available_on has come in the tenant's time zone.
    available: int
    #: Minor units. Net of the entries that settle later.
    pending: int


class Balance(TypedDict):
    data: List[BalanceDataItem]


class _PaymentWebhookWithSecretFiltersItemRequired(TypedDict):
    field: str
    op: Literal["eq", "ne", "gt", "lt", "in", "contains"]


class PaymentWebhookWithSecretFiltersItem(_PaymentWebhookWithSecretFiltersItemRequired, total=False):
    value: Any


class _PaymentWebhookWithSecretRequired(TypedDict):
    id: str
    url: str
    #: null: all that need not be named.
    events: Optional[List[str]]
    #: All hold for what is sent.
    filters: List[PaymentWebhookWithSecretFiltersItem]
    #: Members of which one changed; empty for any.
    changed: List[str]
    ordered: bool
    fold_seconds: Optional[int]
    #: Names of its own headers; their values are never shown.
    header_names: List[str]
    description: Optional[str]
    active: bool
    #: `paused`: what happens is kept for it, for 30 days, until it is resumed. `suspended`: it fails, and one delivery is tried after a while; when it arrives, the others follow. `deactivated`: `active` is false, and what happens is not kept.
    status: Literal["active", "paused", "suspended", "deactivated"]
    #: Verifies `v1a` of `webhook-signature` (Ed25519), with a secret and without: `whpk_` and 32 bytes in base64. null for one that was made in Studio until it is first sent something.
    public_key: Optional[str]
    #: UTC, with milliseconds.
    created_at: str
    #: UTC, with milliseconds.
    updated_at: str


class PaymentWebhookWithSecret(_PaymentWebhookWithSecretRequired, total=False):
    #: Signs deliveries. In the first answer alone: a replay by its Idempotency-Key is without.
    secret: str


class NewPaymentWebhookFiltersItem(TypedDict):
    #: A member of `data`, or a path with dots into one.
    field: str
    op: Literal["eq", "ne", "gt", "lt", "in", "contains"]
    value: Optional[Union[str, float, bool, List[Any], Dict[str, Any]]]


class _NewPaymentWebhookRequired(TypedDict):
    #: HTTPS, without credentials.
    url: str


class NewPaymentWebhook(_NewPaymentWebhookRequired, total=False):
    #: All must hold, as the conditions of automations: `{"field": "source", "op": "eq", "value": "website"}`. In the names that its deliveries have.
    filters: Optional[List[NewPaymentWebhookFiltersItem]]
    #: One of these members must have changed. Events of what was made or deleted are sent anyway.
    changed: Optional[List[str]]
    #: Headers that its deliveries carry, by name. Kept like a secret and never shown; all of them are replaced, and a new `url` without `headers` takes them away.
    headers: Optional[Dict[str, str]]
    #: Sends events of one record in their order: each when those before it were delivered or given up.
    ordered: bool
    #: Folds events of one record and one type that happen within so many seconds of the first into one delivery, at the end of that time: the last event, with what any of them changed. null for a delivery each.
    fold_seconds: Optional[int]
    description: Optional[str]
    #: true when absent.
    active: bool
    #: null, or absent in a new one: all but `invoice.refunded` and `invoice.disputed`, which have to be named.
    events: Optional[List[Literal["invoice.paid", "invoice.canceled", "invoice.failed", "invoice.refunded", "invoice.disputed", "tax_document.issued", "tax_document.failed", "tax_document.canceled", "payout.paid", "payout.failed", "payout.canceled"]]]


class _PaymentWebhookFiltersItemRequired(TypedDict):
    field: str
    op: Literal["eq", "ne", "gt", "lt", "in", "contains"]


class PaymentWebhookFiltersItem(_PaymentWebhookFiltersItemRequired, total=False):
    value: Any


class PaymentWebhook(TypedDict):
    id: str
    url: str
    #: null: all that need not be named.
    events: Optional[List[str]]
    #: All hold for what is sent.
    filters: List[PaymentWebhookFiltersItem]
    #: Members of which one changed; empty for any.
    changed: List[str]
    ordered: bool
    fold_seconds: Optional[int]
    #: Names of its own headers; their values are never shown.
    header_names: List[str]
    description: Optional[str]
    active: bool
    #: `paused`: what happens is kept for it, for 30 days, until it is resumed. `suspended`: it fails, and one delivery is tried after a while; when it arrives, the others follow. `deactivated`: `active` is false, and what happens is not kept.
    status: Literal["active", "paused", "suspended", "deactivated"]
    #: Verifies `v1a` of `webhook-signature` (Ed25519), with a secret and without: `whpk_` and 32 bytes in base64. null for one that was made in Studio until it is first sent something.
    public_key: Optional[str]
    #: UTC, with milliseconds.
    created_at: str
    #: UTC, with milliseconds.
    updated_at: str


class KeySetKeysItem(TypedDict):
    kty: Literal["OKP"]
    crv: Literal["Ed25519"]
    #: The key, in base64url.
    x: str
    use: Literal["sig"]
    alg: Literal["EdDSA"]
    #: Its thumbprint.
    kid: str


class KeySet(TypedDict):
    """A JSON Web Key Set (RFC 7517, RFC 8037)."""

    keys: List[KeySetKeysItem]


class PaymentWebhookChangeFiltersItem(TypedDict):
    #: A member of `data`, or a path with dots into one.
    field: str
    op: Literal["eq", "ne", "gt", "lt", "in", "contains"]
    value: Optional[Union[str, float, bool, List[Any], Dict[str, Any]]]


class PaymentWebhookChange(TypedDict, total=False):
    """`active: true` also forgets earlier failures."""

    #: HTTPS, without credentials.
    url: str
    #: All must hold, as the conditions of automations: `{"field": "source", "op": "eq", "value": "website"}`. In the names that its deliveries have.
    filters: Optional[List[PaymentWebhookChangeFiltersItem]]
    #: One of these members must have changed. Events of what was made or deleted are sent anyway.
    changed: Optional[List[str]]
    #: Headers that its deliveries carry, by name. Kept like a secret and never shown; all of them are replaced, and a new `url` without `headers` takes them away.
    headers: Optional[Dict[str, str]]
    #: Sends events of one record in their order: each when those before it were delivered or given up.
    ordered: bool
    #: Folds events of one record and one type that happen within so many seconds of the first into one delivery, at the end of that time: the last event, with what any of them changed. null for a delivery each.
    fold_seconds: Optional[int]
    description: Optional[str]
    #: true when absent.
    active: bool
    events: Optional[List[Literal["invoice.paid", "invoice.canceled", "invoice.failed", "invoice.refunded", "invoice.disputed", "tax_document.issued", "tax_document.failed", "tax_document.canceled", "payout.paid", "payout.failed", "payout.canceled"]]]


class Replay(TypedDict):
    id: str
    status: Literal["running", "done"]
    #: Deliveries that are sent again.
    total: int
    #: Those of them that were tried since, or given up.
    sent: int


class ReplayRequest(TypedDict, total=False):
    """`since`, or `failed: true`, or both."""

    #: All events from then on that match the webhook and are kept.
    since: str
    #: true: only deliveries that failed, with `since` those of events from then on.
    failed: bool


class PaymentDeliveryAttemptsItem(TypedDict):
    #: UTC, with milliseconds.
    at: str
    #: HTTP status; null when there was no answer.
    status: Optional[int]
    error: Optional[str]
    duration_ms: int


class PaymentDelivery(TypedDict):
    id: str
    event_id: str
    event_type: str
    payload: Dict[str, Any]
    response_status: Optional[int]
    response_time_ms: Optional[int]
    status: Literal["pending", "delivered", "failed"]
    success: bool
    #: Why it is not delivered; null when it is, and before the first attempt.
    error: Optional[str]
    #: The first KiB of the last answer; null without one.
    response_excerpt: Optional[str]
    #: The last 20, in their order.
    attempts: List[PaymentDeliveryAttemptsItem]
    retry_count: int
    #: UTC, with milliseconds.
    created_at: str
    #: UTC, with milliseconds.
    next_attempt_at: Optional[str]


class Lead(TypedDict):
    id: str
    name: str
    email: str
    phone: Optional[str]
    company: Optional[str]
    position: Optional[str]
    source: Optional[str]
    status: Literal["new", "contacted", "qualified", "unqualified", "converted"]
    owner_id: Optional[str]
    team_id: Optional[str]
    custom_fields: Dict[str, Any]
    tags: List[str]
    #: What your client calls it.
    external_id: Optional[str]
    #: UTC, with microseconds.
    created_at: str
    #: UTC, with microseconds.
    updated_at: str


class MergedLead(TypedDict):
    id: str
    name: str
    email: str
    phone: Optional[str]
    company: Optional[str]
    position: Optional[str]
    source: Optional[str]
    status: Literal["new", "contacted", "qualified", "unqualified", "converted"]
    owner_id: Optional[str]
    team_id: Optional[str]
    custom_fields: Dict[str, Any]
    tags: List[str]
    #: What your client calls it.
    external_id: Optional[str]
    #: UTC, with microseconds.
    created_at: str
    #: UTC, with microseconds.
    updated_at: str
    #: The other one, which is gone.
    merged_id: str


class DealStage(TypedDict):
    id: str
    name: str
    probability: int


class Deal(TypedDict):
    id: str
    name: str
    value: float
    stage: DealStage
    status: Literal["open", "won", "lost"]
    contact_name: Optional[str]
    contact_email: Optional[str]
    company: Optional[str]
    owner_id: Optional[str]
    expected_close_date: Optional[str]
    priority: Literal["high", "medium", "low"]
    lead_id: Optional[str]
    custom_fields: Dict[str, Any]
    tags: List[str]
    #: What your client calls it.
    external_id: Optional[str]
    loss_reason: Optional[str]
    #: UTC, with microseconds.
    created_at: str
    #: UTC, with microseconds.
    updated_at: str


class MovedDealStage(TypedDict):
    id: str
    name: str
    probability: int


class MovedDealPreviousStage(TypedDict):
    id: str
    name: str
    probability: int


class MovedDeal(TypedDict):
    id: str
    name: str
    value: float
    stage: MovedDealStage
    status: Literal["open", "won", "lost"]
    contact_name: Optional[str]
    contact_email: Optional[str]
    company: Optional[str]
    owner_id: Optional[str]
    expected_close_date: Optional[str]
    priority: Literal["high", "medium", "low"]
    lead_id: Optional[str]
    custom_fields: Dict[str, Any]
    tags: List[str]
    #: What your client calls it.
    external_id: Optional[str]
    loss_reason: Optional[str]
    #: UTC, with microseconds.
    created_at: str
    #: UTC, with microseconds.
    updated_at: str
    previous_stage: MovedDealPreviousStage


class WonDealStage(TypedDict):
    id: str
    name: str
    probability: int


class WonDealPreviousStage(TypedDict):
    id: str
    name: str
    probability: int


class _WonDealRequired(TypedDict):
    id: str
    name: str
    value: float
    stage: WonDealStage
    status: Literal["open", "won", "lost"]
    contact_name: Optional[str]
    contact_email: Optional[str]
    company: Optional[str]
    owner_id: Optional[str]
    expected_close_date: Optional[str]
    priority: Literal["high", "medium", "low"]
    lead_id: Optional[str]
    custom_fields: Dict[str, Any]
    tags: List[str]
    #: What your client calls it.
    external_id: Optional[str]
    loss_reason: Optional[str]
    #: UTC, with microseconds.
    created_at: str
    #: UTC, with microseconds.
    updated_at: str


class WonDeal(_WonDealRequired, total=False):
    previous_stage: WonDealPreviousStage


class UserTeam(TypedDict):
    id: str
    name: str


class User(TypedDict):
    id: str
    name: str
    email: str
    phone: Optional[str]
    avatar_url: Optional[str]
    role: Literal["admin", "manager", "sales_rep", "viewer"]
    team: Optional[UserTeam]
    status: Literal["active", "invited", "deactivated"]
    ranking_tier: Optional[str]
    total_points: int
    #: What your client calls it.
    external_id: Optional[str]
    #: UTC, with microseconds.
    created_at: str
    #: UTC, with microseconds.
    updated_at: str
    #: UTC, with microseconds.
    last_active_at: Optional[str]


class EarnedBadgeBadge(TypedDict):
    id: str
    name: str
    metric: str
    threshold: float


class EarnedBadge(TypedDict):
    #: Null for a collaborator without a user.
    user_id: Optional[str]
    email: str
    badge: EarnedBadgeBadge
    #: UTC, with microseconds.
    earned_at: str


class CompletedChallengeChallenge(TypedDict):
    id: str
    name: str
    metric: str
    target: float
    #: UTC, with microseconds.
    starts_at: str
    #: UTC, with microseconds.
    ends_at: str
    reward_points: int


class CompletedChallenge(TypedDict):
    #: Null for a collaborator without a user.
    user_id: Optional[str]
    email: str
    challenge: CompletedChallengeChallenge
    #: UTC, with microseconds.
    completed_at: str


RankingChangeChangesItem = TypedDict(
    "RankingChangeChangesItem",
    {"user_id": "str", "from": "Optional[int]", "to": "int"},
    total=False,
)


class RankingChange(TypedDict):
    changes: List[RankingChangeChangesItem]


class WebhookTest(TypedDict):
    webhook_id: str


class _NewLeadRequired(TypedDict):
    name: str
    #: Unique in the workspace, without case.
    email: str


class NewLead(_NewLeadRequired, total=False):
    phone: Optional[str]
    company: Optional[str]
    position: Optional[str]
    #: Where the lead comes from.
    source: Optional[str]
    #: The user it is assigned to.
    owner_id: Optional[str]
    team_id: Optional[str]
    #: Free key-value data, at most 16 KiB. Replaced whole; null empties it.
    custom_fields: Optional[Dict[str, Any]]
    #: At most 50. Replaced whole; null empties it.
    tags: Optional[List[str]]
    #: Your own id of it: unique among yours of the kind, compared with case, seen by your client alone.
    external_id: Optional[str]


class _LeadBatchRequired(TypedDict):
    operations: List[LeadOperation]


class LeadBatch(_LeadBatchRequired, total=False):
    #: false when absent.
    atomic: Optional[bool]


class _LeadOperationItemRequired(TypedDict):
    method: Literal["create"]
    data: NewLead


class LeadOperationItem(_LeadOperationItemRequired, total=False):
    #: What your client calls the record.
    external_id: Optional[str]


class _LeadOperationItem2Required(TypedDict):
    method: Literal["update"]
    data: LeadChange


class LeadOperationItem2(_LeadOperationItem2Required, total=False):
    #: This or `external_id`.
    id: Optional[str]
    #: What your client calls the record.
    external_id: Optional[str]
    #: As the header `If-Match`.
    if_match: Optional[str]


class _LeadOperationItem3Required(TypedDict):
    method: Literal["upsert"]
    #: What your client calls the record.
    external_id: str
    data: Union[NewLead, LeadChange]


class LeadOperationItem3(_LeadOperationItem3Required, total=False):
    #: As the header `If-Match`.
    if_match: Optional[str]


class _LeadOperationItem4Required(TypedDict):
    method: Literal["delete"]


class LeadOperationItem4(_LeadOperationItem4Required, total=False):
    #: This or `external_id`.
    id: Optional[str]
    #: What your client calls the record.
    external_id: Optional[str]
    #: As the header `If-Match`.
    if_match: Optional[str]


LeadOperation = Union["LeadOperationItem", "LeadOperationItem2", "LeadOperationItem3", "LeadOperationItem4"]


class LeadChange(TypedDict, total=False):
    name: str
    #: Unique in the workspace, without case.
    email: str
    phone: Optional[str]
    company: Optional[str]
    position: Optional[str]
    #: Where the lead comes from.
    source: Optional[str]
    #: The user it is assigned to.
    owner_id: Optional[str]
    team_id: Optional[str]
    #: Free key-value data, at most 16 KiB. Replaced whole; null empties it.
    custom_fields: Optional[Dict[str, Any]]
    #: At most 50. Replaced whole; null empties it.
    tags: Optional[List[str]]
    #: Your own id of it: unique among yours of the kind, compared with case, seen by your client alone.
    external_id: Optional[str]
    #: Any but `converted`, which POST /leads/{id}/convert makes.
    status: Literal["new", "contacted", "qualified", "unqualified", "converted"]


class LeadWithHistory(TypedDict):
    id: str
    name: str
    email: str
    phone: Optional[str]
    company: Optional[str]
    position: Optional[str]
    source: Optional[str]
    status: Literal["new", "contacted", "qualified", "unqualified", "converted"]
    owner_id: Optional[str]
    team_id: Optional[str]
    custom_fields: Dict[str, Any]
    tags: List[str]
    #: What your client calls it.
    external_id: Optional[str]
    #: UTC, with microseconds.
    created_at: str
    #: UTC, with microseconds.
    updated_at: str
    #: The newest 100, newest first; GET /leads/{id}/activities has all.
    activities: List[DealActivity]


class DealActivity(TypedDict):
    id: str
    type: Literal["note", "call", "email", "meeting", "task"]
    title: Optional[str]
    description: Optional[str]
    #: UTC, with microseconds.
    date: Optional[str]
    #: UTC, with microseconds.
    due_date: Optional[str]
    duration_minutes: Optional[int]
    deal_id: Optional[str]
    owner_id: Optional[str]
    #: UTC, with microseconds.
    created_at: str


class Converted(TypedDict):
    lead: Lead
    deal: Deal


class Conversion(TypedDict, total=False):
    #: The lead's name when absent.
    deal_name: Optional[str]
    #: 0 when absent.
    deal_value: Optional[float]
    #: The first stage when absent.
    stage_id: Optional[str]
    expected_close_date: Optional[str]


class Merging(TypedDict):
    #: The lead that becomes a part of this one.
    loser_id: str


class _NewDealRequired(TypedDict):
    name: str
    #: In units of the currency: 1250.5 is 1250.50.
    value: float


class NewDeal(_NewDealRequired, total=False):
    #: The first stage when absent.
    stage_id: Optional[str]
    contact_name: Optional[str]
    contact_email: Optional[str]
    company: Optional[str]
    #: The user it is assigned to.
    owner_id: Optional[str]
    expected_close_date: Optional[str]
    priority: Optional[Literal["high", "medium", "low"]]
    #: The lead it comes from.
    lead_id: Optional[str]
    #: Free key-value data, at most 16 KiB. Replaced whole; null empties it.
    custom_fields: Optional[Dict[str, Any]]
    #: At most 50. Replaced whole; null empties it.
    tags: Optional[List[str]]
    #: Your own id of it: unique among yours of the kind, compared with case, seen by your client alone.
    external_id: Optional[str]


class _DealBatchRequired(TypedDict):
    operations: List[DealOperation]


class DealBatch(_DealBatchRequired, total=False):
    #: false when absent.
    atomic: Optional[bool]


class _DealOperationItemRequired(TypedDict):
    method: Literal["create"]
    data: NewDeal


class DealOperationItem(_DealOperationItemRequired, total=False):
    #: What your client calls the record.
    external_id: Optional[str]


class _DealOperationItem2Required(TypedDict):
    method: Literal["update"]
    data: DealChange


class DealOperationItem2(_DealOperationItem2Required, total=False):
    #: This or `external_id`.
    id: Optional[str]
    #: What your client calls the record.
    external_id: Optional[str]
    #: As the header `If-Match`.
    if_match: Optional[str]


class _DealOperationItem3Required(TypedDict):
    method: Literal["upsert"]
    #: What your client calls the record.
    external_id: str
    data: Union[NewDeal, DealChange]


class DealOperationItem3(_DealOperationItem3Required, total=False):
    #: As the header `If-Match`.
    if_match: Optional[str]


class _DealOperationItem4Required(TypedDict):
    method: Literal["delete"]


class DealOperationItem4(_DealOperationItem4Required, total=False):
    #: This or `external_id`.
    id: Optional[str]
    #: What your client calls the record.
    external_id: Optional[str]
    #: As the header `If-Match`.
    if_match: Optional[str]


DealOperation = Union["DealOperationItem", "DealOperationItem2", "DealOperationItem3", "DealOperationItem4"]


class DealChange(TypedDict, total=False):
    """Another stage of an open deal is a move."""

    name: str
    #: In units of the currency: 1250.5 is 1250.50.
    value: float
    #: The first stage when absent.
    stage_id: Optional[str]
    contact_name: Optional[str]
    contact_email: Optional[str]
    company: Optional[str]
    #: The user it is assigned to.
    owner_id: Optional[str]
    expected_close_date: Optional[str]
    priority: Optional[Literal["high", "medium", "low"]]
    #: The lead it comes from.
    lead_id: Optional[str]
    #: Free key-value data, at most 16 KiB. Replaced whole; null empties it.
    custom_fields: Optional[Dict[str, Any]]
    #: At most 50. Replaced whole; null empties it.
    tags: Optional[List[str]]
    #: Your own id of it: unique among yours of the kind, compared with case, seen by your client alone.
    external_id: Optional[str]


class _MoveRequired(TypedDict):
    stage_id: str


class Move(_MoveRequired, total=False):
    note: Optional[str]


class _ClosingRequired(TypedDict):
    result: Literal["won", "lost"]


class Closing(_ClosingRequired, total=False):
    #: For won: becomes the value.
    final_value: Optional[float]
    #: Needed for lost.
    loss_reason: Optional[str]
    note: Optional[str]


class _NewDealActivityRequired(TypedDict):
    type: Literal["note", "call", "email", "meeting", "task"]


class NewDealActivity(_NewDealActivityRequired, total=False):
    title: Optional[str]
    description: Optional[str]
    #: A date, or an ISO 8601 timestamp with an offset.
    date: Optional[str]
    #: A date, or an ISO 8601 timestamp with an offset.
    due_date: Optional[str]
    duration_minutes: Optional[int]


class OpportunityContact(TypedDict):
    name: Optional[str]
    email: Optional[str]
    company: Optional[str]


class Opportunity(TypedDict):
    """A deal as variant B names it."""

    id: str
    name: str
    value: float
    #: Its name.
    stage: str
    stage_id: str
    probability: int
    status: Literal["open", "won", "lost"]
    contact: OpportunityContact
    assigned_to: Optional[str]
    expected_close_date: Optional[str]
    priority: Literal["high", "medium", "low"]
    lead_id: Optional[str]
    custom_fields: Dict[str, Any]
    tags: List[str]
    #: What your client calls it.
    external_id: Optional[str]
    loss_reason: Optional[str]
    #: UTC, with microseconds.
    created_at: str
    #: UTC, with microseconds.
    updated_at: str


class NewOpportunityContact(TypedDict, total=False):
    name: Optional[str]
    email: Optional[str]
    company: Optional[str]


class _NewOpportunityRequired(TypedDict):
    name: str
    #: In units of the currency: 1250.5 is 1250.50.
    value: float
    stage: str


class NewOpportunity(_NewOpportunityRequired, total=False):
    #: The user it is assigned to.
    assigned_to: Optional[str]
    expected_close_date: Optional[str]
    priority: Optional[Literal["high", "medium", "low"]]
    #: The lead it comes from.
    lead_id: Optional[str]
    #: Free key-value data, at most 16 KiB. Replaced whole; null empties it.
    custom_fields: Optional[Dict[str, Any]]
    #: At most 50. Replaced whole; null empties it.
    tags: Optional[List[str]]
    #: Your own id of it: unique among yours of the kind, compared with case, seen by your client alone.
    external_id: Optional[str]
    #: Another name of `stage`.
    pipeline_stage: str
    contact: Optional[NewOpportunityContact]


class _OpportunityBatchRequired(TypedDict):
    operations: List[OpportunityOperation]


class OpportunityBatch(_OpportunityBatchRequired, total=False):
    #: false when absent.
    atomic: Optional[bool]


class _OpportunityOperationItemRequired(TypedDict):
    method: Literal["create"]
    data: NewOpportunity


class OpportunityOperationItem(_OpportunityOperationItemRequired, total=False):
    #: What your client calls the record.
    external_id: Optional[str]


class _OpportunityOperationItem2Required(TypedDict):
    method: Literal["update"]
    data: OpportunityChange


class OpportunityOperationItem2(_OpportunityOperationItem2Required, total=False):
    #: This or `external_id`.
    id: Optional[str]
    #: What your client calls the record.
    external_id: Optional[str]
    #: As the header `If-Match`.
    if_match: Optional[str]


class _OpportunityOperationItem3Required(TypedDict):
    method: Literal["upsert"]
    #: What your client calls the record.
    external_id: str
    data: Union[NewOpportunity, OpportunityChange]


class OpportunityOperationItem3(_OpportunityOperationItem3Required, total=False):
    #: As the header `If-Match`.
    if_match: Optional[str]


class _OpportunityOperationItem4Required(TypedDict):
    method: Literal["delete"]


class OpportunityOperationItem4(_OpportunityOperationItem4Required, total=False):
    #: This or `external_id`.
    id: Optional[str]
    #: What your client calls the record.
    external_id: Optional[str]
    #: As the header `If-Match`.
    if_match: Optional[str]


OpportunityOperation = Union["OpportunityOperationItem", "OpportunityOperationItem2", "OpportunityOperationItem3", "OpportunityOperationItem4"]


class OpportunityChangeContact(TypedDict, total=False):
    name: Optional[str]
    email: Optional[str]
    company: Optional[str]


class OpportunityChange(TypedDict, total=False):
    """Another stage of an open deal is a move."""

    name: str
    #: In units of the currency: 1250.5 is 1250.50.
    value: float
    stage: Optional[str]
    #: The user it is assigned to.
    assigned_to: Optional[str]
    expected_close_date: Optional[str]
    priority: Optional[Literal["high", "medium", "low"]]
    #: The lead it comes from.
    lead_id: Optional[str]
    #: Free key-value data, at most 16 KiB. Replaced whole; null empties it.
    custom_fields: Optional[Dict[str, Any]]
    #: At most 50. Replaced whole; null empties it.
    tags: Optional[List[str]]
    #: Your own id of it: unique among yours of the kind, compared with case, seen by your client alone.
    external_id: Optional[str]
    #: Another name of `stage`.
    pipeline_stage: Optional[str]
    contact: Optional[OpportunityChangeContact]


class OpportunityMoveContact(TypedDict):
    pass


class OpportunityMove(TypedDict, total=False):
    stage_id: str
    stage: Optional[str]
    note: Optional[str]
    #: Another name of `stage`.
    pipeline_stage: Optional[str]
    contact: Optional[OpportunityMoveContact]


class OpportunityClosing(TypedDict, total=False):
    """One of `status` and `result` is needed."""

    status: Literal["won", "lost"]
    #: For won: becomes the value.
    final_value: Optional[float]
    #: Needed for lost.
    loss_reason: Optional[str]
    note: Optional[str]
    #: Another name of `status`.
    result: Literal["won", "lost"]
    #: Another name of `final_value`.
    closed_value: Optional[float]
    #: Another name of `note`.
    close_notes: Optional[str]


class OpportunityActivity(TypedDict):
    id: str
    type: Literal["note", "call", "email", "meeting", "task"]
    title: Optional[str]
    description: Optional[str]
    #: UTC, with microseconds.
    date: Optional[str]
    #: UTC, with microseconds.
    due_date: Optional[str]
    duration_minutes: Optional[int]
    deal_id: Optional[str]
    assigned_to: Optional[str]
    #: UTC, with microseconds.
    created_at: str


class Stage(TypedDict):
    id: str
    name: str
    position: int
    probability: int


class PipelineStage(TypedDict):
    id: str
    name: str
    order: int
    default_probability: int


class _NewActivityRequired(TypedDict):
    type: Literal["note", "call", "email", "meeting", "task"]


class NewActivity(_NewActivityRequired, total=False):
    title: Optional[str]
    description: Optional[str]
    #: A date, or an ISO 8601 timestamp with an offset.
    date: Optional[str]
    #: A date, or an ISO 8601 timestamp with an offset.
    due_date: Optional[str]
    duration_minutes: Optional[int]
    deal_id: Optional[str]


class _ActivityBatchRequired(TypedDict):
    operations: List[ActivityOperation]


class ActivityBatch(_ActivityBatchRequired, total=False):
    #: false when absent.
    atomic: Optional[bool]


class _ActivityOperationRequired(TypedDict):
    method: Literal["create"]
    data: NewActivity


class ActivityOperation(_ActivityOperationRequired, total=False):
    #: What your client calls the record.
    external_id: Optional[str]


class _NewUserRequired(TypedDict):
    name: str
    #: Unique in the workspace, without case. The invitation goes there.
    email: str
    role: Literal["admin", "manager", "sales_rep"]


class NewUser(_NewUserRequired, total=False):
    team_id: Optional[str]
    phone: Optional[str]
    #: Your own id of it: unique among yours of the kind, compared with case, seen by your client alone.
    external_id: Optional[str]


class UserChange(TypedDict, total=False):
    name: str
    phone: Optional[str]
    role: Literal["admin", "manager", "sales_rep"]
    team_id: Optional[str]
    #: Your own id of it: unique among yours of the kind, compared with case, seen by your client alone.
    external_id: Optional[str]


class Statistics(TypedDict):
    user_id: str
    period: str
    points: int
    #: Null for who opted out of rankings.
    ranking_position: Optional[int]
    deals_created: int
    deals_won: int
    deals_lost: int
    revenue_closed: float
    leads_created: int
    leads_qualified: int
    #: Won by won and lost; 0 when nothing was closed.
    conversion_rate: float
    average_deal_size: float
    average_sales_cycle_days: float
    badges_earned: int
    activities_logged: int


class Mission(TypedDict):
    id: str
    name: str
    #: For each completion from here on; earlier entries keep what they had.
    points: int
    #: Activity codes that count for it.
    codes: List[str]
    #: Of everybody, or of the user of `user_id`; void activities do not count.
    completions: int


class Standing(TypedDict):
    #: The same for as many points: 1, 1, 3.
    position: int
    #: Null for a collaborator without a user.
    user_id: Optional[str]
    #: Null for a user whom no CRM sent.
    collaborator_id: Optional[str]
    name: str
    points: int


class Season(TypedDict):
    id: str
    name: str
    #: UTC, with microseconds.
    starts_at: str
    #: This moment and later do not count.
    ends_at: str


class Badge(TypedDict):
    id: str
    name: str
    metric: Literal["points", "missions_completed", "deals_created", "deals_won", "revenue_closed", "leads_created", "leads_qualified", "activities_logged"]
    threshold: float
    #: How many have it.
    earned_by: int


class Challenge(TypedDict):
    id: str
    name: str
    metric: Literal["points", "missions_completed", "deals_created", "deals_won", "revenue_closed", "leads_created", "leads_qualified", "activities_logged"]
    target: float
    #: Null: everything before the end counts.
    starts_at: Optional[str]
    #: This moment and later do not count. Null: it has no end.
    ends_at: Optional[str]
    reward_points: int
    #: Best first.
    progress: List[ChallengeProgress]


class ChallengeProgress(TypedDict):
    #: Null for a collaborator without a user.
    user_id: Optional[str]
    name: str
    value: float
    #: UTC, with microseconds.
    completed_at: Optional[str]


class PointEntry(TypedDict):
    id: int
    #: Negative where points are taken.
    points: int
    reason: Literal["mission_completed", "mission_reverted", "deal_stage_changed", "deal_won", "lead_qualified", "activity_completed", "challenge_completed", "automation", "activity_voided", "adjustment"]
    #: Why an admin adjusted the points, or made the activity void.
    note: Optional[str]
    mission_id: Optional[str]
    #: UTC, with microseconds.
    created_at: str


class BadgeOfUser(TypedDict):
    id: str
    name: str
    metric: Literal["points", "missions_completed", "deals_created", "deals_won", "revenue_closed", "leads_created", "leads_qualified", "activities_logged"]
    threshold: float
    #: How many have it.
    earned_by: int
    #: UTC, with microseconds.
    earned_at: str


class Invitation(TypedDict):
    id: str
    user_id: str
    email: str
    role: Literal["admin", "manager", "sales_rep", "viewer"]
    team_id: Optional[str]
    status: Literal["pending", "accepted", "revoked", "expired"]
    #: UTC, with microseconds.
    invited_at: str
    #: UTC, with microseconds.
    expires_at: str


class Team(TypedDict):
    id: str
    name: str
    leader_id: Optional[str]
    member_count: int
    parent_team_id: Optional[str]
    #: UTC, with microseconds.
    created_at: str
    #: UTC, with microseconds.
    updated_at: str


class _NewTeamRequired(TypedDict):
    name: str


class NewTeam(_NewTeamRequired, total=False):
    leader_id: Optional[str]
    parent_team_id: Optional[str]
    #: Users who become members; each leaves the team they were in.
    member_ids: Optional[List[str]]


class TeamWithMembers(TypedDict):
    id: str
    name: str
    leader_id: Optional[str]
    member_count: int
    parent_team_id: Optional[str]
    #: UTC, with microseconds.
    created_at: str
    #: UTC, with microseconds.
    updated_at: str
    #: The first 100 by name; GET /teams/{id}/members has all.
    members: List[User]


class TeamChange(TypedDict, total=False):
    name: str
    leader_id: Optional[str]
    parent_team_id: Optional[str]


class NewMember(TypedDict):
    user_id: str


class _WebhookFiltersItemRequired(TypedDict):
    field: str
    op: Literal["eq", "ne", "gt", "lt", "in", "contains"]


class WebhookFiltersItem(_WebhookFiltersItemRequired, total=False):
    value: Any


class _WebhookRequired(TypedDict):
    id: str
    url: str
    events: List[str]
    #: All hold for what is sent.
    filters: List[WebhookFiltersItem]
    #: Members of which one changed; empty for any.
    changed: List[str]
    ordered: bool
    fold_seconds: Optional[int]
    #: Names of its own headers; their values are never shown.
    header_names: List[str]
    description: Optional[str]
    active: bool
    #: `paused`: what happens is kept for it, for 30 days, until it is resumed. `suspended`: it fails, and one delivery is tried after a while; when it arrives, the others follow. `deactivated`: `active` is false, and what happens is not kept.
    status: Literal["active", "paused", "suspended", "deactivated"]
    #: Verifies `v1a` of `webhook-signature` (Ed25519), with a secret and without: `whpk_` and 32 bytes in base64. null for one that was made in Studio until it is first sent something.
    public_key: Optional[str]
    #: UTC, with microseconds.
    created_at: str
    #: UTC, with microseconds.
    updated_at: str


class Webhook(_WebhookRequired, total=False):
    #: In the answer to the creation, and to a change that had one made; nowhere else.
    secret: str


class NewWebhookFiltersItem(TypedDict):
    #: A member of `data`, or a path with dots into one.
    field: str
    op: Literal["eq", "ne", "gt", "lt", "in", "contains"]
    value: Optional[Union[str, float, bool, List[Any], Dict[str, Any]]]


class _NewWebhookRequired(TypedDict):
    #: HTTPS, without credentials.
    url: str
    events: List[Literal["deal.created", "deal.updated", "deal.stage_changed", "deal.won", "deal.lost", "deal.deleted", "lead.created", "lead.updated", "lead.status_changed", "lead.converted", "lead.merged", "lead.deleted", "user.created", "user.activated", "user.updated", "user.deactivated", "badge.earned", "challenge.completed", "ranking.changed"]]


class NewWebhook(_NewWebhookRequired, total=False):
    """Without `secret` deliveries are unsigned; `"secret": "generate"` has one made and shows it once."""

    #: Signs deliveries. `generate` has one made: `whsec_` and 24 random bytes in base64, as the libraries of Standard Webhooks take it. Shown in the answer that it was set by, and never again. Without one, which is what null and leaving it out mean, deliveries are unsigned: whoever knows the address can send the receiver anything, and it cannot tell.
    secret: Optional[str]
    #: All must hold, as the conditions of automations: `{"field": "source", "op": "eq", "value": "website"}`. In the names that its deliveries have.
    filters: Optional[List[NewWebhookFiltersItem]]
    #: One of these members must have changed. Events of what was made or deleted are sent anyway.
    changed: Optional[List[str]]
    #: Headers that its deliveries carry, by name. Kept like a secret and never shown; all of them are replaced, and a new `url` without `headers` takes them away.
    headers: Optional[Dict[str, str]]
    #: Sends events of one record in their order: each when those before it were delivered or given up.
    ordered: bool
    #: Folds events of one record and one type that happen within so many seconds of the first into one delivery, at the end of that time: the last event, with what any of them changed. null for a delivery each.
    fold_seconds: Optional[int]
    description: Optional[str]
    #: true when absent.
    active: bool


class WebhookChangeFiltersItem(TypedDict):
    #: A member of `data`, or a path with dots into one.
    field: str
    op: Literal["eq", "ne", "gt", "lt", "in", "contains"]
    value: Optional[Union[str, float, bool, List[Any], Dict[str, Any]]]


class WebhookChange(TypedDict, total=False):
    """`active: true` also forgets earlier failures. All but `description` needs the read scopes of the events that the webhook has and is to have."""

    #: HTTPS, without credentials.
    url: str
    events: List[Literal["deal.created", "deal.updated", "deal.stage_changed", "deal.won", "deal.lost", "deal.deleted", "lead.created", "lead.updated", "lead.status_changed", "lead.converted", "lead.merged", "lead.deleted", "user.created", "user.activated", "user.updated", "user.deactivated", "badge.earned", "challenge.completed", "ranking.changed"]]
    #: Signs deliveries. `generate` has one made: `whsec_` and 24 random bytes in base64, as the libraries of Standard Webhooks take it. Shown in the answer that it was set by, and never again. Without one, which is what null and leaving it out mean, deliveries are unsigned: whoever knows the address can send the receiver anything, and it cannot tell.
    secret: Optional[str]
    #: All must hold, as the conditions of automations: `{"field": "source", "op": "eq", "value": "website"}`. In the names that its deliveries have.
    filters: Optional[List[WebhookChangeFiltersItem]]
    #: One of these members must have changed. Events of what was made or deleted are sent anyway.
    changed: Optional[List[str]]
    #: Headers that its deliveries carry, by name. Kept like a secret and never shown; all of them are replaced, and a new `url` without `headers` takes them away.
    headers: Optional[Dict[str, str]]
    #: Sends events of one record in their order: each when those before it were delivered or given up.
    ordered: bool
    #: Folds events of one record and one type that happen within so many seconds of the first into one delivery, at the end of that time: the last event, with what any of them changed. null for a delivery each.
    fold_seconds: Optional[int]
    description: Optional[str]
    #: true when absent.
    active: bool


class DeliveryAttemptsItem(TypedDict):
    #: UTC, with microseconds.
    at: str
    #: HTTP status; null when there was no answer.
    status: Optional[int]
    error: Optional[str]
    duration_ms: int


class Delivery(TypedDict):
    id: str
    event_id: str
    event_type: str
    payload: Dict[str, Any]
    response_status: Optional[int]
    response_time_ms: Optional[int]
    status: Literal["pending", "delivered", "failed"]
    success: bool
    #: Why it is not delivered; null when it is, and before the first attempt.
    error: Optional[str]
    #: The first KiB of the last answer; null without one.
    response_excerpt: Optional[str]
    #: The last 20, in their order.
    attempts: List[DeliveryAttemptsItem]
    retry_count: int
    #: UTC, with microseconds.
    created_at: str
    #: UTC, with microseconds.
    next_attempt_at: Optional[str]
