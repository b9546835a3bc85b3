// Refunds at Asaas. It has no idempotency keys, so a refund is sent at most once per call and found by its description.
import { z } from 'zod';
import { toMajorUnits, toMinorUnits } from '../../formats/currencies.ts';
import type { ChargeOrder } from '../charge-port.ts';
import { InvalidOrder, isRejection, ProviderOutcomeUnknown, RefundRejected } from '../errors.ts';
import type { RefundOrder, RefundPort, RefundReport } from '../refund-port.ts';
import { readBalances } from './account.ts';
import { paymentsOf } from './charges.ts';
import { type AsaasClient, type AsaasClients, AsaasRejected } from './client.ts';
import { listRefunds, refundReports } from './refund-reports.ts';
import { ignoredResponse, type Payment, pathOf } from './resources.ts';
import { paidBy, wasPaid } from './states.ts';

/** Asaas' limit of a refund's description is not documented; this is that of a PIX refund. */
const MAX_DESCRIPTION_LENGTH = 140;
const PIX_REFUND_DAYS = 90;
const DAY_MS = 86_400_000;

const refundPage = z.object({ requestUrl: z.string().min(1) });

export function createRefunds(until: AsaasClients): RefundPort {
  return {
    async create(charge, refund, signal) {
      const client = until(signal);
      const payments = await sufficient(client, charge, refund);
      let rejection: unknown;
      for (const payment of payments) {
        try {
          return await send(client, payment, refund);
        } catch (error) {
          // Another refund may have used the rest of this payment.
          if (!isRejection(error)) throw error;
          rejection = await explain(client, error, refund);
        }
      }
      throw rejection;
    },
    async find(charge, refund, signal) {
      const client = until(signal);
      for (const payment of await paidPayments(client, charge)) {
        const found =
          paidBy(payment) === 'boleto'
            ? await requestPage(client, payment, refund).catch(undefinedIfRejected)
            : await findIn(client, payment, refund);
        if (found) return found;
      }
      return undefined;
    },
  };
}

async function paidPayments(client: AsaasClient, charge: ChargeOrder): Promise<Payment[]> {
  return (await paymentsOf(client, charge)).filter(wasPaid);
}

async function findIn(
  client: AsaasClient,
  payment: Payment,
  { reference }: RefundOrder,
): Promise<RefundReport | undefined> {
  const listed = await listRefunds(client, payment);
  return refundReports(payment, listed, true).find((one) => one.reference === reference);
}

/** The payments that can be refunded by the amount: an order that was paid twice has several, and Asaas refunds each on its own. */
async function sufficient(
  client: AsaasClient,
  charge: ChargeOrder,
  { amountMinor }: RefundOrder,
): Promise<[Payment, ...Payment[]]> {
  let mostMinor = 0;
  const found: Payment[] = [];
  for (const payment of await paidPayments(client, charge)) {
    const refunds = payment.refunds?.length ? await listRefunds(client, payment) : [];
    const leftMinor = refundReports(payment, refunds, true)
      .filter(({ status }) => status !== 'failed')
      .reduce((left, one) => left - one.amountMinor, toMinorUnits(payment.value, 'BRL'));
    if (leftMinor >= amountMinor) found.push(payment);
    mostMinor = Math.max(mostMinor, leftMinor);
  }
  const [first, ...others] = found;
  if (first) return [first, ...others];
  const message = `must be at most ${mostMinor}, which is what the provider can still refund at once`;
  throw new InvalidOrder([{ field: 'amount', message }]);
}

/** The payer enters a bank account on a page of Asaas. Repeating the request moves no money and returns the same page. */
async function requestPage(
  client: AsaasClient,
  payment: Payment,
  refund: RefundOrder,
): Promise<RefundReport> {
  const { amountMinor } = refund;
  if (amountMinor !== toMinorUnits(payment.value, 'BRL'))
    throw new InvalidOrder([
      { field: 'amount', message: 'must be the whole paid amount: a boleto cannot be refunded in parts' },
    ]);
  client.signal.throwIfAborted();
  const call = { method: 'POST', path: `${pathOf(payment)}/bankSlip/refund` } as const;
  const { requestUrl } = await client.send(call, refundPage);
  return { status: 'pending', pendingReason: 'waiting_for_payer', amountMinor, actionUrl: requestUrl };
}

/** Asaas explains rejections only as text, so we read the balance to find out whether it was too low. */
async function explain(client: AsaasClient, error: unknown, { amountMinor }: RefundOrder): Promise<unknown> {
  if (!(error instanceof AsaasRejected) || error.status !== 400) return error;
  const [balance] = await readBalances(client).catch(() => []);
  if (balance === undefined || balance.amountMinor >= amountMinor) return error;
  return new RefundRejected(
    'insufficient_balance',
    "The provider's account has less than the refund. Add money to it, then send the request with a fresh Idempotency-Key.",
  );
}

async function send(client: AsaasClient, payment: Payment, refund: RefundOrder): Promise<RefundReport> {
  const way = paidBy(payment);
  if (way === 'boleto') return await requestPage(client, payment, refund);
  if (way === 'pix' && isTooLate(payment))
    throw new RefundRejected(
      'refund_window_expired',
      'A PIX payment can be refunded for 90 days after it was paid.',
    );
  client.signal.throwIfAborted();
  const body = {
    value: toMajorUnits(refund.amountMinor, 'BRL'),
    description: descriptionOf(refund),
  };
  await client.send({ method: 'POST', path: `${pathOf(payment)}/refund`, body }, ignoredResponse);
  try {
    const sent = await findIn(client, payment, refund);
    if (sent) return sent;
  } catch (error) {
    throw new ProviderOutcomeUnknown('Asaas accepted the refund, but it could not be read', {
      cause: error,
    });
  }
  throw new ProviderOutcomeUnknown('Asaas accepted the refund, but does not list it yet');
}

const descriptionOf = ({ reference, reason }: RefundOrder): string =>
  [reference, reason].filter(Boolean).join(' ').slice(0, MAX_DESCRIPTION_LENGTH).toWellFormed();

function isTooLate({ clientPaymentDate, paymentDate, confirmedDate }: Payment): boolean {
  const paidOn = clientPaymentDate ?? paymentDate ?? confirmedDate;
  return paidOn ? Date.now() - Date.parse(paidOn) > (PIX_REFUND_DAYS + 1) * DAY_MS : false;
}

/** A rejected request proves that no page was created. */
function undefinedIfRejected(error: unknown): undefined {
  if (!isRejection(error)) throw error;
  return undefined;
}
