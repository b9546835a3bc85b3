// The payer of the sandbox pays: the provider is told, and its notification comes back as any other would.
import type { Context } from '../../platform/context.ts';
import type { Database } from '../../platform/db/database.ts';
import { ApiError } from '../../platform/errors.ts';
import type { Queue } from '../../platform/jobs/publish.ts';
import { type KeyedOutcome, type KeyedRequest, keepSuccess, runKeyed } from '../idempotency.ts';
import { notFound } from '../not-found.ts';
import { receiveNotification } from '../notifications.ts';
import { SANDBOX, type SandboxControls } from '../providers/sandbox.ts';
import { parseReason } from '../reason.ts';
import { type InvoiceRow, invoiceSnapshot } from './queries.ts';

interface Tools {
  sandbox: SandboxControls;
  database: Database;
  queue: Queue;
}

export async function payInSandbox(
  context: Context,
  request: KeyedRequest,
  id: string,
  body: unknown,
  tools: Tools,
): Promise<KeyedOutcome> {
  const { tenantId, log } = context;
  const { sandbox, database, queue } = tools;
  return await runKeyed(context, request, {
    validate: () => parseReason(body),
    begin: (sql) => [invoiceSnapshot(sql, tenantId, id)],
    async complete(attempt) {
      const row = attempt.rows[0]?.[0]?.snapshot as InvoiceRow | undefined;
      if (!row) throw notFound('invoice');
      const paidBefore = attempt.again && row.status === 'paid';
      if (!paidBefore) {
        if (row.status !== 'open') throw notPayable(row.status);
        const { paidNow, notifications } = await sandbox.pay(id);
        // Only a retry may find its own payment; anybody else came too late.
        if (!paidNow && !(attempt.again && notifications.length > 0)) throw notPayable('settled');
        await Promise.all(
          notifications.map((one) => receiveNotification(SANDBOX, one, { database, queue, log })),
        );
      }
      return await attempt.finish('invoice', (sql) => [
        keepSuccess(sql, request, 'invoice', invoiceSnapshot(sql, tenantId, id)),
      ]);
    },
  });
}

function notPayable(status: string): ApiError {
  return new ApiError('invoice_not_payable', `The invoice is ${status}; only an open one can be paid.`);
}
