/** Pages for payers: the Checkout page, and the instructions of a bank transfer. */
import type { Context, Hono } from 'hono';
import { html } from 'hono/html';
import type { ProviderEnvironment } from '../old/provider-server.ts';
import { cardNumbers, cardOf } from './cards.ts';
import { inWords } from './currencies.ts';
import { missing } from './errors.ts';
import type { Method } from './options.ts';
import { receiveTransfer, remainingOf } from './pay-by-transfer.ts';
import { intentOf } from './payments.ts';
import type { StripeServices } from './services.ts';
import type { Account, Session } from './state.ts';
import { submit } from './submit.ts';

export function addPages(app: Hono<ProviderEnvironment>, services: StripeServices): void {
  const accounts = () => Object.values(services.kit.state.accounts);
  const find = (id: string): { account: Account; session: Session } => {
    for (const account of accounts()) {
      const session = account.sessions.find((one) => one.id === id);
      if (session !== undefined) return { account, session };
    }
    throw missing('checkout.session', id, 'session');
  };

  app.get('/c/pay/:id', (c) => {
    const { account, session } = find(c.req.param('id'));
    if (session.status === 'open') return c.html(sessionPage(account, session));
    return c.html(messagePage(account, `This session is ${session.status}.`));
  });

  // The payer submits the page: `method`, `number`, `name`, `email`, and `authentication` if the card requires it.
  app.post('/c/pay/:id', async (c) => {
    const { account, session } = find(c.req.param('id'));
    const form = await c.req.parseBody();
    const text = (name: string): string | undefined => {
      const value = form[name];
      return typeof value === 'string' && value !== '' ? value : undefined;
    };
    submit(services, account, session, {
      method: text('method'),
      number: text('number'),
      name: text('name'),
      email: text('email'),
      authentication: text('authentication'),
    });
    return session.status === 'complete'
      ? whatFollows(c, services, account, session)
      : c.redirect(c.req.path, 303);
  });

  app.get('/bank_transfers/:intent', (c) => {
    const id = c.req.param('intent');
    const account = accounts().find(({ intents }) => intents.some((intent) => intent.id === id));
    if (account === undefined) throw missing('payment_intent', id, 'intent');
    const intent = intentOf(account, id);
    return c.html(transferPage(account, intent.currency, remainingOf(intent), intent.status));
  });

  app.post('/bank_transfers/:intent', async (c) => {
    const id = c.req.param('intent');
    const account = accounts().find(({ intents }) => intents.some((intent) => intent.id === id));
    if (account === undefined) throw missing('payment_intent', id, 'intent');
    const { amount } = await c.req.parseBody();
    receiveTransfer(services, account, intentOf(account, id), Number(amount));
    return c.redirect(c.req.path, 303);
  });
}

function whatFollows(c: Context, services: StripeServices, account: Account, session: Session): Response {
  const intent = account.intents.find(({ id }) => id === session.payment_intent);
  if (intent?.status === 'requires_action')
    return c.redirect(`${services.kit.url}/bank_transfers/${intent.id}`, 303);
  return c.redirect(session.success_url.replace('{CHECKOUT_SESSION_ID}', session.id), 303);
}

const document = (account: Account, body: ReturnType<typeof html>) =>
  html`<!doctype html><html lang="en"><meta charset="utf-8"><title>${account.name}</title><h1>${account.name}</h1>${body}</html>`;

const messagePage = (account: Account, words: string) => document(account, html`<p>${words}</p>`);

const WORDS: Record<Method, string> = {
  card: 'Pay by card',
  us_bank_account: 'Pay from a US bank account',
  sepa_debit: 'Pay by SEPA debit',
  customer_balance: 'Pay by bank transfer',
};
const NUMBERS: Record<Method, string> = {
  card: '4242424242424242',
  us_bank_account: '000123456789',
  sepa_debit: 'AT611904300234573201',
  customer_balance: '',
};

function sessionPage(account: Account, session: Session) {
  const intent = account.intents.find(({ id }) => id === session.payment_intent);
  const error = intent?.last_payment_error?.message;
  const authenticates = intent?.status === 'requires_action';
  const form = (
    method: Method,
  ) => html`<form method="post"><input type="hidden" name="method" value="${method}">
    ${method === 'customer_balance' ? '' : html`<input name="number" value="${NUMBERS[method]}" list="cards">`}
    <input name="name" value="Jenny Rosen"><input name="email" value="${session.customer_email ?? 'jenny@example.com'}">
    ${authenticates && method === 'card' ? html`<select name="authentication"><option>pass<option>fail</select>` : ''}
    <button>${WORDS[method]}</button></form>`;
  const cards = cardNumbers().map(
    (number) => html`<option value="${number}">${cardOf(number).brand}</option>`,
  );
  return document(
    account,
    html`<p>${inWords(session.amount_total, session.currency)}</p>
    <p>${error === undefined ? '' : String(error)}</p><p>${authenticates ? 'The bank requires authentication.' : ''}</p>
    ${session.payment_method_types.map(form)}<datalist id="cards">${cards}</datalist>
    ${session.cancel_url === null ? '' : html`<a href="${session.cancel_url}">Back</a>`}`,
  );
}

const transferPage = (account: Account, currency: string, remaining: number, status: string) =>
  document(
    account,
    html`<p>${status}: ${inWords(remaining, currency)} to transfer</p>
    <form method="post"><input name="amount" value="${remaining}"><button>Transfer (minor units)</button></form>`,
  );
