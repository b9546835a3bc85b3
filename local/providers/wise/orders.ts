/** Quotes, forms, recipients and transfers: what our adapter orders. */
import { randomUUID } from 'node:crypto';
import { Hono } from 'hono';
import { z } from 'zod';
import {
  amountOf,
  type Desk,
  find,
  invalid,
  rateOf,
  refusal,
  systemError,
  timeText,
  toMajor,
  toMinor,
  unauthorized,
} from './desk.ts';
import {
  fieldErrors,
  formOf,
  formsOf,
  needsAddress,
  renderFields,
  renderForm,
  transferFields,
} from './forms.ts';
import { Details, deskIn, flat, readBody, readQuery, requireSca, type WiseApp } from './requests.ts';
import type { Account, PayIn, Payment, PayOut, Quote, Recipient, Transfer } from './state.ts';
import { cancel, enterState, stateOf, takePayment } from './transfers.ts';

const EXPIRES_AFTER_MS = 30 * 60_000;
const PAY_INS: PayIn[] = ['BALANCE', 'BANK_TRANSFER'];

/** Fees in minor units of the source currency, with a percentage of the amount. */
const FEES = { BALANCE: { fixed: 31, percent: 0.43 }, BANK_TRANSFER: { fixed: 62, percent: 0.51 } };
/** Added for SWIFT payouts, twice if the sender pays all fees. */
const SWIFT_FEE = 425;
/** Added when the quote has a recipient. Fees before that are estimates. */
const RECIPIENT_FEE = 15;

/** The cost of a quote. The recipient gets the target amount, so the pay-in method changes only the fee. */
export function priceOf(quote: Quote, method: PayIn, payOut: PayOut = quote.payOut): Payment {
  const { sourceCurrency, targetCurrency, targetAmount, rate, targetAccount } = quote;
  const converted = toMinor(sourceCurrency, toMajor(targetCurrency, targetAmount) / rate);
  const { fixed, percent } = FEES[method];
  const swift = { BANK_TRANSFER: 0, SWIFT: SWIFT_FEE, SWIFT_OUR: 2 * SWIFT_FEE }[payOut];
  const extra = swift + (targetAccount === null ? 0 : RECIPIENT_FEE);
  const fee = fixed + extra + Math.round((converted * percent) / 100);
  return { method, amount: converted + fee, fee };
}

const isExpired = ({ now }: Desk, { status, createdAtMs }: Quote): boolean =>
  status === 'PENDING' && now() >= createdAtMs + EXPIRES_AFTER_MS;

function renderQuote(desk: Desk, quote: Quote) {
  const { sourceCurrency, targetCurrency, targetAmount, createdAtMs } = quote;
  // Lists more payout methods than the quote's own. The top level has the selected one.
  const payOuts: PayOut[] = [quote.payOut === 'SWIFT' ? 'SWIFT_OUR' : 'SWIFT', quote.payOut];
  const paymentOptions = payOuts.flatMap((payOut) =>
    PAY_INS.map((payIn) => {
      const { amount, fee } = priceOf(quote, payIn, payOut);
      const total = toMajor(sourceCurrency, fee);
      return {
        ...{ payIn, payOut, sourceCurrency, targetCurrency, disabled: false },
        sourceAmount: toMajor(sourceCurrency, amount),
        targetAmount: toMajor(targetCurrency, targetAmount),
        fee: { transferwise: total, payIn: 0, discount: 0, partner: 0, total },
        price: { total: { type: 'TOTAL', value: { amount: total, currency: sourceCurrency } } },
      };
    }),
  );
  return {
    ...quote,
    // The top level has only the amount that was given.
    targetAmount: toMajor(targetCurrency, targetAmount),
    providedAmountType: 'TARGET',
    paymentOptions,
    status: isExpired(desk, quote) ? 'EXPIRED' : quote.status,
    expirationTime: timeText(createdAtMs + EXPIRES_AFTER_MS),
    notices: [],
  };
}

const NewQuote = z.strictObject({
  sourceCurrency: z.string().length(3),
  targetCurrency: z.string().length(3),
  targetAmount: z.number().positive(),
  preferredPayIn: z.literal('BALANCE'),
});
const QuoteChange = z.strictObject({ targetAccount: z.int(), payOut: z.literal('SWIFT_OUR').optional() });

