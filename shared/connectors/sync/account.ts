// An account at a CRM as its job sees it, and the connection to the CRM.
import { waitUntil } from '../../platform/background.ts';
import { type Session, WORKER_SESSION } from '../../platform/db/database.ts';
import { DatabaseUnavailable } from '../../platform/db/unavailable.ts';
import type { Env } from '../../platform/env.ts';
import type { JobDependencies } from '../../platform/jobs/job.ts';
import { errorFields } from '../../platform/logger.ts';
import type {
  CrmConnection,
  CrmDefinition,
  RecordKind,
  TokenStore,
  Tokens,
  WritableKind,
} from '../crms/crm.ts';
import {
  type CrmHttp,
  createCrmHttp,
  createDayBudget,
  createPacer,
  type DayBudget,
  type Pacer,
} from '../crms/crm-http.ts';
import { CrmUnreachable } from '../crms/errors.ts';
import { addressesOf, crmNamed } from '../registry.ts';
import { endRefresh, readAccessToken, storeTokens } from './queries.ts';

/** The settings of an account that the job uses itself. SQL knows the others that `admin.connect_crm` accepts. */
export interface CrmSettings {
  direction?: 'in' | 'both';
  create_out?: boolean;
  objects?: ('leads' | 'deals' | 'activities')[];
  /** Mapped members: the CRM's field by our member, such as `custom_fields.cpf`. */
  fields?: { lead?: Record<string, string>; deal?: Record<string, string> };
}

/** As `app.begin_crm_work` returns it. */
export interface CrmAccount {
  id: string;
  tenant_id: string;
  crm: string;
  status: 'authorizing' | 'connecting' | 'active' | 'failing' | 'paused' | 'disconnected';
  settings: CrmSettings;
  /** Where the CRM sends webhooks, without the secret. */
  callback_url: string;
  imported_at: string | null;
  counts_since: string | null;
  failures: number;
  /** `Pacer.freeAtMs` of the worker before; null before the first. */
  requests_free_at: string | null;
  /** Null once they are deleted. */
  credentials: Record<string, string> | null;
  webhook_secret: string | null;
  webhook_reference: string | null;
  activity_types: string[];
  /** Pipelines whose stages were read by a check that goes on. */
  read_pipelines: string[];
  may_work: boolean;
  needs_check: boolean;
  /** Whether a run is open or a record is queued. */
  has_work: boolean;
  /** Whether it is paused, and its tokens die unless they are renewed. */
  keeps_access: boolean;
  is_disconnecting: boolean;
  /** Whether the webhooks could not be removed for a day. */
  gives_up: boolean;
}

export type CrmsEnv = Env<'app' | 'crms' | 'qstash'>;

/** What the work on an account needs. */
export interface CrmWork {
  account: CrmAccount;
  /** `CrmDefinition.readsAtOnce` */
  readsAtOnce: number;
  connection: CrmConnection;
  dependencies: JobDependencies;
  signal: AbortSignal;
  /** Whether there is time for another step. What is left waits for the next run of the job. */
  hasTime(): boolean;
}

/** The session of changes that come from the CRM. `silent` for imports. */
export const crmSession = ({ tenant_id: tenantId, crm }: CrmAccount, silent = false): Session => ({
  role: 'worker',
  tenantId,
  origin: `crm:${crm}`,
  silent,
});

/** Whether the account reads records of this kind. */
export const reads = ({ settings }: CrmAccount, kind: RecordKind): boolean => {
  const object = ({ lead: 'leads', deal: 'deals', activity: 'activities' } as const)[kind];
  return settings.objects?.includes(object) ?? true;
};

/** The CRM's fields that are mapped to members of ours. */
const customKeys = ({ fields }: CrmSettings, kind: WritableKind): string[] =>
  Object.values(fields?.[kind] ?? {});

/** Where the CRM sends webhooks, with the secret if its definition says so. */
export const webhookUrl = ({ crm, callback_url: url, webhook_secret: secret }: CrmAccount): string =>
  crmNamed(crm)?.hasSecretInAddress && secret ? `${url}/${secret}` : url;

/** The pace of the account's requests, where the worker before left it. */
export const pacerOf = ({ crm, requests_free_at: freeAt }: CrmAccount): Pacer =>
  createPacer(crmNamed(crm)?.pacing ?? { intervalMs: 1000 }, freeAt === null ? 0 : Date.parse(freeAt));

