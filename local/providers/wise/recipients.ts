/** Recipients of payments and their forms. */
import { Hono } from 'hono';
import { z } from 'zod';
import { type Desk, find, invalid, refusal, unauthorized } from './desk.ts';
import { fieldErrors, formOf, formsOf, needsAddress, renderForm } from './forms.ts';
import { Details, flat, readBody, readQuery, type WiseApp } from './requests.ts';
import type { Recipient } from './state.ts';

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
