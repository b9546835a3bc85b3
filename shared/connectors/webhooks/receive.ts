// Receives webhooks of CRMs: verifies and stores them. They are hints; a job reads the records again.
import { waitUntil } from '../../platform/background.ts';
import { constantTimeEqual, sha256Hex } from '../../platform/crypto.ts';
import { type Sql, type Statement, WORKER_SESSION } from '../../platform/db/database.ts';
import { isTenantMoving } from '../../platform/db/unavailable.ts';
import type { JobDependencies } from '../../platform/jobs/job.ts';
import { runAndCollectJobs } from '../../platform/jobs/new-jobs.ts';
import { transactionWithJobs } from '../../platform/jobs/transaction-with-jobs.ts';
import { errorFields } from '../../platform/logger.ts';
import { parseJson } from '../../platform/vendor-json.ts';
import type { Crm, Hint } from '../crms/crm.ts';
import { crmNamed } from '../registry.ts';

/** What verifies the webhooks of an account. */
export interface Receiver {
  tenant_id: string;
  crm: string;
  status: string;
  /** Addresses of webhooks that were registered before the deployment had another one. */
  former_urls: string[];
  credentials: Record<string, string> | null;
  webhook_secret: string | null;
}

interface CrmDelivery {
  crm: string;
  accountId: string;
  headers: Headers;
  /** The secret in the path; undefined without one. */
  pathSecret: string | undefined;
  /** The address under which the webhook was registered. */
  url: string;
}

interface OpenDelivery {
  tenantId: string;
  /** Verifies the body and stores what it says. Returns false if it is not proved. */
  receive(body: Uint8Array): Promise<boolean>;
}

/** Returns undefined if the account is unknown, or the path shows that the CRM did not send it. */
export async function openCrmDelivery(
  { crm: name, accountId, headers, pathSecret, url }: CrmDelivery,
  dependencies: JobDependencies,
): Promise<OpenDelivery | undefined> {
  const { database } = dependencies;
  const [row] = await database.transaction({ ...WORKER_SESSION, reads: true }, (sql) =>
    selectReceiver(sql, accountId),
  );
  const receiver = row?.receiver;
  const definition = crmNamed(name);
  if (!definition || receiver?.crm !== name || receiver.status === 'disconnected') return undefined;
  const { tenant_id: tenantId, webhook_secret: secret, credentials } = receiver;
  const reject = () =>
    database
      .transaction(WORKER_SESSION, (sql) => ({
        counted: sql`select app.count_rejected_crm_event(${accountId})`,
      }))
      // A sender without a proof does not learn that the tenant is being moved.
      .catch((error: unknown) => {
        if (!isTenantMoving(error)) throw error;
      });
  if (
    !secret ||
    (definition.hasSecretInAddress
      ? !pathSecret || !constantTimeEqual(pathSecret, secret)
      : pathSecret !== undefined)
  ) {
    await reject();
    return undefined;
  }
  return {
    tenantId,
    async receive(body) {
      const crm = await definition.load();
      const delivery = { headers, body, secret, credentials: credentials ?? {}, nowMs: Date.now() };
      let isGenuine = false;
      for (const registered of [url, ...receiver.former_urls])
        isGenuine ||= await crm.isGenuine({ ...delivery, url: registered });
      if (!isGenuine) {
        await reject();
        return false;
      }
      const hints = readHints(crm, body);
      const { rows, jobs } = await runAndCollectJobs(
        (work) => database.transaction(WORKER_SESSION, work),
        (sql) => storeEvents(sql, accountId, hints, body),
      );
      waitUntil(() => dependencies.queue.publish(jobs, dependencies.log));
      if (!rows[0]?.is_awake) waitUntil(() => wake(accountId, dependencies));
      return true;
    },
  };
}

/** Waits for no other transaction, so that the CRM gets its answer in time. Not awake: another one had locked the account or its job. */
const storeEvents = (
  sql: Sql,
  accountId: string,
  hints: readonly StoredHint[],
  body: Uint8Array,
): Statement<{ is_awake: boolean }> => sql`
  select app.store_crm_events(${accountId}, ${JSON.stringify(hints)}::jsonb, ${storableText(body)}) as is_awake`;

/** If it fails, the records are read with the next reconciliation. */
const wake = (accountId: string, dependencies: JobDependencies) =>
  transactionWithJobs(dependencies, WORKER_SESSION, (sql) => ({
    awake: sql`select app.wake_crm(${accountId})`,
  })).catch((error: unknown) =>
    dependencies.log.warn('account of a crm not woken', { account_id: accountId, ...errorFields(error) }),
  );

export const selectReceiver = (sql: Sql, accountId: string): Statement<{ receiver: Receiver | null }> =>
  sql`select app.crm_receiver(${accountId}) as receiver`;

/** The body as text, without characters that Postgres cannot store. */
const storableText = (body: Uint8Array): string =>
  new TextDecoder().decode(body).replaceAll('\u0000', '\ufffd');

/** Far longer than any id. */
const MAX_ID_LENGTH = 200;

const isStorable = (id: string): boolean =>
  id.length > 0 && id.length <= MAX_ID_LENGTH && id.isWellFormed() && !id.includes('\u0000');

/** As `app.store_crm_events` takes it. */
interface StoredHint {
  event_id: string;
  type: string;
  kind?: string;
  id?: string;
  activity_type?: string | undefined;
  /** Its part of a body with several events, so that the erasure of a person does not touch the events of others. */
  body?: string;
  merge?: { losers: readonly string[]; former_id: string | null };
}

/** What is no JSON, or has ids that no record can have, is kept as text. */
function readHints(crm: Crm, body: Uint8Array): StoredHint[] {
  const hash = sha256Hex(body);
  const unreadable = [{ event_id: `sha256:${hash}`, type: 'unreadable' }];
  let hints: Hint[];
  try {
    hints = crm.readHints(parseJson(new TextDecoder('utf-8', { fatal: true }).decode(body)));
  } catch {
    return unreadable;
  }
  if (hints.length === 0) return [{ event_id: `sha256:${hash}`, type: 'empty' }];
  const parts = partsOf(body, hints.length);
  return hints.map(({ eventId, type, about }, place) => {
    const part = parts[place];
    const stored: StoredHint = {
      ...(part !== undefined && { body: part }),
      event_id: eventId && isStorable(eventId) ? eventId : `sha256:${hash}:${place}`,
      type: isStorable(type) ? type : 'unknown',
    };
    if (!about || !isStorable(about.id)) return stored;
    const { kind, id, activityType, merged } = about;
    return {
      ...stored,
      kind,
      id,
      activity_type: activityType,
      ...(merged && {
        merge: { losers: merged.losers.filter(isStorable), former_id: merged.formerId ?? null },
      }),
    };
  });
}

/** The events of a body that is a list of them. */
function partsOf(body: Uint8Array, count: number): string[] {
  const parsed = parseJson(storableText(body));
  return Array.isArray(parsed) && parsed.length === count ? parsed.map((part) => JSON.stringify(part)) : [];
}