/** Loads the adapter of the account's CRM, whose requests end with `signal`. `budget` tracks the CRM's daily limit. Throws if this deployment does not know it. */
export async function connectAccount(
  account: CrmAccount,
  env: CrmsEnv,
  dependencies: JobDependencies,
  { signal, pacer }: { signal: AbortSignal; pacer: Pacer },
): Promise<{ connection: CrmConnection; budget: DayBudget }> {
  const definition = crmNamed(account.crm);
  if (!definition) throw new Error(`the CRM ${account.crm} is unknown`);
  const crm = await definition.load();
  const budget = createDayBudget(definition.pacing);
  const connection = crm.connect({
    credentials: account.credentials ?? {},
    addresses: addressesOf(env),
    customKeys: { lead: customKeys(account.settings, 'lead'), deal: customKeys(account.settings, 'deal') },
    activityTypes: account.activity_types,
    http: createCrmHttp(definition, signal, { budget, pacer }),
    tokenHttp: tokenHttpOf(definition),
    tokens: createTokenStore(account, dependencies),
    log: dependencies.log,
  });
  return { connection, budget };
}

/** Renews the access of a paused account. An error is only logged: the account fails when it is resumed. */
export async function keepAccess(
  account: CrmAccount,
  env: CrmsEnv,
  dependencies: JobDependencies,
): Promise<void> {
  const definition = crmNamed(account.crm);
  const { authorization } = (await definition?.load()) ?? {};
  // Without a refresh token, no admin of the CRM has agreed yet.
  if (!definition || !authorization || !account.credentials?.refresh_token) return;
  const options = {
    credentials: account.credentials ?? {},
    addresses: addressesOf(env),
    http: tokenHttpOf(definition),
  };
  await createTokenStore(account, dependencies)
    .accessToken((refreshToken) => authorization.refresh(refreshToken, options))
    .catch((error: unknown) =>
      dependencies.log.warn('access to a paused crm not renewed', {
        account_id: account.id,
        ...errorFields(error),
      }),
    );
}

/** The CRM may use up the refresh token long before it answers. Until then, app.crm_access_token gives it to no other worker. */
const TOKEN_TIMEOUT_MS = 30_000;
const tokenHttpOf = (definition: CrmDefinition): CrmHttp =>
  createCrmHttp(definition, new AbortController().signal, { timeoutMs: TOKEN_TIMEOUT_MS });

/** While the database is unreachable. Without the new refresh token, a person has to agree again. */
const MAX_STORES = 15;
const STORE_WAIT_MS = 1000;

const TOKEN_WAIT_MS = 500;
const MAX_TOKEN_WAITS = 30;

export function createTokenStore(
  { id }: Pick<CrmAccount, 'id'>,
  { database }: Pick<JobDependencies, 'database'>,
): TokenStore {
  async function store(tokens: Tokens, exchanged: string): Promise<void> {
    for (let tries = 1; ; tries++) {
      try {
        await database.transaction(WORKER_SESSION, (sql) => storeTokens(sql, id, tokens, exchanged));
        return;
      } catch (error) {
        if (!(error instanceof DatabaseUnavailable) || tries === MAX_STORES) throw error;
        await new Promise((resolve) => setTimeout(resolve, STORE_WAIT_MS));
      }
    }
  }
  async function exchange(refresh: Parameters<TokenStore['accessToken']>[0], exchanged: string) {
    try {
      const tokens = await refresh(exchanged);
      await store(tokens, exchanged);
      return tokens.accessToken;
    } catch (error) {
      await database.transaction(WORKER_SESSION, (sql) => ({ ended: endRefresh(sql, id, exchanged) }));
      throw error;
    }
  }
  return {
    async accessToken(refresh, rejected) {
      for (let waits = 0; waits < MAX_TOKEN_WAITS; waits++) {
        const [row] = await database.transaction(WORKER_SESSION, (sql) => readAccessToken(sql, id, rejected));
        if (row?.token.access_token) return row.token.access_token;
        const exchanged = row?.token.refresh_token;
        if (exchanged) {
          const exchanging = exchange(refresh, exchanged);
          // The new token is kept, also if the job ends before the answer.
          waitUntil(() => exchanging);
          return await exchanging;
        }
        await new Promise((resolve) => setTimeout(resolve, TOKEN_WAIT_MS));
      }
      throw new CrmUnreachable('another worker did not refresh the token in time');
    },
  };
}
