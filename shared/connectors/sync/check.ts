// Checks an account: credentials, users, stages and webhooks; and ends one.
import { WORKER_SESSION } from '../../platform/db/database.ts';
import { transactionWithJobs } from '../../platform/jobs/transaction-with-jobs.ts';
import { errorFields } from '../../platform/logger.ts';
import type { CrmRecords, RecordKind, WebhookOrder } from '../crms/crm.ts';
import { CrmCredentialsRejected, CrmRejected } from '../crms/errors.ts';
import { type CrmAccount, type CrmWork, webhookUrl } from './account.ts';
import {
  claimVendor,
  deleteCredentials,
  failAccount,
  recordInspection,
  recordWebhooks,
  rememberIds,
  selectNewIds,
} from './queries.ts';

const orderOf = (account: CrmAccount): WebhookOrder => ({
  url: webhookUrl(account),
  secret: account.webhook_secret ?? '',
  reference: account.webhook_reference,
});

/** How long a check of an active account reads before its webhooks have their turn. */
const STEP_MS = 4_000;

/** The company is another one, or of another workspace: the account is failing. */
class NotOurs extends Error {}

/** Reads what the account has, and registers our webhooks. Returns false if the account may not be used, or not all is read yet. */
export async function checkAccount({
  account,
  connection,
  dependencies,
  hasTime,
}: CrmWork): Promise<boolean> {
  const { database } = dependencies;
  const stepEndsAtMs = account.status === 'active' ? performance.now() + STEP_MS : Number.POSITIVE_INFINITY;
  const inspection = await connection
    .inspect({
      readPipelines: account.read_pipelines,
      hasTime: () => hasTime() && performance.now() < stepEndsAtMs,
      async claim(vendorId) {
        const [row] = await transactionWithJobs(dependencies, WORKER_SESSION, (sql) =>
          claimVendor(sql, account.id, vendorId),
        );
        if (!row?.is_claimed) throw new NotOurs();
      },
    })
    .catch((error: unknown) => {
      if (error instanceof NotOurs) return undefined;
      throw error;
    });
  if (!inspection) return false;
  const [row] = await database.transaction(WORKER_SESSION, (sql) =>
    recordInspection(sql, account.id, inspection),
  );
  if (!row?.is_whole) return false;
  const report = await connection.ensureWebhooks(orderOf(account)).catch((error: unknown) => {
    if (error instanceof CrmRejected) return error.message;
    throw error;
  });
  if (typeof report === 'string') {
    // With the mail to the tenant's owner.
    await transactionWithJobs(dependencies, WORKER_SESSION, (sql) =>
      failAccount(sql, account.id, `The CRM refuses our webhooks: ${report}`),
    );
    return false;
  }
  account.webhook_reference = report.reference;
  await database.transaction(WORKER_SESSION, (sql) => ({
    webhooks: recordWebhooks(sql, account.id, report),
  }));
  return true;
}

/**
 * Reads users and stages of the CRM again if these records have unknown ones: without its owner, a won deal earns no points, and without
 * its stage, a deal would go to the first one.
 */
export async function readNew(
  { account, connection, dependencies: { database } }: CrmWork,
  records: readonly CrmRecords[RecordKind][],
): Promise<void> {
  const used = {
    owners: records.flatMap((record) => ('values' in record ? record.values : record).owner ?? []),
    stages: records.flatMap((record) =>
      'values' in record && 'stage' in record.values ? (record.values.stage ?? []) : [],
    ),
  };
  if (used.owners.length + used.stages.length === 0) return;
  const fresh = await database.transaction(WORKER_SESSION, (sql) => selectNewIds(sql, account.id, used));
  if (fresh.length === 0) return;
  const needsStages = fresh.some(({ new_id: id }) => id.startsWith('stage:'));
  const untilMs = performance.now() + (needsStages ? STEP_MS : 0);
  const inspection = await connection.inspect({
    readPipelines: [],
    hasTime: () => performance.now() < untilMs,
    claim: async () => {},
  });
  await database.transaction(WORKER_SESSION, (sql) => ({
    // Not a check of everything.
    recorded: recordInspection(sql, account.id, { ...inspection, isPartial: true }),
    remembered: rememberIds(sql, account.id, used),
  }));
}

/** Removes our webhooks at the CRM, and then the credentials. Tried for a day. */
export async function endAccount({ account, connection, dependencies }: CrmWork): Promise<void> {
  const { database, log } = dependencies;
  try {
    await connection.removeWebhooks(orderOf(account));
  } catch (error) {
    // Credentials that were never accepted have registered none.
    const hasNone = account.webhook_reference === null && error instanceof CrmCredentialsRejected;
    if (!hasNone) {
      log.warn('webhooks at a crm not removed', { account_id: account.id, ...errorFields(error) });
      if (!account.gives_up) return;
    }
  }
  await database.transaction(WORKER_SESSION, (sql) => ({ deleted: deleteCredentials(sql, account.id) }));
}
