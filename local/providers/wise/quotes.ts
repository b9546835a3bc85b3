/** `/quotes`: the price of a payment, valid for 30 minutes and one transfer. */
import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { type ErrorItem, invalid, notFound, refusal } from './errors.ts';
import { formOf } from './forms.ts';
import { toMajor, toMinorUnits } from './money.ts';
import { priceOf, rateOf, renderPaymentOption } from './pricing.ts';
import { findRecipient } from './recipients.ts';
import { profileIn, readBody, ruled, type WiseContext, type WiseRoutes } from './requests.ts';
import { amountOf, balanceIn, profileOf, type WiseServices } from './services.ts';
import type { Account, PayIn, PayOut, Profile, Quote } from './state.ts';
import { secondTime } from './times.ts';

const EXPIRES_AFTER_MS = 30 * 60_000;
/** How long an expired quote can be read. */
const SHOWN_AFTER_MS = 48 * 60 * 60_000;
const DELIVERY_MS = 2 * 24 * 60 * 60_000;

const Currency = z
  .string()
  .refine(
    (code) => /^[A-Z]{3}$/.test(code),
    ruled('CurrencyCode', "That wasn't a valid ISO-4217 currency code (like GBP, USD or EUR)."),
  );
const Amount = z.number().nullish();
const PayInName = z.enum(['BALANCE', 'BANK_TRANSFER']).nullish();
const PayOutName = z.enum(['BANK_TRANSFER', 'SWIFT', 'SWIFT_OUR', 'BALANCE', 'INTERAC']).nullish();
const Metadata = z.object({ transferNature: z.string().nullish() }).nullish();

const NewQuote = z.object({
  sourceCurrency: Currency,
  targetCurrency: Currency,
  sourceAmount: Amount,
  targetAmount: Amount,
  targetAccount: z.int().nullish(),
  payOut: PayOutName,
  // Wise's documentation uses both names.
  preferredPayIn: PayInName,
  payIn: PayInName,
  paymentMetadata: Metadata,
});

const QuoteChange = z.object({
  targetAccount: z.int().nullish(),
  payOut: PayOutName,
  paymentMetadata: Metadata,
});

export const isExpired = (services: WiseServices, { status, createdAtMs }: Quote): boolean =>
  status === 'PENDING' && services.now() >= createdAtMs + EXPIRES_AFTER_MS;

function amountIn(order: z.output<typeof NewQuote>): Pick<Quote, 'providedAmountType' | 'amount'> {
  const { sourceAmount, targetAmount, sourceCurrency, targetCurrency } = order;
  const given = [
    { name: 'sourceAmount', amount: sourceAmount, currency: sourceCurrency, type: 'SOURCE' },
    { name: 'targetAmount', amount: targetAmount, currency: targetCurrency, type: 'TARGET' },
  ] as const;
  const [first, second] = given.filter(({ amount }) => typeof amount === 'number');
  const single: ErrorItem = {
    code: 'error.quote.amount.onlySingle',
    message: 'Please only specify a source or target amount.',
    path: 'sourceAmount',
  };
  if (first === undefined || second !== undefined) throw invalid(400, [single]);
  const minor = toMinorUnits(first.currency, first.amount ?? 0);
  if (minor === undefined) {
    throw invalid(400, [
      { code: 'BAD_REQUEST', message: 'The amount has too many decimals.', path: first.name },
    ]);
  }
  if (minor <= 0) {
    const message = "Please type in a number that's larger than 0.";
    throw invalid(400, [{ code: 'error.greaterThanZero', message, path: first.name }]);
  }
  return { providedAmountType: first.type, amount: minor };
}

const payOutNamed = (name: z.output<typeof PayOutName>): PayOut | undefined =>
  name === 'SWIFT' || name === 'SWIFT_OUR' || name === 'BANK_TRANSFER' ? name : undefined;

/** Adds a recipient to a quote, which may change the payout method and the fee. */
function tie(account: Account, quote: Quote, target: number, payOut: PayOut | undefined): void {
  const recipient = findRecipient(account, target);
  if (!recipient.active) throw refusal(422, 'NOT_VALID', 'The recipient is not active.', 'targetAccount');
  if (recipient.currency !== quote.targetCurrency) {
    throw refusal(422, 'NOT_VALID', 'The recipient is in another currency.', 'targetAccount');
  }
  const own = formOf(recipient.currency, recipient.type)?.payOut ?? 'BANK_TRANSFER';
  quote.targetAccount = target;
  quote.payOut = own === 'SWIFT' && payOut === 'SWIFT_OUR' ? 'SWIFT_OUR' : own;
}

function createQuote(
  services: WiseServices,
  account: Account,
  profile: Profile,
  order: z.output<typeof NewQuote>,
): Quote {
  const { sourceCurrency, targetCurrency } = order;
  const provided = amountIn(order);
  const rate = rateOf(account.options, sourceCurrency, targetCurrency);
  if (rate === undefined) {
    throw invalid(422, [
      {
        code: 'error.route.not.supported',
        message: 'This route is not supported',
        arguments: [`${sourceCurrency}-${targetCurrency}`],
      },
    ]);
  }
  const quote: Quote = {
    id: randomUUID(),
    profile: profile.id,
    sourceCurrency,
    targetCurrency,
    ...provided,
    preferredPayIn: order.preferredPayIn ?? order.payIn ?? 'BANK_TRANSFER',
    payOut: payOutNamed(order.payOut) ?? 'BANK_TRANSFER',
    rate,
    createdAtMs: services.now(),
    targetAccount: null,
    transferNature: order.paymentMetadata?.transferNature ?? null,
    status: 'PENDING',
  };
  if (typeof order.targetAccount === 'number')
    tie(account, quote, order.targetAccount, payOutNamed(order.payOut));
  account.quotes.push(quote);
  return quote;
}

