// Lists the charges created since a time, then older charges that have changed since.

import type { Stripe } from 'stripe';
import type { ListedOrder, Page } from '../accounts.ts';
import { EXPIRY } from './checkout-parameters.ts';
import { type CallStripe, PAGE_SIZE, secondsOf } from './client.ts';
import { eventTypes, subjectOf } from './events.ts';
import { reportOf } from './report.ts';
import { paymentOf, readSession, referenceOf, WITH_PAYMENT } from './sessions.ts';

/** Small, because each event may require reading a session. */
const EVENTS_PAGE = 25;

/** A page cursor contains the list and the last id: `made:cs_...`, `changed:evt_...`. */
const FIRST_OF_CHANGED = 'changed:';

export async function listCharges(
  ask: CallStripe,
  since: Date,
  page: string | undefined,
): Promise<Page<ListedOrder>> {
  const after = page?.slice(page.indexOf(':') + 1) || undefined;
  return page?.startsWith(FIRST_OF_CHANGED)
    ? await listChanged(ask, since, after)
    : await listMade(ask, since, after);
}

async function listMade(ask: CallStripe, since: Date, after: string | undefined): Promise<Page<ListedOrder>> {
  const { data, has_more: more } = await ask((stripe) =>
    stripe.checkout.sessions.list({
      created: { gte: secondsOf(since) },
      limit: PAGE_SIZE,
      expand: WITH_PAYMENT.map((member) => `data.${member}`),
      ...(after && { starting_after: after }),
    }),
  );
  const last = data.at(-1);
  return {
    items: await listed(ask, data, { isNew: true }),
    next: more && last ? `made:${last.id}` : FIRST_OF_CHANGED,
  };
}

/** Stripe keeps events for thirty days, whether or not they were delivered. */
async function listChanged(
  ask: CallStripe,
  since: Date,
  after: string | undefined,
): Promise<Page<ListedOrder>> {
  const { data, has_more: more } = await ask((stripe) =>
    stripe.events.list({
      created: { gte: secondsOf(since) },
      types: [...eventTypes],
      limit: EVENTS_PAGE,
      ...(after && { starting_after: after }),
    }),
  );
  const found = new Map<string, Stripe.Checkout.Session>();
  for (const id of new Set(data.flatMap((event) => lookupIdOf(event) ?? []))) {
    const session = await readSession(ask, id);
    // `listMade` already lists the sessions created since then.
    if (session && session.created < secondsOf(since)) found.set(session.id, session);
  }
  const last = data.at(-1);
  return {
    items: await listed(ask, [...found.values()], { isNew: false }),
    next: more && last ? `${FIRST_OF_CHANGED}${last.id}` : undefined,
  };
}

/** An id by which `readSession` finds the session of an event. */
function lookupIdOf({ data: { object } }: Stripe.Event): string | undefined {
  // Every object of the requested event types has an id and an object name.
  const { id, object: kind, ...members } = object as { id: string; object: string };
  const subject = subjectOf({ metadata: undefined, ...members, id, object: kind });
  if (subject?.kind !== 'charge') return undefined;
  if (subject.providerReference) return subject.providerReference;
  if (kind === 'payment_intent') return id;
  return 'payment_intent' in members && typeof members.payment_intent === 'string'
    ? members.payment_intent
    : undefined;
}

/** Sessions created by other integrations have no reference and no report. */
async function listed(
  ask: CallStripe,
  sessions: Stripe.Checkout.Session[],
  { isNew }: { isNew: boolean },
): Promise<ListedOrder[]> {
  const items: ListedOrder[] = [];
  for (const session of sessions.filter(({ mode }) => mode === 'payment')) {
    const reference = referenceOf(session);
    const expiry = session.metadata?.[EXPIRY];
    const order = expiry ? { expiresAt: new Date(expiry) } : undefined;
    const report = reference ? await reportOf(ask, paymentOf(session), order, { isNew }) : undefined;
    // Other payment pages of the order may have been paid as well.
    items.push({ reference, providerReference: session.id, report, isPartial: true });
  }
  return items;
}
