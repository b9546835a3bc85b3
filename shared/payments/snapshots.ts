// Serializes stored resources: GET responses, webhooks and replays share one format.
import type { WebhookRecord } from '../webhooks/management/queries.ts';
import type { Replay, ReplayResponse, TestResponse } from '../webhooks/management/schema.ts';
import type { Snapshot, SnapshotKind } from './idempotency/queries.ts';
import type { InvoiceSnapshot } from './invoices/queries.ts';
import { serializeInvoice } from './invoices/serialize.ts';
import type { PayoutRow } from './payouts/queries.ts';
import { serializePayout } from './payouts/serialize.ts';
import type { RefundSnapshot } from './refunds/queries.ts';
import { serializeRefund } from './refunds/serialize.ts';
import type { TaxDocumentRow } from './tax-documents/queries.ts';
import { serializeTaxDocument } from './tax-documents/serialize.ts';
import { serializeWebhook } from './webhooks/serialize.ts';

/** The row type of each kind. */
interface SnapshotRows {
  invoice: InvoiceSnapshot;
  refund: RefundSnapshot;
  payout: PayoutRow;
  tax_document: TaxDocumentRow;
  webhook: WebhookRecord;
  webhook_test: TestResponse;
  webhook_replay: ReplayResponse;
  replay: Replay;
}
type TypedSnapshot = { [K in SnapshotKind]: { kind: K; row: SnapshotRows[K] } }[SnapshotKind];

/** Serializes a snapshot for callers. `functionsUrl` is the public base URL of the payer's files. */
export function serializeSnapshot(stored: Snapshot, functionsUrl: string): object {
  // Each kind is stored only by its own operation, so the row has the type of its kind.
  const snapshot = stored as TypedSnapshot;
  switch (snapshot.kind) {
    case 'invoice':
      return serializeInvoice(snapshot.row, functionsUrl);
    case 'refund':
      return serializeRefund(snapshot.row);
    case 'payout':
      return serializePayout(snapshot.row);
    case 'tax_document':
      return serializeTaxDocument(snapshot.row, functionsUrl);
    case 'webhook':
      return serializeWebhook(snapshot.row);
    case 'webhook_test':
    case 'webhook_replay':
    case 'replay':
      return snapshot.row;
  }
}

/** Serializes `data` of an event. The event type begins with the kind of the snapshot. */
export function serializeEventData(type: string, data: unknown, functionsUrl: string): object {
  // A test event has no resource, only the webhook's id.
  if (type === 'webhook.test') return data as object;
  const kind = type.startsWith('invoice.refund.') ? 'refund' : type.split('.')[0];
  // The resource's own triggers stored the data, so it has the type of its kind.
  return serializeSnapshot({ kind, row: data } as Snapshot, functionsUrl);
}
