// What waits: records that a webhook named, that changed here, or that differ. Each is read in the CRM again and compared.

import { WORKER_SESSION } from '../../platform/db/database.ts';
import { transactionWithJobs } from '../../platform/jobs/transaction-with-jobs.ts';
import { errorFields } from '../../platform/logger.ts';
import type { CrmConnection, CrmLead, CrmRecords, RecordKind, WritableKind } from '../crms/crm.ts';
import { CrmRecordGone, CrmRejected, CrmUnreadable, isAboutAccount } from '../crms/errors.ts';
import { type CrmWork, crmSession, reads } from './account.ts';
import { readNew } from './check.ts';
import { createThere } from './creations.ts';
import { type PreparedRecord, prepare, toCrmValues } from './prepare.ts';
import {
  applyRecords,
  claimPending,
  endPending,
  mayWrite,
  type Outcome,
  type PendingRecord,
  reportRefused,
  reportWritten,
  retryPending,
  selectContactsToRead,
} from './queries.ts';

/** Works on what is due before runs, or with `canWait` after them and at the end of one. Returns whether there was anything. */
export async function workOnPending(work: CrmWork, canWait = false): Promise<boolean> {
  const { account, dependencies } = work;
  const due = await dependencies.database.transaction(WORKER_SESSION, (sql) =>
    claimPending(sql, account.id, work.readsAtOnce, canWait),
  );
  for (const one of due.filter(({ crm_id: crmId }) => crmId === null)) {
    if (!(await canGoOn(work))) return true;
    await createThere(work, one).catch((error: unknown) => {
      if (isAboutAccount(error)) throw error;
      return retryLater(work, one, error);
    });
  }
  for (const kind of ['lead', 'deal', 'activity'] as const) {
    const ofKind = due.filter((one): one is ReadRecord => one.kind === kind && one.crm_id !== null);
    if (ofKind.length > 0 && work.hasTime()) await compareRecords(work, kind, ofKind);
  }
  return due.length > 0;
}

type ReadRecord = PendingRecord & { crm_id: string };

/** Whether there is time for another write, and the account was neither paused nor disconnected meanwhile. */
async function canGoOn({ account, dependencies, hasTime }: CrmWork): Promise<boolean> {
  if (!hasTime()) return false;
  const [row] = await dependencies.database.transaction(WORKER_SESSION, (sql) => mayWrite(sql, account.id));
  return row?.may_write === true;
}

async function compareRecords(
  work: CrmWork,
  kind: RecordKind,
  pending: readonly ReadRecord[],
): Promise<void> {
  const { account, connection, dependencies } = work;
  const idsOf = (records: readonly PendingRecord[]) => records.flatMap(({ ids }) => ids);
  const end = (ids: readonly string[]) =>
    dependencies.database.transaction(WORKER_SESSION, (sql) => ({ ended: endPending(sql, ids) }));
  if (!reads(account, kind)) return void (await end(idsOf(pending)));
  try {
    const ids = pending.map(({ crm_id: id }) => id);
    const found = new Map((await connection.read(kind, ids)).map((record) => [record.id, record]));
    await readNew(work, [...found.values()]);
    if (!(await readContacts(work, kind, [...found.values()]))) return;
    const prepared: PreparedRecord[] = [];
    const gone: string[] = [];
    for (const { crm_id: id, merge, take } of pending) {
      const record = found.get(id);
      const orders = { ...(merge && { merge }), ...(take && { take }) };
      if (record) prepared.push({ ...prepare(kind, record, account.settings), ...orders });
      // The leads of the losers are merged, also if the winner was merged in turn.
      else if (kind === 'lead' && merge) prepared.push({ id, merge, is_gone: true });
      else gone.push(id);
    }
    const rows = await transactionWithJobs(dependencies, crmSession(account), (sql) =>
      applyRecords(sql, account.id, kind, prepared, gone),
    );
    const toSend = new Map(
      rows.flatMap(({ outcome }) => (outcome.sent ? [[outcome.id, outcome] as const] : [])),
    );
    await end(idsOf(pending.filter(({ crm_id: id }) => !toSend.has(id))));
    for (const { crm_id: id, ids } of pending) {
      const outcome = toSend.get(id);
      if (!outcome || kind === 'activity') continue;
      if (!(await canGoOn(work))) return;
      await updateThere(work, kind, outcome);
      await end(ids);
    }
  } catch (error) {
    if (isAboutAccount(error)) throw error;
    const [only] = pending;
    // One record must not stop the others.
    if (pending.length > 1) for (const one of pending) await compareRecords(work, kind, [one]);
    else if (only) await retryLater(work, only, error);
  }
}

