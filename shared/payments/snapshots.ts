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

const unchanged = <R>(row: R): R => row;

const serializers: { [K in SnapshotKind]: (row: SnapshotRows[K], functionsUrl: string) => object } = {
  invoice: serializeInvoice,
  refund: serializeRefund,
  payout: serializePayout,
  tax_document: serializeTaxDocument,
  webhook: serializeWebhook,
  webhook_test: unchanged,
  webhook_replay: unchanged,
  replay: unchanged,
};

/** Serializes a snapshot for callers. `functionsUrl` is the public base URL of the payer's files. */
export function serializeSnapshot({ kind, row }: Snapshot, functionsUrl: string): object {
  // Each kind is stored only by its own operation, so the row has the type of its kind.
  const serialize = serializers[kind] as (row: object, functionsUrl: string) => object;
  return serialize(row, functionsUrl);
}

/** Serializes `data` of an event. The event type begins with the kind of the snapshot. */
export function serializeEventData(type: string, data: unknown, functionsUrl: string): object {
  // A test event has no resource, only the webhook's id.
  if (type === 'webhook.test') return data as object;
  const kind = type.startsWith('invoice.refund.') ? 'refund' : type.split('.')[0];
  // The resource's own triggers stored the data, so it has the type of its kind.
  return serializeSnapshot({ kind, row: data } as Snapshot, functionsUrl);
}
