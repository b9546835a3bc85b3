// Payouts as PIX transfers. Asaas cannot search transfers by our reference, so they are listed by day and compared.
import { toMajorUnits, toMinorUnits } from '../../formats/currencies.ts';
import { dayBefore } from '../../formats/sao-paulo.ts';
import { InvalidOrder, ProviderBusy } from '../errors.ts';
import type { Beneficiary, PayoutOrder, PayoutPort, PayoutReport } from '../payout-port.ts';
import { type AsaasClient, type AsaasClients, AsaasRejected, segment } from './client.ts';
import { ignoredResponse, type Transfer, transfer as transferSchema } from './resources.ts';
import { payoutStatus } from './states.ts';

/** For this time Asaas rejects another transfer of the same amount to the same key (409). */
const EQUAL_TRANSFER_SECONDS = 15 * 60;

const MAX_DESCRIPTION_LENGTH = 140;

export function payoutReport(transfer: Transfer): PayoutReport {
  const status = payoutStatus(transfer);
  const ended = status === 'failed' || status === 'canceled';
  const cameBack = ended && Boolean(transfer.confirmedDate);
  const canceledThere = ended && transfer.status !== 'FAILED';
  // If the money was never sent, Asaas returns the fee with the amount.
  const kept = typeof transfer.transferFee === 'number' && (!ended || cameBack);
  return {
    providerReference: transfer.id,
    state: {
      status,
      at: new Date(),
      feeMinor: kept ? toMinorUnits(transfer.transferFee ?? 0, 'BRL') : undefined,
      availableOn: transfer.effectiveDate?.slice(0, 10),
      reason: transfer.failReason || (canceledThere ? 'The transfer was canceled at Asaas.' : undefined),
    },
    ...(cameBack && {
      adjustments: [
        { reason: 'returned', currency: 'BRL', amountMinor: toMinorUnits(transfer.value, 'BRL') },
      ],
    }),
  };
}

/** The documentation has had both spellings of this filter. Asaas ignores the one that it does not know. */
export const transfersSince = (day: string) => ({ 'dateCreated[ge]': day, 'dateCreatedLe[ge]': day });

export function createPayouts(until: AsaasClients): PayoutPort {
  const path = (id: string) => `/transfers/${segment(id)}`;

  async function find(client: AsaasClient, order: PayoutOrder): Promise<Transfer | undefined> {
    if (order.providerReference) {
      const known = await client.get(path(order.providerReference), transferSchema);
      if (known) return known;
    }
    const query = transfersSince(dayBefore(order.createdAt));
    for await (const one of client.list('/transfers', query, transferSchema))
      if (one.externalReference === order.reference) return one;
    return undefined;
  }

  return {
    // Asaas has no idempotency keys.
    resendPolicy: 'after_two_lookups',
    async create(order, signal) {
      const body = {
        value: toMajorUnits(order.amountMinor, order.currency),
        operationType: 'PIX',
        ...pixKeyOf(order),
        description: order.description.slice(0, MAX_DESCRIPTION_LENGTH).toWellFormed(),
        externalReference: order.reference,
      };
      try {
        // A trailing slash would call a different operation.
        const call = { method: 'POST', path: '/transfers', body } as const;
        return payoutReport(await until(signal).send(call, transferSchema));
      } catch (error) {
        if (error instanceof AsaasRejected && error.status === 409)
          throw new ProviderBusy(
            'Asaas: an identical transfer was made within the last 15 minutes',
            EQUAL_TRANSFER_SECONDS,
          );
        throw error;
      }
    },
    async find(order, signal) {
      const found = await find(until(signal), order);
      return found && payoutReport(found);
    },
    async cancel(order, signal) {
      const client = until(signal);
      const found = await find(client, order);
      // The transfer may still be in flight.
      if (!found) return false;
      try {
        await client.send({ method: 'DELETE', path: `${path(found.id)}/cancel` }, ignoredResponse);
        return true;
      } catch (error) {
        if (!(error instanceof AsaasRejected)) throw error;
        const left = await client.get(path(found.id), transferSchema);
        return left?.status === 'CANCELLED' || left?.status === 'CANCELED';
      }
    },
  };
}

const KEY_TYPES = { cpf: 'CPF', cnpj: 'CNPJ', email: 'EMAIL', phone: 'PHONE', evp: 'EVP' } as const;

/** Asaas expects phone keys as eleven digits without +55, and tax ids without punctuation. */
export function pixKeyOf({ beneficiary, currency }: Pick<PayoutOrder, 'beneficiary' | 'currency'>) {
  const account: Beneficiary['bank_account'] = beneficiary.bank_account;
  if (account.type !== 'pix' || currency !== 'BRL')
    throw new InvalidOrder([
      {
        field: 'beneficiary.bank_account.type',
        message: 'must be pix, with currency BRL, for payouts through Asaas',
      },
    ]);
  const { key_type: type, key } = account;
  const theirs =
    type === 'phone'
      ? key.replace(/^\+55/, '').replace(/\D/g, '')
      : type === 'cpf' || type === 'cnpj'
        ? key.replace(/[^0-9A-Za-z]/g, '')
        : key;
  return { pixAddressKey: theirs, pixAddressKeyType: KEY_TYPES[type] };
}
