// Charges as Asaas payments. Asaas has no idempotency keys, so payments are found by our reference (`paymentsOf`).
import type { Logger } from '../../../platform/logger.ts';
import { toMajorUnits } from '../../formats/currencies.ts';
import type { AcceptedCharge, Artifact, ChargeOrder, ChargePort } from '../charge-port.ts';
import {
  InvalidOrder,
  ProviderBusy,
  ProviderKeyRejected,
  ProviderOutcomeUnknown,
  ProviderRejected,
} from '../errors.ts';
import { readArtifact } from './artifacts.ts';
import {
  combinedChargeReport,
  mayHaveBeenDisputed,
  type PaymentDetails,
  readDisputes,
} from './charge-reports.ts';
import { type AsaasClient, type AsaasClients, AsaasRejected } from './client.ts';
import type { EnsureCustomer } from './customers.ts';
import { dueMembers } from './due.ts';
import { readRefunds } from './refund-reports.ts';
import { ignoredResponse, type Payment, pathOf, payment as paymentSchema } from './resources.ts';
import { wasPaid } from './states.ts';

/** A bolepix is a boleto with a PIX code. */
const BILLING_TYPES: Record<string, string | undefined> = {
  pix: 'PIX',
  boleto: 'BOLETO',
  bolepix: 'BOLETO',
  card: 'CREDIT_CARD',
};

const MAX_DESCRIPTION_LENGTH = 500;

export function createCharges(until: AsaasClients, ensureCustomer: EnsureCustomer, log: Logger): ChargePort {
  async function place(client: AsaasClient, order: ChargeOrder): Promise<Payment> {
    const billingType = BILLING_TYPES[order.method];
    if (!billingType || order.currency !== 'BRL')
      throw new InvalidOrder([
        {
          field: 'payment_method.type',
          message: 'must be pix, boleto, bolepix or card, with currency BRL',
        },
      ]);
    const body = {
      // Asaas' id of the payer, who is created or updated first.
      customer: await ensureCustomer(client, order.customer),
      billingType,
      value: toMajorUnits(order.amountMinor, 'BRL'),
      ...dueMembers(order),
      description: order.description.slice(0, MAX_DESCRIPTION_LENGTH).toWellFormed(),
      externalReference: order.reference,
    };
    const send = (more: object) =>
      client.send({ method: 'POST', path: '/payments', body: { ...body, ...more } }, paymentSchema);
    if (order.method !== 'card' || !order.returnUrl) return await send({});
    try {
      return await send({ callback: { successUrl: order.returnUrl } });
    } catch (error) {
      if (!(error instanceof AsaasRejected) || error.status !== 400) throw error;
      // Asaas redirects payers only to the account's registered domain and otherwise rejects the whole payment with a generic code.
      // Nothing was created, so the payment is retried without the redirect. Any other error occurs again.
      const payment = await send({});
      log.warn('Asaas does not redirect payers to this URL', { reason: error.message });
      return payment;
    }
  }

  /** Deletes an unpaid payment. Returns false if it is already paid. */
  async function remove(client: AsaasClient, payment: Pick<Payment, 'id'>): Promise<boolean> {
    try {
      await client.send({ method: 'DELETE', path: pathOf(payment) }, ignoredResponse);
      return true;
    } catch (error) {
      if (!(error instanceof AsaasRejected)) throw error;
      const left = await client.get(pathOf(payment), paymentSchema);
      if (!left) return true;
      if (wasPaid(left)) return false;
      if (left.deleted) return true;
      throw error;
    }
  }

  /** Reports a created payment with its artifact. A payment with an invalid artifact is deleted, so that it cannot be paid. */
  async function reportOrDelete(
    client: AsaasClient,
    order: ChargeOrder,
    payments: [Payment, ...Payment[]],
  ): Promise<AcceptedCharge> {
    try {
      const report = await reportOf(client, order, payments);
      return { ...report, artifact: await artifactOf(client, order, payments[0]) };
    } catch (error) {
      // These errors would mean that nothing was done, but the payment exists.
      if (error instanceof ProviderBusy || error instanceof ProviderKeyRejected)
        throw new ProviderOutcomeUnknown('Asaas created the payment, but its details could not be read', {
          cause: error,
        });
      throw error;
    }
  }

  async function artifactOf(client: AsaasClient, order: ChargeOrder, payment: Payment): Promise<Artifact> {
    try {
      return await readArtifact(client, order, payment);
    } catch (error) {
      if (!(error instanceof ProviderRejected)) throw error;
      // A paid or deleted payment needs no artifact.
      if (wasPaid(payment) || payment.deleted) return {};
      log.warn('deleting an unpayable charge at Asaas', { reason: error.message });
      await remove(client, payment);
      throw error;
    }
  }

  async function reportOf(client: AsaasClient, order: ChargeOrder, payments: [Payment, ...Payment[]]) {
    const details = new Map<string, PaymentDetails>();
    for (const payment of payments)
      details.set(payment.id, {
        disputes: mayHaveBeenDisputed(payment) ? await readDisputes(client, payment, log) : undefined,
        refunds: await readRefunds(client, payment),
      });
    const report = combinedChargeReport(payments, order, ({ id }) => details.get(id));
    return { ...report, providerReference: order.providerReference ?? report.providerReference };
  }

  return {
    async create(order, signal) {
      const client = until(signal);
      return await reportOrDelete(client, order, [await place(client, order)]);
    },
    async find(order, signal) {
      const client = until(signal);
      const [payment, ...others] = await paymentsOf(client, order);
      // A payment that was deleted before we recorded it counts as absent.
      if (!payment || (payment.deleted && !wasPaid(payment) && !order.providerReference)) return undefined;
      return await reportOrDelete(client, order, [payment, ...others]);
    },
    async read(order, signal) {
      const client = until(signal);
      const [payment, ...others] = await paymentsOf(client, order);
      return payment && (await reportOf(client, order, [payment, ...others]));
    },
    async cancel(order, signal) {
      const client = until(signal);
      const { providerReference } = order;
      const payments = providerReference ? [{ id: providerReference }] : await paymentsOf(client, order);
      let unpaid = true;
      for (const payment of payments) unpaid = (await remove(client, payment)) && unpaid;
      return unpaid;
    },
  };
}

/**
 * All payments of an order, paid ones first, deleted ones last: more than one only if it was paid twice or someone added a payment in
 * the dashboard.
 */
export async function paymentsOf(
  client: AsaasClient,
  { reference, providerReference }: Pick<ChargeOrder, 'reference' | 'providerReference'>,
): Promise<Payment[]> {
  const found: Payment[] = [];
  for await (const one of client.list('/payments', { externalReference: reference }, paymentSchema))
    if (one.externalReference === reference) found.push(one);
  if (providerReference && !found.some(({ id }) => id === providerReference)) {
    // Lists may omit deleted payments.
    const known = await client.get(pathOf({ id: providerReference }), paymentSchema);
    if (known) found.push(known);
  }
  const rank = (one: Payment) =>
    (wasPaid(one) ? 0 : one.deleted ? 4 : 2) + (one.id === providerReference ? 0 : 1);
  return found.sort((a, b) => rank(a) - rank(b));
}
