// Charges that were made or changed since some time: those that were made, then those that something happened to.

import type { Stripe } from 'stripe';
import type { ListedOrder, Page } from '../provider.ts';
import { EXPIRY } from './checkout-parameters.ts';
import { type CallStripe, secondsOf } from './client.ts';
import { eventTypes, subjectOf } from './events.ts';
import { paymentOf, WITH_PAYMENT } from './payment.ts';
import { reportOf } from './report.ts';
import { readSession, referenceOf } from './sessions.ts';

const PAGE = 100;
/** Each may lead to a session that must be read. */
const EVENTS_PAGE = 25;

/** A page says what is listed and after what: `made:cs_...`, `changed:evt_...`. */
const FIRST_OF_CHANGED = 'changed:';

export async function listCharges(
  ask: CallStripe,
  signal: AbortSignal,
  since: Date,
  page: string | undefined,
): Promise<Page<ListedOrder>> {
  const after = page?.slice(page.indexOf(':') + 1) || undefined;
  return page?.startsWith(FIRST_OF_CHANGED)
    ? await listChanged(ask, signal, since, after)
    : await listMade(ask, signal, since, after);
}

async function listMade(
  ask: CallStripe,
  signal: AbortSignal,
  since: Date,
  after: string | undefined,
): Promise<Page<ListedOrder>> {
  const { data, has_more: more } = await ask(signal, (stripe) =>
    stripe.checkout.sessions.list({
      created: { gte: secondsOf(since) },
      limit: PAGE,
      expand: WITH_PAYMENT.map((member) => `data.${member}`),
      ...(after && { starting_after: after }),
    }),
  );
  const last = data.at(-1);
  return {
    items: await listed(ask, signal, data),
    next: more && last ? `made:${last.id}` : FIRST_OF_CHANGED,
  };
}

/** Stripe keeps events for thirty days, whether they were delivered or not. */
async function listChanged(
  ask: CallStripe,
  signal: AbortSignal,
  since: Date,
  after: string | undefined,
): Promise<Page<ListedOrder>> {
  const { data, has_more: more } = await ask(signal, (stripe) =>
    stripe.events.list({
      created: { gte: secondsOf(since) },
      types: [...eventTypes],
      limit: EVENTS_PAGE,
      ...(after && { starting_after: after }),
    }),
  );
  const found = new Map<string, Stripe.Checkout.Session>();
  for (const id of new Set(data.flatMap((event) => leadOf(event) ?? []))) {
    const session = await readSession(ask, signal, id);
    // Those made since then are listed already.
    if (session && session.created < secondsOf(since)) found.set(session.id, session);
  }
  const last = data.at(-1);
  return {
    items: await listed(ask, signal, [...found.values()]),
    next: more && last ? `${FIRST_OF_CHANGED}${last.id}` : undefined,
  };
}

/** The id that leads to the session that an event is about. */
function leadOf({ data: { object } }: Stripe.Event): string | undefined {
  // Of the types that we ask for; each has an id and the name of its kind.
  const { id, object: kind, ...members } = object as { id: string; object: string };
  const subject = subjectOf({ metadata: undefined, ...members, id, object: kind });
  if (subject?.kind !== 'charge') return undefined;
  if (subject.providerReference) return subject.providerReference;
  if (kind === 'payment_intent') return id;
  return 'payment_intent' in members && typeof members.payment_intent === 'string'
    ? members.payment_intent
    : undefined;
}

/** Of what others made on the account no more than that it is there. */
async function listed(
  ask: CallStripe,
  signal: AbortSignal,
  sessions: Stripe.Checkout.Session[],
): Promise<ListedOrder[]> {
  const items: ListedOrder[] = [];
  for (const session of sessions.filter(({ mode }) => mode === 'payment')) {
    const reference = referenceOf(session);
    const expiry = session.metadata?.[EXPIRY];
    const order = expiry ? { expiresAt: new Date(expiry) } : undefined;
    const report = reference ? await reportOf(ask, signal, paymentOf(session), order) : undefined;
    items.push({ reference, providerReference: session.id, report });
  }
  return items;
}
