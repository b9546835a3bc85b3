/** Transfers: payment orders created from a quote and a recipient, and their funding. */
import { Hono } from 'hono';
import { z } from 'zod';
import {
  amountOf,
  type Desk,
  find,
  invalid,
  refusal,
  systemError,
  timeText,
  toMajor,
  unauthorized,
} from './desk.ts';
import { fieldErrors, needsAddress, renderFields, transferFields } from './forms.ts';
import { isExpired, priceOf } from './quotes.ts';
import { Details, deskIn, flat, readBody, readQuery, requireSca, type WiseApp } from './requests.ts';
import type { Account, PayIn, Payment, Transfer } from './state.ts';
import { cancel, enterState, stateOf, takePayment } from './transfer-life.ts';

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