/** Adds a recipient to a quote, which may change the payout method and the fee. */
function tie(desk: Desk, quote: Quote, { targetAccount, payOut }: z.output<typeof QuoteChange>): void {
  if (quote.status !== 'PENDING' || isExpired(desk, quote))
    throw refusal(422, 'error.quote.not.pending', 'The quote was used or has expired.');
  const { active, currency, type, id } = find(desk.account.recipients, targetAccount, 'recipient');
  if (!active || currency !== quote.targetCurrency)
    throw refusal(422, 'NOT_VALID', 'The recipient does not fit the quote.', 'targetAccount');
  const own = formOf(currency, type)?.payOut ?? 'BANK_TRANSFER';
  quote.targetAccount = id;
  quote.payOut = own === 'SWIFT' ? (payOut ?? own) : own;
}

export function quoteRoutes(): WiseApp {
  const app: WiseApp = new Hono();
  app.post('/profiles/:profile/quotes', async (c) => {
    const desk = deskIn(c);
    const { sourceCurrency, targetCurrency, targetAmount } = await readBody(c, NewQuote);
    const rate = rateOf(sourceCurrency, targetCurrency);
    if (rate === undefined) throw refusal(422, 'error.route.not.supported', 'This route is not supported');
    const quote: Quote = {
      ...{ id: randomUUID(), sourceCurrency, targetCurrency, rate },
      targetAmount: toMinor(targetCurrency, targetAmount),
      payOut: 'BANK_TRANSFER',
      createdAtMs: desk.now(),
      targetAccount: null,
      status: 'PENDING',
    };
    desk.account.quotes.push(quote);
    return c.json(renderQuote(desk, quote));
  });
  app.get('/profiles/:profile/quotes/:id', (c) =>
    c.json(renderQuote(deskIn(c), find(deskIn(c).account.quotes, c.req.param('id'), 'quote'))),
  );
  app.patch('/profiles/:profile/quotes/:id', async (c) => {
    const desk = deskIn(c);
    const quote = find(desk.account.quotes, c.req.param('id'), 'quote');
    tie(desk, quote, await readBody(c, QuoteChange, 'application/merge-patch+json'));
    return c.json(renderQuote(desk, quote));
  });
  return app;
}

const RecipientOrder = z.strictObject({
  profile: z.int(),
  accountHolderName: z.string(),
  currency: z.string(),
  type: z.string(),
  details: Details,
});

/** `v1` is an older format. Type names of the newer one differ from those in requests. */
function renderRecipient({ details, ...recipient }: Recipient, format: 'v1' | 'v2' = 'v2') {
  const { id, currency, type, active, accountHolderName } = recipient;
  if (format === 'v1') return { ...recipient, details };
  const { legalType, ...rest } = details;
  const shown = Object.entries(rest).filter(([key]) => !key.startsWith('address.'));
  const address = Object.entries(rest).filter(([key]) => key.startsWith('address.'));
  return {
    ...{ id, currency, active },
    name: { fullName: accountHolderName },
    type: formOf(currency, type)?.className ?? type,
    legalEntityType: legalType === 'BUSINESS' ? 'INSTITUTION' : 'PERSON',
    details: {
      reference: null,
      ...Object.fromEntries(shown),
      address: Object.fromEntries(address.map(([key, value]) => [key.replace('address.', ''), value])),
    },
  };
}

function createRecipient(desk: Desk, order: z.output<typeof RecipientOrder>): Recipient {
  const { profile, accountHolderName, currency, type } = order;
  if (profile !== desk.business.id) throw unauthorized();
  const form = formOf(currency, type);
  if (form === undefined) throw refusal(422, 'NOT_VALID', 'This recipient type is not available.', 'type');
  const details = flat(order.details);
  const errors = fieldErrors(form.fields, { accountHolderName, ...details });
  if (errors.length > 0) throw invalid(422, errors);
  const id = desk.newId('recipient');
  const recipient: Recipient = { id, accountHolderName, currency, type, active: true, details };
  desk.account.recipients.push(recipient);
  return recipient;
}

const MAX_ON_PAGE = 20;

