// Resources as they are stored with answers and events, and shown: one form for GET, webhooks and replays.
import type { WebhookRecord } from '../webhooks/management/queries.ts';
import type { Replay, ReplayResponse, TestResponse } from '../webhooks/management/schema.ts';
import type { Snapshot, SnapshotKind } from './idempotency/queries.ts';
import { type InvoiceSnapshot, serializeInvoice } from './invoices/serialize.ts';
import { type PayoutRow, serializePayout } from './payouts/serialize.ts';
import { serializeTaxDocument, type TaxDocumentRow } from './tax-documents/serialize.ts';
import { serializeWebhook } from './webhooks/serialize.ts';

/** The row of each kind. */
interface SnapshotRows {
  invoice: InvoiceSnapshot;
  payout: PayoutRow;
  tax_document: TaxDocumentRow;
  webhook: WebhookRecord;
  webhook_test: TestResponse;
  webhook_replay: ReplayResponse;
  replay: Replay;
}
type TypedSnapshot = { [K in SnapshotKind]: { kind: K; row: SnapshotRows[K] } }[SnapshotKind];

/** As callers see it. `functionsUrl` is the public address below which the payer's files open. */
export function serializeSnapshot(stored: Snapshot, functionsUrl: string): object {
  // Stored by the operations of that kind.
  const snapshot = stored as TypedSnapshot;
  switch (snapshot.kind) {
    case 'invoice':
      return serializeInvoice(snapshot.row, functionsUrl);
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

/** `data` of an event, which has the snapshot of what its type begins with. */
export function serializeEventData(type: string, data: unknown, functionsUrl: string): object {
  // Of no resource: it has the webhook's id.
  if (type === 'webhook.test') return data as object;
  const [kind] = type.split('.');
  // Written by the triggers of that resource.
  return serializeSnapshot({ kind, row: data } as Snapshot, functionsUrl);
}
