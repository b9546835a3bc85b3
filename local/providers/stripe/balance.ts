/** `/v1/balance` and `/v1/balance_transactions`. The balance is the sum of the transactions. */
import { Hono } from 'hono';
import { Text } from './params.ts';
import { answer, CREATED, named, PAGING, page, read, type StripeApp, within } from './requests.ts';
import type { StripeServices } from './services.ts';
import type { Account } from './state.ts';

export interface Funds {
  amount: number;
  currency: string;
  source_types: { card: number };
}

export function balanceOf(account: Account, now: number): { available: Funds[]; pending: Funds[] } {
  const currencies = [account.defaultCurrency, ...account.transactions.map(({ currency }) => currency)];
  const sumOf = (currency: string, available: boolean): Funds => {
    const amount = account.transactions
      .filter((one) => one.currency === currency && one.available_on <= now === available)
      .reduce((sum, { net }) => sum + net, 0);
    return { amount, currency, source_types: { card: amount } };
  };
  const each = [...new Set(currencies)];
  return {
    available: each.map((currency) => sumOf(currency, true)),
    pending: each.map((currency) => sumOf(currency, false)),
  };
}

export const renderBalance = (account: Account, now: number) => {
  const { available, pending } = balanceOf(account, now);
  return { object: 'balance', available, livemode: account.livemode, pending };
};

export function balanceRoutes(services: StripeServices): StripeApp {
  const app: StripeApp = new Hono();
  app.get('/balance', (c) => {
    read(c, {});
    return answer(c, services, renderBalance(c.get('account'), services.now()));
  });

  app.get('/balance_transactions', (c) => {
    const account = c.get('account');
    const { created, currency, payout, source, type, ...paging } = read(c, {
      ...PAGING,
      ...CREATED,
      currency: Text.optional(),
      payout: Text.optional(),
      source: Text.optional(),
      type: Text.optional(),
    });
    const found = account.transactions.filter(
      (one) =>
        within(created, one.created) &&
        (currency === undefined || one.currency === currency) &&
        (payout === undefined || account.payoutOf[one.id] === payout) &&
        (source === undefined || one.source === source) &&
        (type === undefined || one.type === type),
    );
    return page(c, services, found, paging, 'balance transaction');
  });

  app.get('/balance_transactions/:id', (c) => {
    read(c, {});
    return answer(c, services, named(c, c.get('account').transactions, 'balance transaction'));
  });
  return app;
}
