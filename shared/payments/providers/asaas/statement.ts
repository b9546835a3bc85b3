// Reads the account statement and maps its movements to orders and adjustment reasons.

import { toMinorUnits } from '../../formats/currencies.ts';
import { dayInSaoPaulo, startOfDay } from '../../formats/sao-paulo.ts';
import type { Page, StatementLine } from '../accounts.ts';
import { type AdjustmentReason, COVERED_REASONS } from '../order-report.ts';
import type { AsaasClient, AsaasPage } from './client.ts';
import { type Movement, movement } from './resources.ts';

const RELEASED = /_UNLOCK$|_BLOCK_REVERSAL$/;
const BLOCKED = /^BACEN_JUDICIAL_|_BLOCK$/;
const FEE = /_FEE(_|$)|^CREDIT_BUREAU_REPORT$/;

/** The first matching pattern wins. */
const REASONS: [RegExp, AdjustmentReason][] = [
  [RELEASED, 'balance_released'],
  [BLOCKED, 'balance_blocked'],
  [FEE, 'provider_fee'],
  [/CHARGEBACK_REVERSAL$/, 'chargeback_won'],
  [/CHARGEBACK$/, 'chargeback'],
  [/TRANSFER_REVERSAL$|^PIX_TRANSACTION_DEBIT_REFUND/, 'returned'],
  // A credit for a payment that was already paid.
  [/^CREDIT$/, 'overpaid'],
  [/^PARTIAL_PAYMENT$/, 'partial_payment'],
  [/^(PAYMENT_)?REVERSAL$|REFUND/, 'refund'],
];

/** Asaas adds types occasionally. Unknown types are classified by their sign. */
function reasonOf({ type, value, paymentId }: Movement): AdjustmentReason {
  const known = REASONS.find(([pattern]) => pattern.test(type))?.[1];
  if (known === 'overpaid' && !paymentId) return 'balance_released';
  return known ?? (value < 0 ? 'balance_blocked' : 'balance_released');
}

/**
 * Movements that may reference a payment but do not affect its net value at Asaas: services, blocked balance and credits. They
 * belong to the account.
 */
const ACCOUNT_MOVEMENT =
  /INVOICE_FEE$|_NOTIFICATION_FEE$|^POSTAL_SERVICE_FEE$|^PAYMENT_DUNNING_.*_FEE$|^RECEIVABLE_ANTICIPATION_|_BLOCK$|_BLOCK_REVERSAL$|^BACEN_|^CONTRACTUAL_EFFECT_|^(CREDIT|DEBIT|DEBIT_REVERSAL)$/;

export function orderOfMovement({ type, paymentId, transferId }: Movement): StatementLine['order'] {
  if (ACCOUNT_MOVEMENT.test(type)) return undefined;
  if (paymentId) return { kind: 'charge', providerReference: paymentId };
  return transferId ? { kind: 'payout', providerReference: transferId } : undefined;
}

/** Movements since that day, oldest first, so that new movements are appended and do not shift the pages. */
export async function readStatement(
  client: AsaasClient,
  since: Date,
  offset: number,
): Promise<AsaasPage<Movement>> {
  const query = {
    startDate: dayInSaoPaulo(since),
    order: 'asc',
    offset,
  };
  return await client.page('/financialTransactions', query, movement);
}

export async function listStatement(
  client: AsaasClient,
  since: Date,
  page: string | undefined,
): Promise<Page<StatementLine>> {
  const { items, nextOffset } = await readStatement(client, since, Number(page ?? 0));
  return { items: items.map(lineOf), next: nextOffset === undefined ? undefined : String(nextOffset) };
}

/** The amount of a charge or payout itself. */
const PRINCIPAL = new Set([
  'PAYMENT_RECEIVED',
  'TRANSFER',
  'PIX_TRANSACTION_CREDIT',
  'PIX_TRANSACTION_DEBIT',
]);

function orderReasonOf(line: Movement): AdjustmentReason | undefined {
  if (PRINCIPAL.has(line.type) || !orderOfMovement(line)) return undefined;
  if (line.type.includes('FEE')) return 'fee_correction';
  const reason = reasonOf(line);
  return COVERED_REASONS.has(reason) ? undefined : reason;
}

function lineOf(line: Movement): StatementLine {
  const order = orderOfMovement(line);
  return {
    id: line.id,
    at: startOfDay(line.date),
    currency: 'BRL',
    amountMinor: toMinorUnits(line.value, 'BRL'),
    order,
    ...(order ? {} : { type: line.type, namedReference: line.paymentId ?? undefined }),
    reason: reasonOf(line),
    orderReason: orderReasonOf(line),
    description: line.description || line.type,
  };
}
