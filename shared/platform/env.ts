// All settings of the functions. No other module reads the environment. A function does not start if a setting is missing, or if a required
// or strict one is malformed. In place of any other malformed setting it uses the default, and says so in its log.
import process from 'node:process';
import { SITE } from './documentation.ts';
import { createLogger } from './logger.ts';
import {
  boolean,
  httpUrl,
  integer,
  matching,
  number,
  oneOf,
  optional,
  origins,
  pairs,
  type Setting,
  type Settings,
  secondsList,
  strict,
  text,
  type ValuesOf,
  withDefault,
} from './setting.ts';
import { collectorUrl, databaseUrl, signingKey } from './setting-formats.ts';

/** A token (RFC 9110, section 5.6.2). */
const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
const PRINTABLE_ASCII = /^[\x20-\x7e]+$/;

/** Settings by purpose. Each function reads only the groups that it uses. */
export const settings = {
  app: {
    /** `production` accepts `sk_live_` keys; `staging` accepts `sk_test_` keys and uses the providers' sandboxes. */
    APP_ENV: oneOf('production', 'staging'),
    LOG_LEVEL: withDefault(oneOf('debug', 'info', 'warn', 'error'), 'warn'),
    /** The header that contains the caller's IP address, set by a trusted proxy. Empty if there is none. */
    CLIENT_ADDRESS_HEADER: strict(
      withDefault(matching(/^[A-Za-z0-9-]{0,64}$/, 'a header name'), 'cf-connecting-ip'),
    ),
    /** Request log rows per minute for unknown callers from one address. Further requests are summed in aggregate rows. */
    UNKNOWN_CALLER_ROWS: withDefault(integer(1, 1_000_000), 60),
    /** The documentation that errors and OpenAPI documents link to. */
    DOCS_URL: withDefault(httpUrl, SITE),
  },
  database: {
    SUPABASE_DB_URL: databaseUrl,
    /** The pooler's URL. It overrides `SUPABASE_DB_URL`, which hosted Supabase sets itself. */
    DATABASE_URL: strict(optional(databaseUrl)),
    /** The CA certificate (PEM) that verifies the server's certificate. */
    DATABASE_CA: optional(text()),
    /** The pooler between the functions and Postgres. `transaction` disables named prepared statements; `auto` detects it. */
    DATABASE_POOLER: withDefault(oneOf('auto', 'transaction', 'session', 'none'), 'auto'),
    /** Maximum connections of one worker. */
    DATABASE_POOL_SIZE: withDefault(integer(1, 50), 4),
    /** Maximum connections that the requests of one tenant use at a time. Default: half of the pool. */
    DATABASE_TENANT_CONNECTIONS: optional(integer(1, 50)),
    /** Timeout of a statement in a read-only request. */
    DATABASE_READ_TIMEOUT_MS: withDefault(integer(100, 25_000), 10_000),
    /** Maximum time that a request waits for the database before it fails with 503. */
    DATABASE_TIMEOUT_MS: withDefault(integer(100, 120_000), 30_000),
  },
  address: {
    /** Public base URL of the functions. OpenAPI documents contain it. */
    FUNCTIONS_URL: httpUrl,
  },
  redis: {
    UPSTASH_REDIS_REST_URL: httpUrl,
    UPSTASH_REDIS_REST_TOKEN: text(),
    /** How long a request waits for Redis, not counting time in which the event loop is busy. After that, it is served uncounted. */
    REDIS_TIMEOUT_MS: withDefault(integer(10, 120_000), 1000),
  },
  qstash: {
    QSTASH_URL: strict(withDefault(httpUrl, 'https://qstash.upstash.io')),
    QSTASH_TOKEN: text(),
    /** Public base URL of the functions, such as `https://<ref>.supabase.co/functions/v1`. */
    FUNCTIONS_URL: httpUrl,
  },
  callbacks: {
    QSTASH_CURRENT_SIGNING_KEY: text(),
    QSTASH_NEXT_SIGNING_KEY: text(),
    /** Authenticates the database's calls of the sweep. Without it only QStash can call the sweep. */
    SWEEP_TOKEN: optional(text({ minLength: 32 })),
    /** Authenticates scrapes of the metrics. Without it there are no metrics. */
    METRICS_TOKEN: optional(text({ minLength: 32 })),
    /** Maximum overdue jobs that one call of the sweep publishes. */
    SWEEP_MAX_JOBS: withDefault(integer(100, 1_000_000), 20_000),
  },
  oauth: {
    /** Signs access tokens of the records interface. Its public part verifies them. */
    OAUTH_SIGNING_KEY: signingKey,
    /** The previous signing key. Keep it until its tokens have expired. */
    OAUTH_SIGNING_KEY_PREVIOUS: optional(signingKey),
    /** Public base URL of the functions. The issuer and audience of tokens are derived from it. */
    FUNCTIONS_URL: httpUrl,
  },
  auth: {
    SUPABASE_URL: httpUrl,
    /** JSON object with the project's publishable keys, as set by the platform. */
    SUPABASE_PUBLISHABLE_KEYS: text(),
    /** The issuer of Auth's tokens, if it is not `SUPABASE_URL` followed by /auth/v1: with a custom domain, for example. */
    AUTH_ISSUER: optional(httpUrl),
    /** The secret of Auth's tokens (HS256), if the project still signs with one. */
    AUTH_JWT_SECRET: optional(text({ minLength: 32 })),
  },
  console: {
    /** Public URL of the console on the web, to which invitations lead. Without it they end with a sentence. */
    CONSOLE_URL: optional(httpUrl),
  },
  mcp: {
    /** Origins of web pages that may call the MCP server, separated by commas. Without it, requests of web pages are rejected. */
    MCP_ALLOWED_ORIGINS: withDefault(origins, []),
  },
  storage: {
    SUPABASE_URL: httpUrl,
    /** JSON object with the project's secret keys, as set by the platform. */
    SUPABASE_SECRET_KEYS: text(),
  },
  sandbox: {
    /** Seconds until the sandbox provider settles a payout. */
    SANDBOX_SETTLE_SECONDS: withDefault(number(0), 2),
    /** Authenticates the sandbox's notifications over HTTP. Without it, all are rejected. */
    SANDBOX_NOTIFICATION_TOKEN: optional(text()),
    /** Base URL of the sandbox's card checkout, followed by the charge's id. Default: a page that explains which call to make. */
    SANDBOX_CHECKOUT_URL: optional(httpUrl),
  },
  providers: {
    /** Base URL of Asaas, including `/v3`. Replaces the URL of its sandbox. Only in staging. */
    ASAAS_URL: strict(optional(httpUrl)),
    /** Base URL of Wise, without a version. Replaces the URL of its sandbox. Only in staging. */
    WISE_URL: strict(optional(httpUrl)),
    /** Base URL of Stripe, without a version. Only in staging. */
    STRIPE_URL: strict(optional(httpUrl)),
    /** The version of Wise's API: a year and a quarter. */
    WISE_VERSION: withDefault(matching(/^\d{4}Q[1-4]$/, 'a year and a quarter, such as 2026Q3'), '2026Q3'),
    /** The public key (PEM) that verifies Wise's webhooks. Replaces the key of its sandbox. Only in staging. */
    WISE_PUBLIC_KEY: optional(text()),
    /** Seconds between two reconciliations with a provider. */
    PROVIDER_RECONCILE_SECONDS: withDefault(integer(1), 86_400),
    /** Seconds between two checks of a working account. */
    PROVIDER_CHECK_SECONDS: withDefault(integer(60), 300),
  },
  crms: {
    /** Base URL of RD Station CRM, including `/crm/v2`. Replaces the vendor's. Only in staging. */
    RD_STATION_URL: strict(optional(httpUrl)),
    /** URL that exchanges RD Station's tokens. Replaces the vendor's. Only in staging. */
    RD_STATION_TOKEN_URL: strict(optional(httpUrl)),
    /** Base URL of Pipedrive, for all companies. Replaces the vendor's. Only in staging. */
    PIPEDRIVE_URL: strict(optional(httpUrl)),
    /** Base URL of HubSpot. Replaces the vendor's. Only in staging. */
    HUBSPOT_URL: strict(optional(httpUrl)),
    /** The version of HubSpot's API: a year and a month. */
    HUBSPOT_VERSION: withDefault(matching(/^\d{4}-\d{2}$/, 'a year and a month, such as 2026-09'), '2026-09'),
    /** Seconds between two reads of what changed in a CRM without webhooks. */
    CRM_POLL_SECONDS: withDefault(integer(1), 60),
    /** Seconds between two reconciliations with a CRM. */
    CRM_RECONCILE_SECONDS: withDefault(integer(1), 3600),
    /** Seconds between two comparisons of all ids with a CRM. */
    CRM_COMPARE_SECONDS: withDefault(integer(1), 86_400),
  },
  destinations: {
    /** Allows http and loopback destinations. Not allowed in production. */
    ALLOW_INSECURE_WEBHOOKS: withDefault(boolean, false),
  },
  webhooks: {
    /** Seconds to wait after the first failed attempt, the second, and so on. */
    WEBHOOK_RETRY_SCHEDULE: withDefault(secondsList, [60, 300, 1800, 7200, 43_200]),
    /** Ten failed attempts in a row deactivate a webhook if the first and the last are at least this many seconds apart. */
    WEBHOOK_DEACTIVATION_MIN_SPAN_SECONDS: withDefault(integer(0), 60),
  },
  telemetry: {
    /** Base URL of the OpenTelemetry collector that receives spans. Without it, tracing is off. */
    OTEL_EXPORTER_OTLP_ENDPOINT: optional(collectorUrl),
    /** Headers of the requests to the collector. */
    OTEL_EXPORTER_OTLP_HEADERS: optional(pairs(HEADER_NAME, PRINTABLE_ASCII)),
    /** The resource attribute `service.name`. */
    OTEL_SERVICE_NAME: withDefault(text(), 'placar'),
    /** Further resource attributes. */
    OTEL_RESOURCE_ATTRIBUTES: optional(pairs(/^[\x21-\x7e]+$/, /./)),
    /** The share of traces that are sampled. */
    OTEL_TRACES_SAMPLER_ARG: withDefault(number(0, 1), 1),
  },
  mail: {
    /** Resend's API key. Without it, no email is sent. */
    RESEND_API_KEY: optional(text()),
    /** Sender, such as `Placar <no-reply@example.com>`. */
    MAIL_FROM: optional(text()),
  },
} as const satisfies Record<string, Settings>;

