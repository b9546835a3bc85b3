// The account's statement: every movement of its balance.

import { toMinor } from '../decimal.ts';
import type { AdjustmentReason } from '../names.ts';
import type { Page, StatementLine } from '../provider.ts';
import type { AsaasClient, AsaasPage } from './client.ts';
import { dayInSaoPaulo, startOfDay } from './days.ts';
import { type Movement, movement } from './resources.ts';

const RELEASED = /_UNLOCK$|_BLOCK_REVERSAL$/;
const BLOCKED = /^BACEN_JUDICIAL_|_BLOCK$/;
const FEE = /_FEE(_|$)|^CREDIT_BUREAU_REPORT$/;

/** In this order: the first that fits. */
const REASONS: [RegExp, AdjustmentReason][] = [
  [RELEASED, 'balance_released'],
  [BLOCKED, 'balance_blocked'],
  [FEE, 'provider_fee'],
  [/CHARGEBACK_REVERSAL$/, 'chargeback_won'],
  [/CHARGEBACK$/, 'chargeback'],
  [/TRANSFER_REVERSAL$|^PIX_TRANSACTION_DEBIT_REFUND/, 'returned'],
  // Of a payment that was paid already.
  [/^CREDIT$/, 'overpaid'],
  [/^PARTIAL_PAYMENT$/, 'partial_payment'],
  [/^(PAYMENT_)?REVERSAL$|REFUND/, 'refund'],
];

/** Types are added by Asaas now and then: of those nobody knows it is only said whether money came or went. */
function reasonOf({ type, value, paymentId }: Movement): AdjustmentReason {
  const known = REASONS.find(([pattern]) => pattern.test(type))?.[1];
  if (known === 'overpaid' && !paymentId) return 'balance_released';
  return known ?? (value < 0 ? 'balance_blocked' : 'balance_released');
}

/**
 * Services around a payment, blocked balance and credits, which may name it: Asaas counts none of them among what is left of the
 * payment, so that they are the account's own.
 */
const NOT_OF_THE_ORDER =
  /INVOICE_FEE$|_NOTIFICATION_FEE$|^POSTAL_SERVICE_FEE$|^PAYMENT_DUNNING_.*_FEE$|^RECEIVABLE_ANTICIPATION_|_BLOCK$|_BLOCK_REVERSAL$|^BACEN_|^(CREDIT|DEBIT)$/;

export function orderOfMovement({ type, paymentId, transferId }: Movement): StatementLine['order'] {
  if (NOT_OF_THE_ORDER.test(type)) return undefined;
  if (paymentId) return { kind: 'charge', providerReference: paymentId };
  return transferId ? { kind: 'payout', providerReference: transferId } : undefined;
}

/** From the day of that time on, the oldest first, so that movements that come meanwhile stand behind. */
export async function readStatement(
  client: AsaasClient,
  since: Date,
  offset: number,
  signal: AbortSignal,
): Promise<AsaasPage<Movement>> {
  const query = {
    startDate: dayInSaoPaulo(since),
    order: 'asc',
    offset,
  };
  return await client.page('/financialTransactions', query, movement, signal);
}

export async function listStatement(
  client: AsaasClient,
  since: Date,
  page: string | undefined,
  signal: AbortSignal,
): Promise<Page<StatementLine>> {
  const { items, nextOffset } = await readStatement(client, since, Number(page ?? 0), signal);
  return { items: items.map(lineOf), next: nextOffset === undefined ? undefined : String(nextOffset) };
}

function lineOf(line: Movement): StatementLine {
  return {
    id: line.id,
    at: startOfDay(line.date),
    currency: 'BRL',
    amountMinor: toMinor(line.value, 'BRL'),
    order: orderOfMovement(line),
    reason: reasonOf(line),
    description: line.description || line.type,
  };
}
