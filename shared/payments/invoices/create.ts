// Issuing an invoice: claim, ask the provider, open.
import type { Context } from '../../platform/context.ts';
import { unknownCostCenter } from '../cost-center.ts';
import { type KeyedOutcome, type KeyedRequest, keepSuccess, runKeyed } from '../idempotency.ts';
import { askProvider } from '../providers/ask-provider.ts';
import type { Providers } from '../providers/routing.ts';
import { orderOf } from './provider-order.ts';
import {
  attachTaxDocument,
  beginInvoice,
  type InvoiceRow,
  invoiceSnapshot,
  openInvoice,
  selectByKey,
} from './queries.ts';
import { type InvoiceInput, parseInvoice } from './schema.ts';

const HOUR_SECONDS = 3600;
const DEFAULT_VALIDITY_SECONDS = {
  pix: HOUR_SECONDS,
  boleto: 72 * HOUR_SECONDS,
  bolepix: 72 * HOUR_SECONDS,
  card: 24 * HOUR_SECONDS,
};

/** Seconds that the artifact is payable; cards have their own. */
function validityOf({ payment_method: { type, expires_in_seconds: given } }: InvoiceInput): number {
  const fallback = DEFAULT_VALIDITY_SECONDS[type as keyof typeof DEFAULT_VALIDITY_SECONDS];
  return type === 'card' ? fallback : (given ?? fallback);
}

export async function createInvoice(
  context: Context,
  request: KeyedRequest,
  body: unknown,
  providers: Providers,
): Promise<KeyedOutcome> {
  const { tenantId } = context;
  return await runKeyed(context, request, {
    validate() {
      const input = parseInvoice(body);
      return { input, provider: providers.choose('charge', input.region, input.currency) };
    },
    begin: (sql, { input, provider }, attemptId) => [
      beginInvoice(sql, tenantId, request.key, attemptId, input, provider.name, validityOf(input)),
      selectByKey(sql, tenantId, request.key),
    ],
    async complete(attempt, { input }) {
      const row = attempt.rows[1]?.[0]?.snapshot as InvoiceRow | undefined;
      if (!row) throw unknownCostCenter(input.cost_center);
      const provider = providers.named(row.provider);
      attempt.checkLease();
      const order = orderOf(row);
      const charge = await askProvider(context.log, async (signal) => {
        const placed = attempt.again ? await provider.findCharge(order) : undefined;
        signal.throwIfAborted();
        return placed ?? provider.createCharge(order);
      });
      return await attempt.finish('invoice', (sql) => [
        openInvoice(sql, tenantId, row.id, charge),
        attachTaxDocument(sql, tenantId, row.id),
        keepSuccess(sql, request, 'invoice', invoiceSnapshot(sql, tenantId, row.id)),
      ]);
    },
  });
}