/** Settings that replace a provider or a CRM. In production the replacement would get real keys and control real money. */
const PROVIDER_OVERRIDES = Object.keys({ ...settings.providers, ...settings.crms }).filter((name) =>
  /_(URL|PUBLIC_KEY)$/.test(name),
);

/** Rules that involve several settings. */
const combinations: (SettingError & { isViolated(env: Record<string, unknown>): boolean })[] = [
  {
    isViolated: (env) => env.ALLOW_INSECURE_WEBHOOKS === true && env.APP_ENV === 'production',
    name: 'ALLOW_INSECURE_WEBHOOKS',
    fault: 'must not be true in production',
    isFatal: true,
  },
  {
    isViolated: (env) =>
      env.APP_ENV === 'production' && PROVIDER_OVERRIDES.some((name) => env[name] !== undefined),
    name: PROVIDER_OVERRIDES.join(', '),
    fault: 'must not be set in production',
    isFatal: true,
  },
  {
    isViolated: ({ APP_ENV, OTEL_EXPORTER_OTLP_ENDPOINT: endpoint }) =>
      APP_ENV === 'production' && typeof endpoint === 'string' && !endpoint.startsWith('https:'),
    name: 'OTEL_EXPORTER_OTLP_ENDPOINT',
    fault: 'must start with https:// in production',
    isFatal: false,
  },
  {
    isViolated: (env) => Boolean(env.RESEND_API_KEY) !== Boolean(env.MAIL_FROM),
    name: 'RESEND_API_KEY, MAIL_FROM',
    fault: 'set both or neither',
    isFatal: true,
  },
];

