/** `/transfers`: payment orders created from a quote and a recipient. */
import { z } from 'zod';
import { invalid, notFound, refusal } from './errors.ts';
import { fieldErrors, renderFields } from './form-check.ts';
import { needsAddress } from './forms.ts';
import { toMajor } from './money.ts';
import { priceOf } from './pricing.ts';
import { findQuote, isExpired } from './quotes.ts';
import { Details, draftOf, findRecipient } from './recipients.ts';
import {
  numberIn,
  readBody,
  readCount,
  readTime,
  ruled,
  type WiseContext,
  type WiseRoutes,
} from './requests.ts';
import type { WiseServices } from './services.ts';
import type { Account, Quote, Recipient, Transfer } from './state.ts';
import { fullTime, spacedTime } from './times.ts';
import { transferFields } from './transfer-form.ts';
import { cancel, enterState, stateOf } from './transfer-life.ts';

const MAX_LISTED = 100;
const DEFAULT_LISTED = 10;
const DAY_MS = 24 * 60 * 60_000;
const DELIVERY_MS = 2 * DAY_MS;

const Uuid = z
  .string()
  .refine((text) => z.guid().safeParse(text).success, ruled('BAD_REQUEST', 'must be a UUID'));
const TransferOrder = z.object({
  targetAccount: z.int(),
  quoteUuid: z.string(),
  customerTransactionId: Uuid,
  details: Details.default({}),
});
const Requirements = TransferOrder.extend({ customerTransactionId: Uuid.optional() });

export function renderTransfer({ options, user, profiles }: Account, transfer: Transfer) {
  const { sourceCurrency, targetCurrency, converted, payments } = transfer;
  const fee = payments.reduce((sum, payment) => sum + payment.fee, 0);
  const business = profiles.find(({ id, type }) => id === transfer.profile && type === 'BUSINESS');
  return {
    id: transfer.id,
    user,
    targetAccount: transfer.targetAccount,
    sourceAccount: null,
    quote: null,
    quoteUuid: transfer.quoteUuid,
    status: stateOf(transfer),
    reference: transfer.details.reference ?? null,
    rate: transfer.rate,
    created: spacedTime(transfer.createdAtMs),
    business: business?.id ?? null,
    transferRequest: null,
    details: transfer.details,
    hasActiveIssues: transfer.activeCases.length > 0,
    sourceCurrency,
    sourceValue: toMajor(sourceCurrency, options.sourceValue === 'total' ? converted + fee : converted),
    targetCurrency,
    targetValue: toMajor(targetCurrency, transfer.targetValue),
    customerTransactionId: transfer.customerTransactionId,
    payinSessionId: null,
  };
}

export function findTransfer(account: Account, id: number): Transfer {
  const transfer = account.transfers.find((candidate) => candidate.id === id);
  if (transfer === undefined) throw notFound('transfer.not-found', `Transfer ${id} was not found`);
  return transfer;
}

/** Converted and received amounts of the quote. The fee depends on the funding. */
const amountsOf = (quote: Quote, { options }: Account) => {
  const { converted, targetAmount } = priceOf(quote, options, quote.preferredPayIn, quote.payOut);
  return { converted, targetValue: targetAmount };
};

function checkRecipient(quote: Quote, recipient: Recipient): void {
  if (!recipient.active || recipient.currency !== quote.targetCurrency) {
    throw refusal(422, 'NOT_VALID', 'The recipient does not fit the quote.', 'targetAccount');
  }
  const hasAddress = recipient.details['address.country'] !== undefined;
  if (!hasAddress && needsAddress(quote.sourceCurrency, quote.targetCurrency)) {
    const message =
      'Recipient address is mandatory for this payment, please update or create a new recipient.';
    throw invalid(422, [{ code: 'INVALID_RECIPIENT', message }]);
  }
}

function createTransfer(
  services: WiseServices,
  account: Account,
  order: z.output<typeof TransferOrder>,
): Transfer {
  const id = order.customerTransactionId.toLowerCase();
  const known = account.transfers.find(
    ({ customerTransactionId }) => customerTransactionId.toLowerCase() === id,
  );
  if (known !== undefined) return known;
  const quote = findQuote(services, account, order.quoteUuid);
  if (account.options.paymentApprovals) {
    const message = 'Quote cannot be accepted with this request due to missing approval.';
    throw refusal(422, 'error.quote.approval.missing', message, 'quoteUuid');
  }
  if (quote.status !== 'PENDING') {
    throw refusal(422, 'error.quote.already.used', 'The quote was used for another transfer.', 'quoteUuid');
  }
  if (isExpired(services, quote))
    throw refusal(422, 'error.quote.expired', 'The quote has expired.', 'quoteUuid');
  const recipient = findRecipient(account, order.targetAccount);
  checkRecipient(quote, recipient);
  const draft = draftOf({ details: order.details });
  const amounts = amountsOf(quote, account);
  if (amounts.converted <= 0) {
    throw refusal(422, 'error.amount.too.small', 'The amount does not cover the fee.', 'quoteUuid');
  }
  const wanted = transferFields(quote, amounts.targetValue).filter(({ key }) => key !== 'transferNature');
  const errors = fieldErrors(wanted, draft);
  if (errors.length > 0) throw invalid(422, errors);
  quote.status = 'ACCEPTED';
  quote.targetAccount = recipient.id;
  const transfer: Transfer = {
    id: services.newId('transfer'),
    profile: quote.profile,
    targetAccount: recipient.id,
    quoteUuid: quote.id,
    customerTransactionId: order.customerTransactionId,
    details: { ...draft },
    createdAtMs: services.now(),
    sourceCurrency: quote.sourceCurrency,
    targetCurrency: quote.targetCurrency,
    ...amounts,
    rate: quote.rate,
    payOut: quote.payOut,
    states: [],
    activeCases: [],
    underReview: false,
    payments: [],
    rejectedPayments: [],
    refunded: 0,
  };
  account.transfers.push(transfer);
  enterState(services, account, transfer, 'incoming_payment_waiting');
  return transfer;
}

