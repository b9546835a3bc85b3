// What waits: records that a webhook named, that changed here, or that differ. Each is read in the CRM again and compared.

import { WORKER_SESSION } from '../../platform/db/database.ts';
import { transactionWithJobs } from '../../platform/jobs/transaction-with-jobs.ts';
import { errorFields } from '../../platform/logger.ts';
import type { CrmConnection, CrmLead, CrmRecords, CrmValues, RecordKind, WritableKind } from '../crms/crm.ts';
import { CrmBusy, CrmRecordGone, CrmRejected, CrmUnreadable, isAboutAccount } from '../crms/errors.ts';
import { type CrmWork, crmSession, reads } from './account.ts';
import { prepare, toCrmValues } from './prepare.ts';
import {
  applyRecords,
  beginCreation,
  type Creation,
  claimPending,
  endPending,
  type Outcome,
  type PendingRecord,
  reportCreated,
  reportRefused,
  reportWritten,
  retryPending,
  selectUnlinked,
} from './queries.ts';

/** Works on what is due before runs, or with `canWait` after them. Returns whether there was anything. */
export async function workOnPending(work: CrmWork, canWait = false): Promise<boolean> {
  const { account, dependencies } = work;
  const due = await dependencies.database.transaction(WORKER_SESSION, (sql) =>
    claimPending(sql, account.id, work.readsAtOnce, canWait),
  );
  for (const one of due.filter(({ crm_id: crmId }) => crmId === null)) {
    await createThere(work, one).catch((error: unknown) => {
      if (isAboutAccount(error)) throw error;
      return retryLater(work, one, error);
    });
  }
  for (const kind of ['lead', 'deal', 'activity'] as const) {
    const ofKind = due.filter((one): one is ReadRecord => one.kind === kind && one.crm_id !== null);
    if (ofKind.length > 0) await compareRecords(work, kind, ofKind);
  }
  return due.length > 0;
}

/** How far our clock may be ahead of the CRM's. */
const CLOCK_TOLERANCE_MS = 5000;

type ReadRecord = PendingRecord & { crm_id: string };

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
    const found = new Map(
      (
        await connection.read(
          kind,
          pending.map(({ crm_id: id }) => id),
        )
      ).map((record) => [record.id, record]),
    );
    await readContacts(work, kind, [...found.values()]);
    const prepared = pending.flatMap(({ crm_id: id, merge, take }) => {
      const record = found.get(id);
      return record
        ? [{ ...prepare(kind, record, account.settings), ...(merge && { merge }), ...(take && { take }) }]
        : [];
    });
    const gone = pending.flatMap(({ crm_id: id }) => (found.has(id) ? [] : [id]));
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
      await updateThere(work, kind, outcome);
      await end(ids);
    }
  } catch (error) {
    if (isAboutAccount(error) && !(error instanceof CrmUnreadable)) throw error;
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

/** The contacts without those that cannot be read: their deals have no lead until they change. */
async function readReadable(connection: CrmConnection, ids: readonly string[]): Promise<CrmLead[]> {
  try {
    return await connection.read('lead', ids);
  } catch (error) {
    if (!(error instanceof CrmUnreadable)) throw error;
    const leads: CrmLead[] = [];
    if (ids.length > 1) for (const id of ids) leads.push(...(await readReadable(connection, [id])));
    return leads;
  }
}

/** Reads the contacts of deals that are not linked yet, so that the deals find their leads. */
export async function readContacts<K extends RecordKind>(
  { account, readsAtOnce, connection, dependencies }: CrmWork,
  kind: K,
  records: readonly CrmRecords[K][],
  silent = false,
): Promise<void> {
  if (kind !== 'deal' || !reads(account, 'lead')) return;
  const contacts = records.flatMap((record) =>
    'values' in record && 'contact' in record.values ? (record.values.contact ?? []) : [],
  );
  if (contacts.length === 0) return;
  const missing = await dependencies.database.transaction(WORKER_SESSION, (sql) =>
    selectUnlinked(sql, account.id, 'lead', contacts),
  );
  const ids = missing.map(({ crm_id: id }) => id);
  for (let place = 0; place < ids.length; place += readsAtOnce) {
    const leads = await readReadable(connection, ids.slice(place, place + readsAtOnce));
    await transactionWithJobs(dependencies, crmSession(account, silent), (sql) =>
      applyRecords(
        sql,
        account.id,
        'lead',
        leads.map((lead) => prepare('lead', lead, account.settings)),
      ),
    );
  }
}

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

/** Creates a record of ours in the CRM. If the answer to an earlier attempt may be lost, what it sent is searched first. */
async function createThere(work: CrmWork, pending: PendingRecord): Promise<void> {
  const { account, connection, dependencies } = work;
  const { kind, placar_id: placarId, ids } = pending;
  const session = crmSession(account);
  const begin = async (isSearched: boolean) =>
    (
      await dependencies.database.transaction(session, (sql) =>
        beginCreation(sql, account.id, pending, isSearched),
      )
    )[0]?.creation;
  let creation = await begin(false);
  if (creation?.started_at && kind !== 'activity' && placarId !== null) {
    const found = await findThere(work, kind, creation);
    if (found) {
      const { send } = creation;
      const record = prepare(kind, found, account.settings);
      // What is queued stays: it may be a change since.
      await dependencies.database.transaction(session, (sql) => ({
        created: reportCreated(sql, account.id, { kind, placarId, record, send }),
      }));
      return;
    }
    creation = await begin(true);
  }
  if (!creation || placarId === null || kind === 'activity') {
    await dependencies.database.transaction(session, (sql) => ({ ended: endPending(sql, ids) }));
    return;
  }
  const { send, sent } = creation;
  try {
    const made = await connection.create(kind, toCrmValues(kind, sent, account.settings));
    const record = prepare(kind, made, account.settings);
    await dependencies.database.transaction(session, (sql) => ({
      created: reportCreated(sql, account.id, { kind, placarId, record, send }),
      ended: endPending(sql, ids),
    }));
  } catch (error) {
    if (!(error instanceof CrmRejected)) throw error;
    const words = error.message;
    await dependencies.database.transaction(session, (sql) => ({
      refused: reportRefused(sql, account.id, { kind, crmId: null, placarId, send, words }),
      ended: endPending(sql, ids),
    }));
  }
}

/** The record that an earlier attempt created, unless it is the one of another record of ours. */
async function findThere<K extends WritableKind>(
  { account, connection, dependencies }: CrmWork,
  kind: K,
  { sent, started_at: since = '', index_wait_seconds: waitSeconds = 0 }: Creation,
): Promise<CrmRecords[K] | undefined> {
  if (waitSeconds > 0) throw new CrmBusy('the CRM may not have indexed the record yet', waitSeconds);
  const from = new Date(Date.parse(since) - CLOCK_TOLERANCE_MS).toISOString();
  const values: Partial<CrmValues[K]> = toCrmValues(kind, sent, account.settings);
  const found = await connection.findCreated(kind, values, from);
  const [unlinked] = await dependencies.database.transaction(WORKER_SESSION, (sql) =>
    selectUnlinked(sql, account.id, kind, found),
  );
  if (!unlinked) return undefined;
  const [record] = await connection.read(kind, [unlinked.crm_id]);
  return record;
}
