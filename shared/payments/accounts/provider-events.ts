// Receives provider deliveries: verifies and stores them, then applies each event by looking up its subject at the provider.

import { z } from 'zod';
import { sha256Hex } from '../../platform/crypto.ts';
import { WORKER_SESSION } from '../../platform/db/database.ts';
import { isTenantMoving } from '../../platform/db/unavailable.ts';
import { defineJob, type JobDependencies, type JobHandler } from '../../platform/jobs/job.ts';
import { transactionWithJobs } from '../../platform/jobs/transaction-with-jobs.ts';
import { lookUpOrderById } from '../orders/look-up.ts';
import type { LookupResult } from '../orders/queries.ts';
import type { EventSubject, ProviderEvent } from '../providers/accounts.ts';
import type { ConnectedProvider, Providers } from '../providers/provider.ts';
import { scheduleTaxDocumentLookup } from '../tax-documents/queries.ts';
import { applyBalanceEvent } from './blocked-balance.ts';
import { orderResources } from './order-resources.ts';
import {
  countRejected,
  markEventApplied,
  scheduleCheck,
  selectAccount,
  selectEvent,
  storeEvents,
} from './queries.ts';

interface ProviderDelivery {
  provider: string;
  accountId: string;
  headers: Headers;
}

interface OpenDelivery {
  tenantId: string;
  /** Verifies the body and stores its events. Returns false if the signature is invalid. */
  receive(body: Uint8Array): Promise<boolean>;
}

/** Returns undefined if the account is unknown or the headers show that the delivery is not the provider's. */
export async function openDelivery(
  { provider: name, accountId, headers }: ProviderDelivery,
  providers: Providers,
  dependencies: JobDependencies,
): Promise<OpenDelivery | undefined> {
  const { database } = dependencies;
  const [row] = await database.transaction({ ...WORKER_SESSION, reads: true }, (sql) =>
    selectAccount(sql, accountId),
  );
  if (row?.account?.provider !== name) return undefined;
  const provider = await providers.connect(row.account);
  const reject = () =>
    database
      .transaction(WORKER_SESSION, (sql) => countRejected(sql, accountId))
      // A sender without a valid signature does not learn that the tenant is being moved.
      .catch((error: unknown) => {
        if (!isTenantMoving(error)) throw error;
      });
  if (!provider.mayBeFromProvider(headers)) {
    await reject();
    return undefined;
  }
  return {
    tenantId: row.account.tenantId,
    async receive(body) {
      if (!(await provider.verifyDelivery(headers, body))) {
        await reject();
        return false;
      }
      const text = storableText(body);
      const events = readEvents(provider, headers, body);
      await transactionWithJobs(dependencies, WORKER_SESSION, (sql) =>
        storeEvents(sql, accountId, events, text),
      );
      return true;
    },
  };
}

/** The body as text, without characters that Postgres cannot store. */
const storableText = (body: Uint8Array): string =>
  new TextDecoder().decode(body).replaceAll('\u0000', '\ufffd');

/** Far longer than any event or order id. */
const MAX_ID_LENGTH = 500;

/** Whether Postgres can store and index a member of an event. */
const isStorable = (member: unknown): boolean =>
  typeof member !== 'string' ||
  (member.length <= MAX_ID_LENGTH && member.isWellFormed() && !member.includes('\u0000'));

const areStorable = (events: ProviderEvent[]): boolean =>
  events.every(({ eventId, type, about }) =>
    [eventId, type, ...Object.values(about ?? {})].every(isStorable),
  );

/** Unreadable deliveries are accepted as well. Otherwise the provider would retry them and hold back later events. */
function readEvents(provider: ConnectedProvider, headers: Headers, body: Uint8Array): ProviderEvent[] {
  try {
    const events = provider.readEvents(headers, body);
    if (areStorable(events)) return events;
  } catch {
    // Stored as an unreadable event below.
  }
  const hash = sha256Hex(body);
  return [{ eventId: `unreadable:${hash}`, type: 'unreadable', about: undefined }];
}

/** Lookups of an order that we do not have yet, with increasing delays: the response to our own request may still be in flight. */
const MAX_EARLY_LOOKUPS = 5;
const RESOLVE_TIMEOUT_MS = 10_000;

/** Applies an event by looking up the order that it refers to. */
export const createApplyProviderEventJob = ({ providers }: { providers: Providers }): JobHandler =>
  defineJob({
    name: 'apply-provider-event',
    payload: z.object({ account_id: z.string(), event_id: z.string() }),
    leaseSeconds: 60,
    async run({ account_id: accountId, event_id: eventId }, { attempts }, dependencies) {
      const [event] = await dependencies.database.transaction(WORKER_SESSION, (sql) =>
        selectEvent(sql, accountId, eventId),
      );
      if (!event?.about || event.applied_at) return 'done';
      if (event.about.kind === 'balance') {
        const again = await applyBalanceEvent(
          { accountId, eventId, attempts },
          event.about,
          providers,
          dependencies,
        );
        if (again !== undefined) return { retryInSeconds: again };
        await transactionWithJobs(dependencies, WORKER_SESSION, (sql) => ({
          check: scheduleCheck(sql, accountId),
          applied: markEventApplied(sql, accountId, eventId),
        }));
        return 'done';
      }
      const outcome = await lookUpSubject(event.about, accountId, providers, dependencies);
      const early = outcome === 'too_early' || outcome === 'unknown';
      if (early && attempts <= MAX_EARLY_LOOKUPS) return { retryInSeconds: attempts ** 2 };
      await dependencies.database.transaction(WORKER_SESSION, (sql) =>
        markEventApplied(sql, accountId, eventId),
      );
      return 'done';
    },
  });

async function lookUpSubject(
  about: Exclude<EventSubject, { kind: 'balance' }>,
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
      const outcome = await lookUpOrderById(
        orderResources[about.kind],
        accountId,
        about,
        providers,
        dependencies,
      );
      if (outcome !== 'unknown' || about.kind === 'payout' || about.reference || !about.providerReference)
        return outcome;
      const reference = await findOurReference(accountId, about.providerReference, providers, dependencies);
      return reference
        ? await lookUpOrderById(orderResources.charge, accountId, { reference }, providers, dependencies)
        : 'unknown';
    }
    case 'tax_document': {
      const rearmed = await transactionWithJobs(dependencies, WORKER_SESSION, (sql) =>
        scheduleTaxDocumentLookup(sql, accountId, about),
      );
      return rearmed.length > 0 ? 'applied' : 'unknown';
    }
  }
}

/** Finds our reference for an order that an event identifies only by a provider id. */
async function findOurReference(
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