/** A day in the filter includes the whole day; a time is exact. */
function untilAsked(c: WiseContext): number | undefined {
  const until = readTime(c, 'createdDateEnd');
  const isDay = /^\d{4}-\d{2}-\d{2}$/.test(c.req.query('createdDateEnd') ?? '');
  return until === undefined || !isDay ? until : until + DAY_MS - 1;
}

/** Newest first. */
function listTransfers(c: WiseContext): Transfer[] {
  const { transfers, profiles } = c.get('account');
  const personal = profiles.find(({ type }) => type === 'PERSONAL')?.id ?? 0;
  const profile = readCount(c, 'profile', personal);
  const { status, sourceCurrency, targetCurrency } = c.req.query();
  const statuses = status?.split(',');
  const from = readTime(c, 'createdDateStart');
  const until = untilAsked(c);
  const offset = readCount(c, 'offset', 0);
  const limit = Math.min(readCount(c, 'limit', DEFAULT_LISTED), MAX_LISTED);
  return transfers
    .filter(
      (transfer) =>
        transfer.profile === profile &&
        (statuses?.includes(stateOf(transfer)) ?? true) &&
        (sourceCurrency === undefined || transfer.sourceCurrency === sourceCurrency) &&
        (targetCurrency === undefined || transfer.targetCurrency === targetCurrency) &&
        (from === undefined || transfer.createdAtMs >= from) &&
        (until === undefined || transfer.createdAtMs <= until),
    )
    .reverse()
    .slice(offset, offset + limit);
}

export function addTransferRoutes(routes: WiseRoutes, services: WiseServices): void {
  const one = (c: WiseContext): Transfer => findTransfer(c.get('account'), numberIn(c, 'transfer'));
  const shown = (c: WiseContext, transfer: Transfer) => c.json(renderTransfer(c.get('account'), transfer));

  routes.on('POST', ['v1', 'v2'], '/transfers', async (c) =>
    shown(c, createTransfer(services, c.get('account'), await readBody(c, TransferOrder))),
  );
  routes.on('GET', ['v1', 'v2'], '/transfers', (c) =>
    c.json(listTransfers(c).map((transfer) => renderTransfer(c.get('account'), transfer))),
  );
  routes.on('GET', ['v1', 'v2'], '/transfers/:transfer', (c) => shown(c, one(c)));
  routes.on('PUT', ['v1', 'v2'], '/transfers/:transfer/cancel', (c) => {
    const transfer = one(c);
    cancel(services, c.get('account'), transfer);
    return shown(c, transfer);
  });
  routes.on('GET', ['v1'], '/transfers/:transfer/payments', (c) => {
    const { payments, rejectedPayments, sourceCurrency } = one(c);
    const all = [
      ...rejectedPayments.map((payment) => ({ ...payment, status: 'REJECTED' })),
      ...payments.map((payment) => ({ ...payment, status: 'COMPLETED' })),
    ];
    return c.json(
      all.map(({ id, method, amount, atMs, status }) => ({
        id,
        status,
        method,
        pricingVariant: null,
        amount: toMajor(sourceCurrency, amount),
        currency: sourceCurrency,
        timeCreated: fullTime(atMs),
        timeUpdated: fullTime(atMs),
      })),
    );
  });
  routes.on('GET', ['v1'], '/delivery-estimates/:transfer', (c) =>
    c.json({
      estimatedDeliveryDate: fullTime(one(c).createdAtMs + DELIVERY_MS).replace('Z', '+0000'),
    }),
  );
  routes.on('POST', ['v1'], '/transfer-requirements', async (c) => {
    const account = c.get('account');
    const order = await readBody(c, Requirements);
    const quote = findQuote(services, account, order.quoteUuid);
    findRecipient(account, order.targetAccount);
    const fields = transferFields(quote, amountsOf(quote, account).targetValue);
    return c.json([{ type: 'transfer', fields: renderFields(fields, draftOf({ details: order.details })) }]);
  });
}
