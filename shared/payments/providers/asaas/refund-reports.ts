// Maps the refunds of an Asaas payment to refund reports. Asaas' refunds have neither an id nor a reference, but a description, which
// begins with our id if we sent the refund.
import { toMinorUnits } from '../../formats/currencies.ts';
import { timeInSaoPaulo } from '../../formats/sao-paulo.ts';
import type { RefundReport } from '../refund-port.ts';
import type { AsaasClient } from './client.ts';
import { type Payment, pathOf, type Refund, refund } from './resources.ts';
import { paidBy } from './states.ts';

const OUR_ID = /^rfd_[0-9a-hjkmnp-tv-z]{26}/;

/** Our id of a refund, by its description. Undefined for refunds made at Asaas. */
export const refundIdIn = (description: string | null | undefined): string | undefined =>
  description?.match(OUR_ID)?.[0];

/** Reads the refunds of a payment that shows any. */
export async function readRefunds(client: AsaasClient, payment: Payment): Promise<Refund[]> {
  const isRefunded = (payment.refunds?.length ?? 0) > 0 || payment.status.includes('REFUND');
  return isRefunded ? await listRefunds(client, payment) : [];
}

export async function listRefunds(client: AsaasClient, payment: Payment): Promise<Refund[]> {
  const found: Refund[] = [];
  for await (const one of client.list(`${pathOf(payment)}/refunds`, {}, refund)) found.push(one);
  return found;
}

/**
 * `wasChargedBack`: whether a chargeback took the money, so that a refunded payment is not a refund of its own.
 */
export function refundReports(
  payment: Payment,
  refunds: readonly Refund[],
  wasChargedBack: boolean,
): RefundReport[] {
  const places = new Map<string, number>();
  const reports = refunds.map((one) => {
    const base = keyOf(one);
    const place = places.get(base) ?? 0;
    places.set(base, place + 1);
    return reportOf(payment, one, `${payment.id}|${base}|${place}`);
  });
  if (payment.status !== 'REFUNDED' || wasChargedBack) return reports;
  // Asaas may report a payment as refunded without listing its refunds.
  const listed = reports.filter(({ status }) => status !== 'failed');
  const rest = listed.reduce(
    (left, { amountMinor }) => left - amountMinor,
    toMinorUnits(payment.value, 'BRL'),
  );
  if (rest <= 0) return reports;
  return [
    ...reports,
    {
      key: `${payment.id}|rest`,
      isAnonymous: true,
      status: 'succeeded',
      amountMinor: rest,
      moved: { currency: 'BRL', amountMinor: -rest },
      availableOn: availableOn(payment),
    },
  ];
}

/** Our id. For a refund that is not ours, values that distinguish it from most others of its payment. */
const keyOf = ({ description, dateCreated, value }: Refund): string =>
  refundIdIn(description) ?? `${dateCreated ?? ''}|${toMinorUnits(value, 'BRL')}`;

function reportOf(payment: Payment, one: Refund, key: string): RefundReport {
  const { value, description, effectiveDate } = one;
  const amountMinor = toMinorUnits(value, 'BRL');
  const reference = refundIdIn(description);
  const state = stateOf(one);
  return {
    key,
    reference,
    isAnonymous: reference === undefined && paidBy(payment) === 'boleto',
    amountMinor,
    description: description ?? undefined,
    ...state,
    ...(state.status === 'succeeded' && {
      settledAt: timeInSaoPaulo(effectiveDate),
      moved: { currency: 'BRL', amountMinor: -amountMinor },
      availableOn: availableOn(payment),
    }),
  };
}

/** Card money that has not been received yet is reduced on the day on which it arrives. */
const availableOn = ({ status, creditDate, estimatedCreditDate }: Payment): string | undefined =>
  status === 'CONFIRMED' ? (creditDate ?? estimatedCreditDate ?? undefined) : undefined;

/** Undocumented states count as pending. */
function stateOf({ status }: Refund): Pick<RefundReport, 'status' | 'pendingReason' | 'failureReason'> {
  switch (status) {
    case 'DONE':
      return { status: 'succeeded' };
    case 'CANCELLED':
    case 'CANCELED':
      return { status: 'failed', failureReason: 'The provider canceled the refund.' };
    case 'PAYMENT_REFUND_DENIED':
    case 'DENIED':
      return { status: 'failed', failureReason: 'The provider denied the refund.' };
    case 'AWAITING_CUSTOMER_EXTERNAL_AUTHORIZATION':
      return { status: 'pending', pendingReason: 'waiting_for_payer' };
    default:
      return { status: 'pending', pendingReason: 'processing' };
  }
}