export function recipientRoutes(): WiseApp {
  const app: WiseApp = new Hono();
  /** The forms for a quote, refined by the details so far. */
  app.on(['GET', 'POST'], '/quotes/:quote/account-requirements', async (c) => {
    const { account } = c.get('desk');
    const { sourceCurrency, targetCurrency } = find(account.quotes, c.req.param('quote'), 'quote');
    const order = c.req.method === 'POST' ? await readBody(c, RecipientOrder) : undefined;
    const draft = { accountHolderName: order?.accountHolderName ?? '', ...flat(order?.details ?? {}) };
    const withName = c.req.header('accept-minor-version') === '1';
    const forms = formsOf(targetCurrency, needsAddress(sourceCurrency, targetCurrency));
    return c.json(forms.map((form) => renderForm(form, draft, withName)));
  });
  app.post('/accounts', async (c) => {
    const desk = c.get('desk');
    const recipient = createRecipient(desk, await readBody(c, RecipientOrder));
    return c.json(renderRecipient(recipient, desk.account.options.createdRecipient));
  });
  /** A page starts at an id and names the id of the next page. */
  app.get('/accounts', (c) => {
    const { account, business } = c.get('desk');
    const query = readQuery(c, 'profileId currency active size sort seekPosition');
    if (query.profileId !== String(business.id)) throw unauthorized();
    const size = Math.min(Number(query.size ?? MAX_ON_PAGE), MAX_ON_PAGE);
    const found = account.recipients.filter(
      ({ currency, active }) => currency === query.currency && active === (query.active === 'true'),
    );
    if (query.sort === 'id,desc') found.reverse();
    const start = found.findIndex(({ id }) => String(id) === (query.seekPosition ?? String(id)));
    const rest = start < 0 ? [] : found.slice(start);
    return c.json({
      content: rest.slice(0, size).map((one) => renderRecipient(one)),
      seekPositionForNext: rest[size]?.id ?? null,
    });
  });
  app.delete('/accounts/:id', (c) => {
    const recipient = find(c.get('desk').account.recipients, c.req.param('id'), 'recipient');
    recipient.active = false;
    return c.json(renderRecipient(recipient));
  });
  return app;
}

const TransferOrder = z.strictObject({
  targetAccount: z.int(),
  quoteUuid: z.guid(),
  customerTransactionId: z.guid(),
  details: Details,
});

const renderTransfer = (transfer: Transfer, { quotes }: Account) => {
  const { id, sourceCurrency, targetCurrency, quoteUuid, targetAccount, details } = transfer;
  const quote = find(quotes, quoteUuid, 'quote');
  return {
    ...{ id, sourceCurrency, targetCurrency, quoteUuid, targetAccount, details },
    customerTransactionId: transfer.customerTransactionId,
    status: stateOf(transfer),
    reference: details.reference ?? null,
    rate: quote.rate,
    // UTC without a time zone.
    created: timeText(transfer.createdAtMs).slice(0, 19).replace('T', ' '),
    targetValue: toMajor(targetCurrency, quote.targetAmount),
  };
};

/** The same `customerTransactionId` is the same transfer. */
function createTransfer(desk: Desk, order: z.output<typeof TransferOrder>): Transfer {
  const { account } = desk;
  const { quoteUuid, targetAccount, customerTransactionId } = order;
  const known = account.transfers.find((one) => one.customerTransactionId === customerTransactionId);
  if (known !== undefined) return known;
  const quote = find(account.quotes, quoteUuid, 'quote');
  const { sourceCurrency, targetCurrency } = quote;
  const refuse = (code: string, message: string) => refusal(422, code, message, 'quoteUuid');
  if (account.options.paymentApprovals)
    throw refuse(
      'error.quote.approval.missing',
      'Quote cannot be accepted with this request due to missing approval.',
    );
  if (quote.status !== 'PENDING')
    throw refuse('error.quote.already.used', 'The quote was used for another transfer.');
  if (isExpired(desk, quote)) throw refuse('error.quote.expired', 'The quote has expired.');
  const recipient = find(account.recipients, targetAccount, 'recipient');
  const lacksAddress =
    needsAddress(sourceCurrency, targetCurrency) && recipient.details['address.country'] === undefined;
  if (!recipient.active || recipient.currency !== targetCurrency || lacksAddress)
    throw refusal(422, 'INVALID_RECIPIENT', 'The recipient does not fit the quote.');
  const details = flat(order.details);
  const errors = fieldErrors(transferFields(targetCurrency), details);
  if (errors.length > 0) throw invalid(422, errors);
  quote.status = 'ACCEPTED';
  quote.targetAccount = recipient.id;
  const transfer: Transfer = {
    ...{ id: desk.newId('transfer'), targetAccount, quoteUuid, customerTransactionId, details },
    ...{ sourceCurrency, targetCurrency, createdAtMs: desk.now() },
    ...{ states: [], payments: [], rejectedPayments: [], refunded: 0 },
  };
  account.transfers.push(transfer);
  enterState(desk, transfer, 'incoming_payment_waiting');
  return transfer;
}

