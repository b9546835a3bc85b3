// Issuing an invoice: begin it, have the provider take the charge, open it.
import type { Context } from '../../platform/context.ts';
import { unknownCostCenter } from '../domain-errors.ts';
import { idempotentSteps } from '../idempotency.ts';
import { askProvider } from '../providers/ask-provider.ts';
import type { Providers } from '../providers/routing.ts';
import { chargeOrderOf } from './provider-order.ts';
import {
  insertInvoice,
  insertWaitingTaxDocument,
  openInvoice,
  selectInvoice,
  selectInvoiceOfKey,
} from './queries.ts';
import type { InvoiceInput } from './schema.ts';

const HOUR_SECONDS = 3600;
const DEFAULT_VALIDITY_SECONDS = {
  pix: HOUR_SECONDS,
  boleto: 72 * HOUR_SECONDS,
  bolepix: 72 * HOUR_SECONDS,
};
const CARD_VALIDITY_SECONDS = 24 * HOUR_SECONDS;

/** Seconds that the artifact is payable; cards have their own. */
function validityOf({ payment_method: { type, expires_in_seconds: given } }: InvoiceInput): number {
  if (type === 'card') return CARD_VALIDITY_SECONDS;
  return given ?? DEFAULT_VALIDITY_SECONDS[type];
}

/** Throws `provider_not_configured` where nobody takes it; its steps `unknown_cost_center` and `provider_error`. */
export function createInvoice({ tenantId }: Context, input: InvoiceInput, providers: Providers) {
  const provider = providers.choose('charge', input.region, input.currency);
  return idempotentSteps({
    kind: 'invoice',
    begin: (sql, claim) => [
      insertInvoice(sql, claim, input, provider.name, validityOf(input)),
      selectInvoiceOfKey(sql, claim),
    ],
    async ask([, [begun]], { again, log, checkLease }) {
      if (!begun) throw unknownCostCenter(input.cost_center);
      const order = chargeOrderOf(begun.snapshot);
      // The one that an earlier attempt chose.
      const chosen = providers.named(begun.snapshot.provider);
      checkLease();
      const charge = await askProvider(log, async (signal) => {
        const placed = again ? await chosen.findCharge(order) : undefined;
        signal.throwIfAborted();
        return placed ?? chosen.createCharge(order);
      });
      return { id: begun.snapshot.id, charge };
    },
    complete: (sql, { id, charge }) => [
      ...openInvoice(sql, tenantId, id, charge),
      insertWaitingTaxDocument(sql, tenantId, id),
    ],
    snapshot: (sql, { id }) => selectInvoice(sql, tenantId, id),
  });
}
