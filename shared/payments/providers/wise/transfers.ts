// Creates, finds and cancels Wise transfers, at most one per payout.
import { Buffer } from 'node:buffer';
import { createHash } from 'node:crypto';
import {
  InvalidOrder,
  isRejection,
  ProviderBusy,
  ProviderKeyRejected,
  ProviderOutcomeUnknown,
  ProviderRejected,
} from '../errors.ts';
import type { PayoutOrder } from '../payout-port.ts';
import { WholeNumber } from '../provider-http.ts';
import { hasCode, parsedBody, type WiseClient, wiseRejection } from './client.ts';
import { createQuote, isExpired, quoteForRecipient } from './quotes.ts';
import type { Payee } from './recipient-fields.ts';
import { addFault, fits } from './recipient-form.ts';
import { recipientFor } from './recipients.ts';
import { formsSchema, type Transfer, transferSchema, transfersSchema } from './wire.ts';

const DAY_MS = 24 * 60 * 60_000;
/** Transfers per page. Wise documents no maximum. */
const PAGE_SIZE = 100;

/** Creates the payout's transfer without funding it. A retry returns the same transfer: Wise deduplicates by `customerTransactionId`. */
export async function createTransfer(wise: WiseClient, order: PayoutOrder, payee: Payee): Promise<Transfer> {
  try {
    return await transferByNewQuote(wise, order, payee);
  } catch (error) {
    if (!isRejection(error)) throw error;
    // An earlier attempt may have created the transfer and lost the response. If it did not, the rejection is final.
    const earlier = await findTransfer(wise, order);
    if (earlier) return earlier;
    throw error;
  }
}

async function transferByNewQuote(wise: WiseClient, order: PayoutOrder, payee: Payee): Promise<Transfer> {
  const { currency } = order;
  let quote = await createQuote(wise, order);
  const recipient = await recipientFor(wise, { payee, currency, quoteId: quote.id });
  for (let renewed = false; ; renewed = true) {
    try {
      await quoteForRecipient(wise, quote.id, recipient, order);
      return await orderTransfer(wise, order, { quoteId: quote.id, recipientId: recipient.id });
    } catch (error) {
      if (renewed || !isRejection(error) || !(await isExpired(wise, quote.id))) throw error;
      quote = await createQuote(wise, order);
    }
  }
}

async function orderTransfer(
  wise: WiseClient,
  order: PayoutOrder,
  { quoteId, recipientId }: { quoteId: string; recipientId: string },
): Promise<Transfer> {
  const body = {
    targetAccount: new WholeNumber(recipientId),
    quoteUuid: quoteId,
    customerTransactionId: transactionIdOf(order.reference),
  };
  const reference = await referenceFor(wise, order, body);
  const details = reference === undefined ? {} : { reference };
  return await wise.ask(transferSchema, { method: 'POST', path: '/transfers', body: { ...body, details } });
}

/**
 * The reference that the beneficiary sees: the description in a form that Wise accepts, or undefined if it accepts none. Throws
 * `InvalidOrder` if Wise requires other fields.
 */
async function referenceFor(
  wise: WiseClient,
  { description, currency }: PayoutOrder,
  body: object,
): Promise<string | undefined> {
  const forms = await wise.ask(formsSchema, {
    method: 'POST',
    path: '/transfer-requirements',
    body: { ...body, details: {} },
  });
  const fields = forms.flatMap((form) => form.fields);
  const faults: { field: string; message: string }[] = [];
  for (const { key, required } of fields)
    if (required && key !== 'reference')
      addFault(faults, `beneficiary.${key}`, `is required for a payout in ${currency}`);
  if (faults.length > 0) throw new InvalidOrder(faults);
  const rule = fields.find(({ key }) => key === 'reference');
  const [accepted] = [description, description.replace(/[^A-Za-z0-9]+/g, ' '), description.replace(/\W/g, '')]
    .map((text) => text.trim().slice(0, rule?.maxLength).trim())
    .filter((text) => text && (!rule?.validationRegexp || fits(text, rule.validationRegexp)));
  return accepted;
}

export async function readTransfer(wise: WiseClient, id: string): Promise<Transfer | undefined> {
  const answer = await wise.call({ method: 'GET', path: `/transfers/${id}` });
  if (answer.status === 404) return undefined;
  return parsedBody(transferSchema, answer, 'GET /transfers');
}

/** Finds a transfer by Wise's id, or in the list of transfers created since the payout: Wise has no lookup by our id. */
export async function findTransfer(
  wise: WiseClient,
  { reference, providerReference, createdAt, currency }: PayoutOrder,
): Promise<Transfer | undefined> {
  if (providerReference !== undefined) return await readTransfer(wise, providerReference);
  const ours = transactionIdOf(reference);
  for (let offset = 0; ; offset += PAGE_SIZE) {
    const transfers = await listTransfers(wise, {
      // One extra day, because the times of Wise's transfers have no time zone.
      createdDateStart: new Date(createdAt.getTime() - DAY_MS).toISOString(),
      targetCurrency: currency,
      limit: String(PAGE_SIZE),
      offset: String(offset),
    });
    const found = transfers.find((transfer) => transfer.customerTransactionId?.toLowerCase() === ours);
    if (found) return found;
    if (transfers.length < PAGE_SIZE) return undefined;
  }
}

export async function listTransfers(wise: WiseClient, filters: Record<string, string>): Promise<Transfer[]> {
  const query = new URLSearchParams({ profile: wise.profileId, ...filters });
  return await wise.ask(transfersSchema, { method: 'GET', path: `/transfers?${query}` });
}

/** Runs `work` on an existing transfer. Rethrows rejections as `ProviderOutcomeUnknown`, because the transfer has been created. */
export async function afterTransferExists<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (
      error instanceof ProviderBusy ||
      error instanceof ProviderKeyRejected ||
      error instanceof ProviderRejected
    )
      throw new ProviderOutcomeUnknown(
        `The transfer was created, but the next step failed: ${error.message}`,
        { cause: error },
      );
    throw error;
  }
}

/** Returns false if it is too late to cancel. */
export async function cancelTransfer(wise: WiseClient, { id }: Transfer): Promise<boolean> {
  const answer = await wise.call({ method: 'PUT', path: `/transfers/${id}/cancel` });
  if (answer.status < 300) return true;
  const transfer = await readTransfer(wise, id);
  if (transfer === undefined || ['cancelled', 'funds_refunded'].includes(transfer.status)) return true;
  if (answer.status === 409 || hasCode(answer, 'transfer.cancellation.not.allowed')) return false;
  throw wiseRejection(answer);
}

/** UUID namespace for URLs (RFC 9562). */
const NAMESPACE = Buffer.from('6ba7b8119dad11d180b400c04fd430c8', 'hex');

/** `customerTransactionId` of a payout (UUIDv5, RFC 9562): the same for every attempt, so that Wise deduplicates them. */
export function transactionIdOf(reference: string): string {
  const hash = createHash('sha1')
    .update(NAMESPACE)
    .update(`https://placar.dev/payouts/${reference}`)
    .digest();
  hash.writeUInt8((hash.readUInt8(6) & 0x0f) | 0x50, 6);
  hash.writeUInt8((hash.readUInt8(8) & 0x3f) | 0x80, 8);
  return hash.toString('hex', 0, 16).replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}
