// Records of ours that are created in the CRM.
import { WORKER_SESSION } from '../../platform/db/database.ts';
import { findCreated } from '../crms/created.ts';
import type { CrmRecords, CrmValues, WritableKind } from '../crms/crm.ts';
import { CrmBusy, CrmRejected } from '../crms/errors.ts';
import { type CrmWork, crmSession, reads } from './account.ts';
import { prepare, toCrmValues } from './prepare.ts';
import {
  beginCreation,
  type Creation,
  endPending,
  type PendingRecord,
  reportCreated,
  reportRefused,
  selectUnlinked,
} from './queries.ts';

/** Creates a record of ours in the CRM. If the answer to an earlier attempt may be lost, what it sent is searched first. */
export async function createThere(work: CrmWork, pending: PendingRecord): Promise<void> {
  const { account, connection, dependencies } = work;
  const { kind, placar_id: placarId, ids } = pending;
  const session = crmSession(account);
  const end = () => dependencies.database.transaction(session, (sql) => ({ ended: endPending(sql, ids) }));
  if (placarId === null || kind === 'activity' || !reads(account, kind)) return void (await end());
  const begin = async (isSearched: boolean) =>
    (
      await dependencies.database.transaction(session, (sql) =>
        beginCreation(sql, account.id, pending, isSearched),
      )
    )[0]?.creation;
  let creation = await begin(false);
  if (creation?.started_at) {
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
  if (!creation) return void (await end());
  const { send, sent } = creation;
  try {
    const made = await connection.create(kind, toCrmValues(kind, sent, account.settings));
    const record = prepare(kind, made, account.settings);
    // A CRM may only create open deals: then it is compared again, and closed as after any change here.
    const status = record.values?.status ?? null;
    const isOther = sent.status !== undefined && status !== sent.status;
    const agreed = isOther ? { ...send, status, loss_reason: null } : send;
    await dependencies.database.transaction(session, (sql) => ({
      created: reportCreated(sql, account.id, { kind, placarId, record, send: agreed }),
      ...(!isOther && { ended: endPending(sql, ids) }),
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
  const values: Partial<CrmValues[K]> = toCrmValues(kind, sent, account.settings);
  const found = await findCreated(connection, kind, values, since);
  const [unlinked] = await dependencies.database.transaction(WORKER_SESSION, (sql) =>
    selectUnlinked(sql, account.id, kind, found),
  );
  if (!unlinked) return undefined;
  const [record] = await connection.read(kind, [unlinked.crm_id]);
  return record;
}