/** A quote of any profile of the account. */
export function findQuote(services: WiseServices, account: Account, id: string): Quote {
  const quote = account.quotes.find((candidate) => candidate.id === id);
  const isGone =
    quote === undefined ||
    (isExpired(services, quote) && services.now() >= quote.createdAtMs + EXPIRES_AFTER_MS + SHOWN_AFTER_MS);
  if (isGone) throw notFound('error.quote.not.found', `Quote ${id} was not found`);
  return quote;
}

function disabledReason(account: Account, quote: Quote, payIn: PayIn, needed: number) {
  if (payIn !== 'BALANCE') return null;
  const balance = balanceIn(profileOf(account, quote.profile), quote.sourceCurrency);
  if (balance !== undefined && amountOf(balance) >= needed) return null;
  return {
    code: 'error.payInmethod.disabled.balance',
    message: `Insufficient ${quote.sourceCurrency} balance.`,
  };
}

export function renderQuote(services: WiseServices, account: Account, quote: Quote) {
  const { createdAtMs, preferredPayIn } = quote;
  const other: PayIn = preferredPayIn === 'BALANCE' ? 'BANK_TRANSFER' : 'BALANCE';
  // Lists more payout methods than the quote's own. The top level has the selected one.
  const payOuts: PayOut[] = [quote.payOut === 'SWIFT' ? 'SWIFT_OUR' : 'SWIFT', quote.payOut];
  const paymentOptions = payOuts.flatMap((payOut) =>
    [preferredPayIn, other].map((payIn) => {
      const price = priceOf(quote, account.options, payIn, payOut);
      const tooLittle =
        price.converted <= 0 ? { code: 'error.amount.too.small', message: 'The amount is too small.' } : null;
      return renderPaymentOption(quote, { payIn, payOut }, price, {
        disabledReason: tooLittle ?? disabledReason(account, quote, payIn, price.sourceAmount),
        deliveryMs: createdAtMs + DELIVERY_MS,
      });
    }),
  );
  const isSource = quote.providedAmountType === 'SOURCE';
  const amount = toMajor(isSource ? quote.sourceCurrency : quote.targetCurrency, quote.amount);
  return {
    id: quote.id,
    sourceCurrency: quote.sourceCurrency,
    targetCurrency: quote.targetCurrency,
    // The top level has only the amount that was given.
    ...(isSource ? { sourceAmount: amount } : { targetAmount: amount }),
    payOut: quote.payOut,
    preferredPayIn,
    rate: quote.rate,
    createdTime: secondTime(createdAtMs),
    user: account.user,
    profile: quote.profile,
    rateType: 'FIXED',
    rateExpirationTime: secondTime(createdAtMs + account.options.rateHeldMs),
    guaranteedTargetAmountAllowed: true,
    targetAmountAllowed: true,
    guaranteedTargetAmount: !isSource,
    providedAmountType: quote.providedAmountType,
    paymentOptions,
    ...(quote.targetAccount === null ? {} : { targetAccount: quote.targetAccount }),
    ...(quote.transferNature === null ? {} : { paymentMetadata: { transferNature: quote.transferNature } }),
    status: isExpired(services, quote) ? 'EXPIRED' : quote.status,
    expirationTime: secondTime(createdAtMs + EXPIRES_AFTER_MS),
    notices: [],
    type: 'REGULAR',
    funding: 'POST',
  };
}

export function addQuoteRoutes(routes: WiseRoutes, services: WiseServices): void {
  const path = '/profiles/:profile/quotes';
  /** Quotes are visible only in their own profile. */
  const quoteIn = (c: WiseContext): Quote => {
    const profile = profileIn(c);
    const found = findQuote(services, c.get('account'), c.req.param('quote') ?? '');
    if (found.profile !== profile.id) throw notFound('error.quote.not.found', 'The quote was not found');
    return found;
  };
  routes.on('POST', ['v3'], path, async (c) => {
    const account = c.get('account');
    const quote = createQuote(services, account, profileIn(c), await readBody(c, NewQuote));
    return c.json(renderQuote(services, account, quote));
  });
  routes.on('GET', ['v3'], `${path}/:quote`, (c) =>
    c.json(renderQuote(services, c.get('account'), quoteIn(c))),
  );
  routes.on('PATCH', ['v3'], `${path}/:quote`, async (c) => {
    const account = c.get('account');
    const quote = quoteIn(c);
    const change = await readBody(c, QuoteChange, 'application/merge-patch+json');
    if (quote.status !== 'PENDING' || isExpired(services, quote)) {
      throw refusal(422, 'error.quote.not.pending', 'The quote was used or has expired.');
    }
    if (typeof change.targetAccount === 'number') {
      tie(account, quote, change.targetAccount, payOutNamed(change.payOut));
    } else if (quote.targetAccount === null) {
      quote.payOut = payOutNamed(change.payOut) ?? quote.payOut;
    }
    quote.transferNature = change.paymentMetadata?.transferNature ?? quote.transferNature;
    return c.json(renderQuote(services, account, quote));
  });
}
