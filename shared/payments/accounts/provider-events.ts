// What providers tell us of accounts: kept as it came, and applied by looking at what it is about.
import { createHash } from 'node:crypto';
import { WORKER_SESSION } from '../../platform/db/database.ts';
import type { JobDependencies, JobResult } from '../../platform/jobs/job.ts';
import { transactionWithJobs } from '../../platform/jobs/transaction-with-jobs.ts';
import { lookUpOrderByName } from '../lookups/look-up-by-name.ts';
import type { LookupResult } from '../orders/queries.ts';
import type { ConnectedProvider, EventSubject, ProviderEvent, Providers } from '../providers/provider.ts';
import { lookAtTaxDocumentNow } from '../tax-documents/queries.ts';
import {
  countRejected,
  keepEvents,
  markEventApplied,
  scheduleCheck,
  selectAccount,
  selectEvent,
} from './queries.ts';

export interface ProviderDelivery {
  provider: string;
  accountId: string;
  headers: Headers;
  body: Uint8Array;
}

/** Keeps what a delivery says. Gives false for one that is nobody's, or that its provider did not send. */
export async function receiveDelivery(
  { provider: name, accountId, headers, body }: ProviderDelivery,
  providers: Providers,
  dependencies: JobDependencies,
): Promise<boolean> {
  const [row] = await dependencies.database.transaction({ ...WORKER_SESSION, reads: true }, (sql) =>
    selectAccount(sql, accountId),
  );
  if (row?.account?.provider !== name) return false;
  const provider = await providers.connect(row.account);
  if (!(await provider.proves(headers, body))) {
    await dependencies.database.transaction(WORKER_SESSION, (sql) => countRejected(sql, accountId));
    return false;
  }
  const text = keepable(body);
  const events = readEvents(provider, headers, body);
  await transactionWithJobs(dependencies, WORKER_SESSION, (sql) => keepEvents(sql, accountId, events, text));
  return true;
}

/** Its text without what Postgres cannot keep. */
const keepable = (body: Uint8Array): string => new TextDecoder().decode(body).replaceAll('\u0000', '\ufffd');

/** No name of an event or order is near it. */
const MAX_NAME_LENGTH = 500;

/** Whether Postgres can keep a name and find it again. */
const isKeepable = (name: string | undefined): boolean =>
  name === undefined || (name.length <= MAX_NAME_LENGTH && name.isWellFormed() && !name.includes('\u0000'));

const areKeepable = (events: ProviderEvent[]): boolean =>
  events.every(
    ({ eventId, type, about }) =>
      isKeepable(eventId) &&
      isKeepable(type) &&
      (about === undefined ||
        about.kind === 'account' ||
        (isKeepable(about.reference) && isKeepable(about.providerReference))),
  );

/** What the provider sent is answered whether or not it can be read: else it would send it again, and hold back all that follows. */
function readEvents(provider: ConnectedProvider, headers: Headers, body: Uint8Array): ProviderEvent[] {
  try {
    const events = provider.readEvents(headers, body);
    if (areKeepable(events)) return events;
  } catch {
    // Kept as what it is not.
  }
  const hash = createHash('sha256').update(body).digest('hex');
  return [{ eventId: `unreadable:${hash}`, type: 'unreadable', about: undefined }];
}

/** How often a look is tried again for an order that is not ours yet, at growing distances: our own answer from the provider may still be under way. */
const MAX_EARLY = 5;
const RESOLVE_TIMEOUT_MS = 10_000;

export async function applyEvent(
  { accountId, eventId, attempts }: { accountId: string; eventId: string; attempts: number },
  providers: Providers,
  dependencies: JobDependencies,
): Promise<JobResult> {
  const [event] = await dependencies.database.transaction(WORKER_SESSION, (sql) =>
    selectEvent(sql, accountId, eventId),
  );
  if (!event?.about || event.applied_at) return 'done';
  const outcome = await lookAt(event.about, accountId, providers, dependencies);
  const early = outcome === 'too_early' || outcome === 'unknown';
  if (early && attempts <= MAX_EARLY) return { againInSeconds: attempts ** 2 };
  await dependencies.database.transaction(WORKER_SESSION, (sql) => markEventApplied(sql, accountId, eventId));
  return 'done';
}

async function lookAt(
  about: EventSubject,
  accountId: string,
  providers: Providers,
  dependencies: JobDependencies,
): Promise<LookupResult> {
  switch (about.kind) {
    case 'account':
      await transactionWithJobs(dependencies, WORKER_SESSION, (sql) => scheduleCheck(sql, accountId));
      return 'applied';
    case 'charge':
    case 'payout': {
      const outcome = await lookUpOrderByName(about.kind, accountId, about, providers, dependencies);
      if (outcome !== 'unknown' || about.kind === 'payout' || about.reference || !about.providerReference)
        return outcome;
      const reference = await resolve(accountId, about.providerReference, providers, dependencies);
      return reference
        ? await lookUpOrderByName('charge', accountId, { reference }, providers, dependencies)
        : 'unknown';
    }
    case 'tax_document': {
      const rearmed = await transactionWithJobs(dependencies, WORKER_SESSION, (sql) =>
        lookAtTaxDocumentNow(sql, accountId, about),
      );
      return rearmed.length > 0 ? 'applied' : 'unknown';
    }
  }
}

/** What an order is called by us that an event names by something of its provider's. */
async function resolve(
  accountId: string,
  providerReference: string,
  providers: Providers,
  { database }: JobDependencies,
): Promise<string | undefined> {
  const [row] = await database.transaction(WORKER_SESSION, (sql) => selectAccount(sql, accountId));
  if (!row?.account) return undefined;
  const provider = await providers.connect(row.account);
  return await provider.resolve?.(providerReference, AbortSignal.timeout(RESOLVE_TIMEOUT_MS));
}
