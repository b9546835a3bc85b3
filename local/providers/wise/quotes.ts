/** Quotes: the cost of a payout in the source currency. */
import { randomUUID } from 'node:crypto';
import { Hono } from 'hono';
import { z } from 'zod';
import { type Desk, find, rateOf, refusal, timeText, toMajor, toMinor } from './desk.ts';
import { formOf } from './forms.ts';
import { deskIn, readBody, type WiseApp } from './requests.ts';
import type { PayIn, Payment, PayOut, Quote } from './state.ts';

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

export const isExpired = ({ now }: Desk, { status, createdAtMs }: Quote): boolean =>
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