export const newPayment = ({ account }: Desk, { quoteUuid }: Transfer, method: PayIn): Payment =>
  priceOf(find(account.quotes, quoteUuid, 'quote'), method);

const DEFAULT_LISTED = 10;
const MAX_LISTED = 100;

export function transferRoutes(): WiseApp {
  const app: WiseApp = new Hono();
  app.post('/transfer-requirements', async (c) => {
    const { account } = c.get('desk');
    const { quoteUuid, targetAccount, details } = await readBody(c, TransferOrder);
    const { targetCurrency } = find(account.quotes, quoteUuid, 'quote');
    find(account.recipients, targetAccount, 'recipient');
    return c.json([
      { type: 'transfer', fields: renderFields(transferFields(targetCurrency), flat(details)) },
    ]);
  });
  app.post('/transfers', async (c) => {
    const desk = c.get('desk');
    return c.json(renderTransfer(createTransfer(desk, await readBody(c, TransferOrder)), desk.account));
  });
  app.get('/transfers', (c) => {
    const { account, business } = c.get('desk');
    const query = readQuery(c, 'profile createdDateStart targetCurrency limit offset');
    if (query.profile !== String(business.id)) throw unauthorized();
    const offset = Number(query.offset ?? 0);
    const limit = Math.min(Number(query.limit ?? DEFAULT_LISTED), MAX_LISTED);
    const from = Date.parse(query.createdDateStart ?? timeText(0));
    const found = account.transfers
      .filter(
        ({ createdAtMs, targetCurrency }) =>
          createdAtMs >= from && (query.targetCurrency ?? targetCurrency) === targetCurrency,
      )
      .reverse();
    return c.json(found.slice(offset, offset + limit).map((transfer) => renderTransfer(transfer, account)));
  });
  app.get('/transfers/:id', (c) => {
    const { account } = c.get('desk');
    return c.json(renderTransfer(find(account.transfers, c.req.param('id'), 'transfer'), account));
  });
  app.put('/transfers/:id/cancel', (c) => {
    const desk = c.get('desk');
    const transfer = find(desk.account.transfers, c.req.param('id'), 'transfer');
    cancel(desk, transfer);
    return c.json(renderTransfer(transfer, desk.account));
  });
  app.get('/transfers/:id/payments', (c) => {
    const transfer = find(c.get('desk').account.transfers, c.req.param('id'), 'transfer');
    const { payments, rejectedPayments, sourceCurrency: currency } = transfer;
    const shown = (status: string) => (payment: Payment) => ({
      ...{ status, method: payment.method, currency },
      amount: toMajor(currency, payment.amount),
    });
    return c.json([...rejectedPayments.map(shown('REJECTED')), ...payments.map(shown('COMPLETED'))]);
  });
  app.post('/profiles/:profile/transfers/:id/payments', async (c) => {
    const desk = deskIn(c);
    const { funding, insufficientFunds, rejectedStatus } = desk.account.options;
    if (funding === 'forbidden') throw systemError(403, 'You are forbidden to send this request');
    const { type } = await readBody(c, z.strictObject({ type: z.literal('BALANCE') }));
    const transfer = find(desk.account.transfers, c.req.param('id'), 'transfer');
    if (stateOf(transfer) !== 'incoming_payment_waiting' || transfer.payments.length > 0)
      throw refusal(422, 'transfer.invalid-state', `Transfer is in state ${stateOf(transfer)}`);
    requireSca(desk);
    const payment = newPayment(desk, transfer, 'BALANCE');
    if (amountOf(desk.balance(transfer.sourceCurrency)) < payment.amount) {
      transfer.rejectedPayments.push(payment);
      return c.json({ type, status: 'REJECTED', errorCode: insufficientFunds }, rejectedStatus);
    }
    takePayment(desk, transfer, payment);
    return c.json({ type, status: 'COMPLETED', errorCode: null }, 201);
  });
  return app;
}
