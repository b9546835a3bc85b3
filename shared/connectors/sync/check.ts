// Checks an account: credentials, users, stages and webhooks; and ends one.
import { WORKER_SESSION } from '../../platform/db/database.ts';
import { transactionWithJobs } from '../../platform/jobs/transaction-with-jobs.ts';
import { errorFields } from '../../platform/logger.ts';
import { CrmRejected } from '../crms/errors.ts';
import { type CrmWork, webhookUrl } from './account.ts';
import { deleteCredentials, failAccount, recordInspection, recordWebhooks } from './queries.ts';

/** Reads what the account has, and registers our webhooks. Returns false if the account may not be used. */
export async function checkAccount({ account, connection, dependencies }: CrmWork): Promise<boolean> {
  const { database } = dependencies;
  const inspection = await connection.inspect();
  const [row] = await transactionWithJobs(dependencies, WORKER_SESSION, (sql) =>
    recordInspection(sql, account.id, inspection),
  );
  if (row?.problem !== null) return false;
  const { webhook_secret: secret, webhook_reference: reference } = account;
  const order = { url: webhookUrl(account), secret: secret ?? '', reference };
  const report = await connection.ensureWebhooks(order).catch((error: unknown) => {
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

/** Removes our webhooks at the CRM, and then the credentials. Tried for a day. */
export async function endAccount({ account, connection, dependencies }: CrmWork): Promise<void> {
  const { database, log } = dependencies;
  try {
    if (account.webhook_reference !== null) await connection.removeWebhooks(account.webhook_reference);
  } catch (error) {
    log.warn('webhooks at a crm not removed', { account_id: account.id, ...errorFields(error) });
    if (!account.gives_up) return;
  }
  await database.transaction(WORKER_SESSION, (sql) => ({ deleted: deleteCredentials(sql, account.id) }));
}