async function retryLater(
  { account, dependencies }: CrmWork,
  one: PendingRecord,
  error: unknown,
): Promise<void> {
  dependencies.log.warn('record of a crm not applied', {
    account_id: account.id,
    kind: one.kind,
    ...errorFields(error),
  });
  const words = error instanceof Error ? error.message : 'unknown error';
  await dependencies.database.transaction(WORKER_SESSION, (sql) => ({
    retried: retryPending(sql, one.ids, words.slice(0, 300)),
  }));
}

/** Those of these contacts that can be read. The deals of the others are listed as differences, and read again. */
async function readableContacts(connection: CrmConnection, ids: readonly string[]): Promise<CrmLead[]> {
  try {
    return await connection.read('lead', ids);
  } catch (error) {
    if (!(error instanceof CrmUnreadable)) throw error;
    const leads: CrmLead[] = [];
    if (ids.length > 1) for (const id of ids) leads.push(...(await readableContacts(connection, [id])));
    return leads;
  }
}

/**
 * Reads the contacts of deals that are not linked yet, so that the deals find their leads. Returns false if the time is over before all are
 * read. An import is silent, and leaves out what changed since it began.
 */
export async function readContacts<K extends RecordKind>(
  { account, readsAtOnce, connection, dependencies, hasTime }: CrmWork,
  kind: K,
  records: readonly CrmRecords[K][],
  importBegan?: string,
): Promise<boolean> {
  if (kind !== 'deal' || !reads(account, 'lead')) return true;
  const contacts = records.flatMap((record) =>
    'values' in record && 'contact' in record.values ? (record.values.contact ?? []) : [],
  );
  if (contacts.length === 0) return true;
  const missing = await dependencies.database.transaction(WORKER_SESSION, (sql) =>
    selectContactsToRead(sql, account.id, contacts),
  );
  const ids = missing.map(({ crm_id: id }) => id);
  for (let place = 0; place < ids.length; place += readsAtOnce) {
    // What is read is kept, so a worker whose time is over has got on.
    if (place > 0 && !hasTime()) return false;
    const leads = await readableContacts(connection, ids.slice(place, place + readsAtOnce));
    const silent = importBegan !== undefined;
    await transactionWithJobs(dependencies, crmSession(account, silent), (sql) =>
      applyRecords(
        sql,
        account.id,
        'lead',
        leads
          .filter((lead) => predatesImport(lead, importBegan))
          .map((lead) => prepare('lead', lead, account.settings)),
      ),
    );
  }
  return true;
}

/** An import reads what was there when it began; later changes come from webhooks and the next reconciliation, and are told aloud. */
export const predatesImport = (
  { updatedAt }: { updatedAt: string },
  importBegan: string | undefined,
): boolean => importBegan === undefined || Date.parse(updatedAt) <= Date.parse(importBegan);

async function updateThere(
  work: CrmWork,
  kind: WritableKind,
  { id, placar_id: placarId = '', send, sent }: Outcome,
) {
  const { account, connection, dependencies } = work;
  if (!send || !sent) return;
  try {
    const answer = await connection.update(kind, id, toCrmValues(kind, sent, account.settings));
    const record = prepare(kind, answer, account.settings);
    await dependencies.database.transaction(crmSession(account), (sql) => ({
      written: reportWritten(sql, account.id, { kind, placarId, record, send }),
    }));
  } catch (error) {
    // Deleted in the meantime: the next read finds it gone.
    if (error instanceof CrmRecordGone) return;
    if (!(error instanceof CrmRejected)) throw error;
    const words = error.message;
    await dependencies.database.transaction(crmSession(account), (sql) => ({
      refused: reportRefused(sql, account.id, { kind, crmId: id, placarId, send, words }),
    }));
  }
}
