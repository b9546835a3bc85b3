// What the operations on payment webhooks and on their deliveries share.
import { type Paging, selectSummary } from '../../../shared/administration/statements.ts';
import type { Completed } from '../../../shared/payments/idempotency/with-idempotency-key.ts';
import { serializeSnapshot } from '../../../shared/payments/snapshots.ts';
import type { LocalAttempt } from '../../../shared/payments/webhooks/writes.ts';
import type { Context } from '../../../shared/platform/access/context.ts';
import { oneRow } from '../../../shared/platform/db/database.ts';
import type { ListQuery } from '../../../shared/records/list.ts';
import { versionOf } from '../../../shared/records/versions.ts';
import type { WebhookRecord } from '../../../shared/webhooks/management/queries.ts';
import type { AdminResult } from './operation.ts';

export const reads = {
  role: 'payments',
  method: 'get',
  scopes: ['read:payments', 'manage:payments'],
} as const;
export const byTime = { sorts: ['created_at'], searchable: false } as const;
export const writeAccess = { role: 'payments', scopes: ['manage:payments'] } as const;

/** The page of a list, in the format of `readList`. */
export const listQuery = ({ limit, offset, descending }: Paging): ListQuery => ({
  page: offset / limit + 1,
  perPage: limit,
  sort: 'created_at',
  descending,
  conditions: [],
});

/** Runs an operation of payments in one transaction, without a key of payments; the endpoint has one. */
export async function runOnce(
  context: Context,
  functionsUrl: string,
  run: (attempt: LocalAttempt) => Promise<Completed>,
): Promise<AdminResult> {
  let summary = '';
  const attempt: LocalAttempt = {
    begin: async () => {},
    async complete(effect, { kind, snapshot, once, status = 200 }) {
      const rows = await context.write((sql) => ({
        effect: effect(sql),
        snapshot: snapshot(sql),
        summary: selectSummary(sql),
      }));
      summary = oneRow(rows.summary).summary;
      return { status, snapshot: { kind, row: oneRow(rows.snapshot).snapshot }, once };
    },
  };
  const { snapshot, once } = await run(attempt);
  return {
    ...(snapshot.kind === 'webhook' && { version: versionOf(snapshot.row as WebhookRecord) }),
    record: { ...serializeSnapshot(snapshot, functionsUrl), ...once },
    summary,
  };
}
