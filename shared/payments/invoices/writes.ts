// Creates invoices: insert the row, create the charge at the provider, open the invoice. Loaded lazily to keep cold starts short.
import type { Context } from '../../platform/access/context.ts';
import type { ErrorDetail } from '../../platform/errors.ts';
import { endOfDay } from '../formats/sao-paulo.ts';
import type { Attempt, Completed } from '../idempotency/with-idempotency-key.ts';
import { afterFailedOrder } from '../orders/after-failure.ts';
import { applyOrderReport } from '../orders/queries.ts';
import type { PaymentMethod } from '../providers/charge-port.ts';
import { lastDayOf } from '../providers/due-terms.ts';
import { InvalidOrder } from '../providers/errors.ts';
import { chargesOf, type Providers } from '../providers/provider.ts';
import { amountErrors, problemOf, recordAnsweredOrder } from '../providers/routing.ts';
import { invalidFields, unknownCostCenter } from '../requests/errors.ts';
import { taxOrderErrors } from '../tax-documents/order.ts';
import { dueTermsOf } from './due-terms.ts';
import { chargeOrderOf } from './order.ts';
import {
  checkInvoice,
  type InvoiceCheck,
  type InvoiceExpiry,
  insertInvoice,
  insertWaitingTaxDocument,
  openInvoice,
  selectInvoice,
  selectInvoiceOfKey,
} from './queries.ts';
import type { InvoiceDraft, InvoiceInput, InvoiceRequest } from './schema.ts';

export { parseReason } from '../requests/fields.ts';
export { cancelInvoice } from './cancel.ts';
export { parseInvoice } from './schema.ts';

/** The path in the request of each member that a tax document may lack. */
const PATHS = { taxes: 'tax_document.taxes', address: 'customer.address' };

const HOUR_SECONDS = 3600;
const DEFAULT_VALIDITY_SECONDS: Readonly<Record<PaymentMethod, number>> = {
  pix: HOUR_SECONDS,
  boleto: 72 * HOUR_SECONDS,
  bolepix: 72 * HOUR_SECONDS,
  card: 24 * HOUR_SECONDS,
  ach_debit: 24 * HOUR_SECONDS,
  sepa_debit: 24 * HOUR_SECONDS,
  bank_transfer: 24 * HOUR_SECONDS,
};

/** When the invoice expires: at the end of its last day, or after its validity in seconds. */
function expiryOf({ payment_method: method }: InvoiceInput): InvoiceExpiry {
  const terms = dueTermsOf(method);
  return terms
    ? { at: endOfDay(lastDayOf(terms)) }
    : { inSeconds: method.expires_in_seconds ?? DEFAULT_VALIDITY_SECONDS[method.type] };
}

/** The faults of an invoice that depend on its account and the tenant's rules. */
const checkErrors = (check: InvoiceCheck, { customer }: InvoiceDraft): ErrorDetail[] => [
  ...amountErrors(check),
  ...(check.due_faults ?? []),
  ...(check.tax_order ? taxOrderErrors(check.tax_order, customer?.address, PATHS) : []),
];

/** Throws `provider_not_configured`, `unknown_cost_center`, `validation` and `provider_error`. */
export async function createInvoice(
  { tenantId }: Context,
  attempt: Attempt,
  { input, draft, dueDateErrors, errors }: InvoiceRequest,
  providers: Providers,
): Promise<Completed> {
  const {
    choices: [choice],
    invoices: [started],
  } = await attempt.begin((sql, claim) => ({
    choices:
      input && dueDateErrors.length === 0
        ? insertInvoice(sql, claim, input, expiryOf(input))
        : checkInvoice(sql, tenantId, draft),
    invoices: selectInvoiceOfKey(sql, claim),
  }));
  const faults = errors([...dueDateErrors, ...(choice ? checkErrors(choice, draft) : [])]);
  if (!started) {
    if (faults.length > 0) throw invalidFields(faults);
    throw (choice && problemOf(choice)) ?? unknownCostCenter(draft.cost_center);
  }
  const { isRetry } = attempt;
  const { snapshot: row, account } = started;
  attempt.onFailure((sql, error) => afterFailedOrder(sql, 'invoices', row, error, isRetry));

  const order = chargeOrderOf(row);
  // The adapter of the account that `insertInvoice` chose, also for a retry (`provider-registry/set-up-providers.ts`).
  const chosen = await providers.of(row, account);
  const charge = await attempt.callProvider(async (signal) => {
    const placed = isRetry ? await chargesOf(chosen).find(order, signal) : undefined;
    signal.throwIfAborted();
    if (placed) return placed;
    if (faults.length > 0) throw new InvalidOrder(faults);
    return await chargesOf(chosen).create(order, signal);
  });

  return await attempt.complete(
    (sql) => ({
      invoice: openInvoice(sql, tenantId, row.id, charge),
      document: insertWaitingTaxDocument(sql, row.id),
      // The charge may have been paid since an earlier attempt.
      report: isRetry ? applyOrderReport(sql, 'invoices', row, new Date(row.created), charge) : [],
      answered: row.provider_account_id ? recordAnsweredOrder(sql, row.provider_account_id) : [],
    }),
    { kind: 'invoice', snapshot: (sql) => selectInvoice(sql, tenantId, row.id) },
  );
}
