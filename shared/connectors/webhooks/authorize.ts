// Authorizing an account in a browser: the page of the CRM, and what comes back from it.
import { type Sql, type Statement, WORKER_SESSION } from '../../platform/db/database.ts';
import type { JobDependencies } from '../../platform/jobs/job.ts';
import { transactionWithJobs } from '../../platform/jobs/transaction-with-jobs.ts';
import type { Authorization } from '../crms/crm.ts';
import { createCrmHttp } from '../crms/crm-http.ts';
import { CrmCredentialsRejected, CrmRejected } from '../crms/errors.ts';
import { addressesOf, crmNamed } from '../registry.ts';
import type { CrmsEnv } from '../sync/account.ts';
import { storeTokens } from '../sync/queries.ts';
import { type Receiver, selectReceiver } from './receive.ts';

async function findAuthorization(
  { crm, accountId }: { crm: string; accountId: string },
  { database }: JobDependencies,
): Promise<{ account: Receiver; authorization: Authorization } | undefined> {
  const [row] = await database.transaction({ ...WORKER_SESSION, reads: true }, (sql) =>
    selectReceiver(sql, accountId),
  );
  const authorization = (await crmNamed(crm)?.load())?.authorization;
  return row?.receiver?.crm === crm && authorization ? { account: row.receiver, authorization } : undefined;
}

interface AuthorizationRequest {
  crm: string;
  accountId: string;
  /** Where the CRM sends the browser back to. */
  redirectUri: string;
  state: string;
}

/** The CRM's page on which a person agrees. Undefined for an account that is unknown or needs none. */
export async function authorizationPage(
  { crm, accountId, redirectUri, state }: AuthorizationRequest,
  env: CrmsEnv,
  dependencies: JobDependencies,
): Promise<string | undefined> {
  const found = await findAuthorization({ crm, accountId }, dependencies);
  const clientId = found?.account.credentials?.client_id;
  if (!found || clientId === undefined) return undefined;
  return found.authorization.pageUrl({ clientId, redirectUri, state, addresses: addressesOf(env) });
}

/** Exchanges the code. Returns false if the CRM rejects it, or the state is not the last one, was used before, or is older than ten minutes. */
export async function completeAuthorization(
  { crm, accountId, redirectUri, state, code }: AuthorizationRequest & { code: string },
  env: CrmsEnv,
  dependencies: JobDependencies,
): Promise<boolean> {
  const found = await findAuthorization({ crm, accountId }, dependencies);
  const definition = crmNamed(crm);
  // A person who does not agree comes back without a code.
  if (!found || !definition || code === '') return false;
  const [row] = await dependencies.database.transaction(WORKER_SESSION, (sql) =>
    takeState(sql, accountId, state),
  );
  if (!row?.taken) return false;
  const tokens = await found.authorization
    .exchange(
      { code, redirectUri },
      {
        credentials: found.account.credentials ?? {},
        addresses: addressesOf(env),
        http: createCrmHttp(definition, AbortSignal.timeout(EXCHANGE_TIMEOUT_MS)),
      },
    )
    .catch((error: unknown) => {
      if (error instanceof CrmCredentialsRejected || error instanceof CrmRejected) return undefined;
      throw error;
    });
  if (!tokens) return false;
  await transactionWithJobs(dependencies, WORKER_SESSION, (sql) => ({
    stored: storeTokens(sql, accountId, tokens, null),
    ended: sql`select app.end_crm_authorization(${accountId})`,
  }));
  return true;
}

const EXCHANGE_TIMEOUT_MS = 15_000;

const takeState = (sql: Sql, accountId: string, state: string): Statement<{ taken: boolean }> =>
  sql`select app.take_crm_state(${accountId}, ${state}) as taken`;
