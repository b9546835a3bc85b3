/** `/accounts`: recipients of payments. */
import { z } from 'zod';
import { forbidden, invalid, notFound, refusal } from './errors.ts';
import { fieldErrors } from './form-check.ts';
import type { Draft } from './form-fields.ts';
import { formOf, formsOf } from './forms.ts';
import { renderNewRecipient, renderOldRecipient } from './recipient-render.ts';
import { isVersion, numberIn, readBody, readCount, type WiseContext, type WiseRoutes } from './requests.ts';
import type { WiseServices } from './services.ts';
import type { Account, Recipient } from './state.ts';

const MAX_ON_PAGE = 20;

/** Details as sent: strings, with a nested `address`. Some of Wise's own examples contain numbers. */
export const Details = z.record(z.string(), z.unknown());

export const RecipientOrder = z.object({
  profile: z.int().optional(),
  accountHolderName: z.string().optional(),
  currency: z.string(),
  type: z.string(),
  ownedByCustomer: z.boolean().default(false),
  details: Details,
});

/** Flattens the request to form keys. Ignores values that are neither strings nor numbers. */
export function draftOf({
  accountHolderName,
  details,
}: {
  accountHolderName?: string | undefined;
  details: object;
}): Draft {
  const draft: Record<string, string> = accountHolderName === undefined ? {} : { accountHolderName };
  const add = (members: object, prefix: string): void => {
    for (const [name, value] of Object.entries(members)) {
      if (typeof value === 'string' || typeof value === 'number') draft[`${prefix}${name}`] = String(value);
      else if (typeof value === 'object' && value !== null) add(value, `${prefix}${name}.`);
    }
  };
  add(details, '');
  return draft;
}

function createRecipient(
  services: WiseServices,
  account: Account,
  order: z.output<typeof RecipientOrder>,
): Recipient {
  // Without a profile, Wise uses the personal profile.
  const profile =
    order.profile === undefined
      ? account.profiles.find(({ type }) => type === 'PERSONAL')
      : account.profiles.find(({ id }) => id === order.profile);
  if (profile === undefined) throw forbidden();
  if (formsOf(order.currency, false).length === 0) {
    throw refusal(422, 'NOT_VALID', 'We do not support this currency.', 'currency');
  }
  const form = formOf(order.currency, order.type);
  if (form === undefined) throw refusal(422, 'NOT_VALID', 'This recipient type is not available.', 'type');
  const draft = draftOf(order);
  const errors = fieldErrors(form.fields, draft);
  if (errors.length > 0) throw invalid(422, errors);
  const { accountHolderName = '', ...details } = draft;
  const recipient: Recipient = {
    id: services.newId('recipient'),
    profile: profile.id,
    accountHolderName,
    currency: order.currency,
    type: order.type,
    country: form.country ?? details.IBAN?.slice(0, 2) ?? details['address.country'] ?? null,
    active: true,
    ownedByCustomer: order.ownedByCustomer,
    details,
  };
  account.recipients.push(recipient);
  return recipient;
}

export function findRecipient(account: Account, id: number): Recipient {
  const recipient = account.recipients.find((candidate) => candidate.id === id);
  if (recipient === undefined) throw notFound('RECIPIENT_MISSING', `Account ${id} was not found`);
  return recipient;
}

const listOf = (text: string | undefined): string[] | undefined =>
  text?.split(',').filter((one) => one !== '');

/** Recipients that match the query, oldest first. */
function matchingRecipients(c: WiseContext, profileName: string): Recipient[] {
  const account = c.get('account');
  const fallback = account.profiles.find(({ type }) => type === 'PERSONAL')?.id ?? 0;
  const profile = readCount(c, profileName, fallback);
  const currencies = listOf(c.req.query('currency'));
  const types = listOf(c.req.query('type'));
  const active = (c.req.query('active') ?? 'true') === 'true';
  return account.recipients.filter(
    (recipient) =>
      recipient.profile === profile &&
      recipient.active === active &&
      (currencies?.includes(recipient.currency) ?? true) &&
      (types?.includes(recipient.type) ?? true),
  );
}

/** A page in the newer format: starts at an id and returns the id of the next page. */
function pageOf(c: WiseContext, found: readonly Recipient[]) {
  const size = Math.min(readCount(c, 'size', MAX_ON_PAGE), MAX_ON_PAGE);
  const from = readCount(c, 'seekPosition', 0);
  const [, order = 'asc'] = (c.req.query('sort') ?? 'id,asc').split(',');
  const sorted = order === 'desc' ? [...found].reverse() : found;
  const start = from === 0 ? 0 : sorted.findIndex(({ id }) => id === from);
  const rest = start < 0 ? [] : sorted.slice(start);
  return {
    content: rest.slice(0, size).map(renderNewRecipient),
    sort: { empty: false, sorted: true, unsorted: false },
    seekPositionForCurrent: from,
    seekPositionForNext: rest[size]?.id ?? null,
    size: Math.min(rest.length, size),
  };
}

export function addRecipientRoutes(routes: WiseRoutes, services: WiseServices): void {
  const render = (c: WiseContext, recipient: Recipient) =>
    isVersion(c, 'v1') ? renderOldRecipient(recipient, c.get('account').user) : renderNewRecipient(recipient);

  routes.on('POST', ['v1', 'v2'], '/accounts', async (c) => {
    const account = c.get('account');
    const recipient = createRecipient(services, account, await readBody(c, RecipientOrder));
    return c.json(
      account.options.createdRecipient === 'v1' || isVersion(c, 'v1')
        ? renderOldRecipient(recipient, account.user)
        : renderNewRecipient(recipient),
    );
  });
  routes.on('GET', ['v1', 'v2'], '/accounts', (c) => {
    if (!isVersion(c, 'v1')) return c.json(pageOf(c, matchingRecipients(c, 'profileId')));
    const { user } = c.get('account');
    return c.json(matchingRecipients(c, 'profile').map((recipient) => renderOldRecipient(recipient, user)));
  });
  routes.on('GET', ['v1', 'v2'], '/accounts/:id', (c) =>
    c.json(render(c, findRecipient(c.get('account'), numberIn(c, 'id')))),
  );
  routes.on('DELETE', ['v1', 'v2'], '/accounts/:id', (c) => {
    const recipient = findRecipient(c.get('account'), numberIn(c, 'id'));
    if (!recipient.active) throw forbidden();
    recipient.active = false;
    return c.json(render(c, recipient));
  });
}