export type SettingGroup = keyof typeof settings;
type Intersection<U> = (U extends unknown ? (of: U) => void : never) extends (of: infer I) => void
  ? I
  : never;

/** The settings of the given groups. */
export type Env<G extends SettingGroup> = Intersection<{ [Name in G]: ValuesOf<(typeof settings)[Name]> }[G]>;

/**
 * Reads and validates the settings of these groups. Throws an `Error` that names each setting that prevents the start, never its value.
 * Logs the settings that are ignored.
 */
export function readEnv<G extends SettingGroup>(...groups: G[]): Env<G> {
  const { values, faults } = examine(groups);
  const lines = faults.filter(({ isFatal }) => isFatal).map(({ name, fault }) => `  ${name}: ${fault}`);
  if (lines.length > 0) throw new Error(`Settings are missing or malformed:\n${lines.join('\n')}`);
  for (const { name, fault } of faults) log.error('setting ignored', { setting: name, fault });
  // The values match the type of each setting, which the compiler cannot infer from the loop.
  return values as Env<G>;
}

/** LOG_LEVEL may itself be malformed. */
const log = createLogger('error');

/** One or more setting names, separated by commas, and their fault. */
interface SettingError {
  name: string;
  fault: string;
  /** Whether functions do not start. Otherwise they ignore the setting. */
  isFatal: boolean;
}

/** Returns the faults of the settings in these groups. They never contain values. */
export const settingErrors = (...groups: readonly SettingGroup[]): SettingError[] => examine(groups).faults;

function examine(groups: readonly SettingGroup[]): {
  values: Record<string, unknown>;
  faults: SettingError[];
} {
  const values: Record<string, unknown> = {};
  const faults: SettingError[] = [];
  for (const group of groups) {
    for (const [name, setting] of Object.entries<Setting<unknown>>(settings[group])) {
      try {
        values[name] = read(name, setting);
      } catch (error) {
        const isFatal = setting.absent === undefined || setting.isStrict === true;
        faults.push({ name, fault: error instanceof Error ? error.message : 'malformed', isFatal });
        values[name] = setting.absent?.();
      }
    }
  }
  // These rules assume that each setting is valid.
  if (faults.some(({ isFatal }) => isFatal)) return { values, faults };
  for (const { isViolated, ...fault } of combinations) {
    if (!isViolated(values)) continue;
    faults.push(fault);
    if (!fault.isFatal) delete values[fault.name];
  }
  return { values, faults };
}

function read(name: string, { parse, absent, mayBeEmpty }: Setting<unknown>): unknown {
  const given = process.env[name];
  if (given !== undefined && (given !== '' || mayBeEmpty)) return parse(given);
  if (absent) return absent();
  throw new Error('is required');
}

/** Returns the names of the settings in these groups, to start a function with only those that it needs. */
export function settingNames(...groups: readonly SettingGroup[]): string[] {
  return groups.flatMap((group) => Object.keys(settings[group]));
}
