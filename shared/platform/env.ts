// Every setting of the functions. Nothing else reads the environment; a missing or malformed setting refuses to start.
import process from 'node:process';
import { readAddress } from './database-address.ts';
import {
  boolean,
  httpUrl,
  integer,
  matching,
  number,
  oneOf,
  optional,
  type Setting,
  type Settings,
  secondsList,
  text,
  url,
  type ValuesOf,
  withDefault,
} from './setting.ts';

/** A private key for ES256 (RFC 7517, RFC 7518). */
export interface SigningKey {
  kty: 'EC';
  crv: 'P-256';
  x: string;
  y: string;
  d: string;
  kid?: string;
}

/** A coordinate of its curve is 32 bytes, 43 characters of base64url. */
const COORDINATE = /^[\w-]{43}$/;

/** A private key for ES256 as the text of a JWK. */
const signingKey: Setting<SigningKey> = {
  parse(given) {
    const { kty, crv, x, y, d, kid } = objectOf(given);
    const isCoordinate = (value: unknown): value is string =>
      typeof value === 'string' && COORDINATE.test(value);
    const isKid = kid === undefined || (typeof kid === 'string' && kid !== '');
    if (kty === 'EC' && crv === 'P-256' && isCoordinate(x) && isCoordinate(y) && isCoordinate(d) && isKid)
      return { kty, crv, x, y, d, ...(kid !== undefined && { kid }) };
    throw new Error('expected a private EC P-256 key as JWK; npm run signing-key makes one');
  },
};

/** An address of Postgres, with an `sslmode` that we know. */
const databaseUrl: Setting<string> = {
  parse(given) {
    url('postgres', 'postgresql').parse(given);
    readAddress(given);
    return given;
  },
};

/** The members of a JSON object; none where the text is no such object. */
function objectOf(given: string): Record<string, unknown> {
  try {
    return { ...JSON.parse(given) };
  } catch {
    return {};
  }
}

/** Settings by what they are for; each function asks for the groups that it uses and is given no others. */
export const settings = {
  app: {
    /** `production` takes `sk_live_` keys, `staging` takes `sk_test_` keys and runs providers against their sandboxes. */
    APP_ENV: oneOf('production', 'staging'),
    LOG_LEVEL: withDefault(oneOf('debug', 'info', 'warn', 'error'), 'warn'),
    /** The header that says from which address a caller comes: one that something before the functions sets. Empty: none does. */
    CLIENT_ADDRESS_HEADER: withDefault(
      matching(/^[A-Za-z0-9-]{0,64}$/, 'the name of a header'),
      'cf-connecting-ip',
    ),
    /** Rows of the request log a minute for one address of callers whom nobody knows; beyond that they are counted in sums. */
    UNKNOWN_CALLER_ROWS: withDefault(integer(1, 1_000_000), 60),
  },
  database: {
    SUPABASE_DB_URL: databaseUrl,
    /** Replaces `SUPABASE_DB_URL`, which hosted Supabase sets itself: the pooler's address. */
    DATABASE_URL: optional(databaseUrl),
    /** The authority that signed the server's certificate, as PEM. */
    DATABASE_CA: optional(text()),
    /** What is between the functions and Postgres. `transaction` uses no named prepared statements; `auto` finds out. */
    DATABASE_POOLER: withDefault(oneOf('auto', 'transaction', 'session', 'none'), 'auto'),
    /** Connections of one worker. */
    DATABASE_POOL_SIZE: withDefault(integer(1, 50), 4),
    /** Of these, what requests of one tenant have at a time; half of them when absent. */
    DATABASE_TENANT_CONNECTIONS: optional(integer(1, 50)),
    /** Longest that a statement of a request runs that only reads. */
    DATABASE_READ_TIMEOUT_MS: withDefault(integer(100, 25_000), 10_000),
    /** Longest that a request waits for the database before it answers 503. */
    DATABASE_TIMEOUT_MS: withDefault(integer(100, 120_000), 30_000),
  },
  address: {
    /** Public address below which the functions answer, which a description of the API names. */
    FUNCTIONS_URL: httpUrl,
  },
  redis: {
    UPSTASH_REDIS_REST_URL: httpUrl,
    UPSTASH_REDIS_REST_TOKEN: text(),
    /** Longest that a request waits for Redis, of the worker's free time; past it the request is served uncounted. */
    REDIS_TIMEOUT_MS: withDefault(integer(10, 120_000), 1000),
  },
  qstash: {
    QSTASH_URL: withDefault(httpUrl, 'https://qstash.upstash.io'),
    QSTASH_TOKEN: text(),
    /** Public address below which the functions answer, such as `https://<ref>.supabase.co/functions/v1`. */
    FUNCTIONS_URL: httpUrl,
  },
  callbacks: {
    QSTASH_CURRENT_SIGNING_KEY: text(),
    QSTASH_NEXT_SIGNING_KEY: text(),
    /** What the database's own calls of the sweep carry; without it only QStash calls it. */
    SWEEP_TOKEN: optional(text({ minLength: 32 })),
  },
  oauth: {
    /** Signs access tokens of the records interface; its public part checks them. */
    OAUTH_SIGNING_KEY: signingKey,
    /** The key before that, for as long as its tokens last. */
    OAUTH_SIGNING_KEY_PREVIOUS: optional(signingKey),
    /** The issuer is below it, and tokens are made for it. */
    FUNCTIONS_URL: httpUrl,
  },
  storage: {
    SUPABASE_URL: httpUrl,
    /** JSON object of the project's secret keys, as the platform gives it. */
    SUPABASE_SECRET_KEYS: text(),
  },
  sandbox: {
    /** Seconds until the sandbox provider settles a payout. */
    SANDBOX_SETTLE_SECONDS: withDefault(number(0), 2),
    /** What notifications of the sandbox must carry when they come over HTTP; without it none is taken. */
    SANDBOX_NOTIFICATION_TOKEN: optional(text()),
    /** Where the payer of a card in the sandbox pays, below it the charge's id; a page that says what to call when absent. */
    SANDBOX_CHECKOUT_URL: optional(httpUrl),
  },
  providers: {
    /** Where Asaas answers, its version `/v3` included, instead of its sandbox; staging alone. */
    ASAAS_URL: optional(httpUrl),
    /** Where Wise answers, without a version, instead of its sandbox; staging alone. */
    WISE_URL: optional(httpUrl),
    /** The version of Wise's API, by its calendar. */
    WISE_VERSION: withDefault(matching(/^\d{4}Q[1-4]$/, 'a year and a quarter, such as 2026Q3'), '2026Q3'),
    /** The public key (PEM) that proves what Wise tells us, instead of its sandbox's; staging alone. */
    WISE_PUBLIC_KEY: optional(text()),
    /** Where Stripe answers, without a version; staging alone. */
    STRIPE_URL: optional(httpUrl),
    /** Seconds from one comparison with a provider to the next. */
    PROVIDER_RECONCILE_SECONDS: withDefault(integer(1), 86_400),
  },
  destinations: {
    /** Permits http and loopback destinations; refused in production. */
    ALLOW_INSECURE_WEBHOOKS: withDefault(boolean, false),
  },
  webhooks: {
    /** Seconds from each failed attempt to the next one. */
    WEBHOOK_RETRY_SCHEDULE: withDefault(secondsList, [60, 300, 1800, 7200, 43_200]),
    /** Ten failed attempts in a row deactivate a webhook when the first and the last are at least that far apart. */
    WEBHOOK_DEACTIVATION_MIN_SPAN_SECONDS: withDefault(integer(0), 60),
  },
  mail: {
    /** Without it no mail is sent. */
    RESEND_API_KEY: optional(text()),
    /** Sender, such as `Placar <no-reply@example.com>`. */
    MAIL_FROM: optional(text()),
  },
} as const satisfies Record<string, Settings>;

/** Addresses that stand for a provider's, which would be given real keys and real money. */
const STAND_INS = ['ASAAS_URL', 'WISE_URL', 'STRIPE_URL', 'WISE_PUBLIC_KEY'];

/** What no setting can say of itself. */
const combinations: (SettingFault & { wrong(env: Record<string, unknown>): boolean })[] = [
  {
    wrong: (env) => env.ALLOW_INSECURE_WEBHOOKS === true && env.APP_ENV === 'production',
    name: 'ALLOW_INSECURE_WEBHOOKS',
    fault: 'not in production',
  },
  {
    wrong: (env) => env.APP_ENV === 'production' && STAND_INS.some((name) => env[name] !== undefined),
    name: STAND_INS.join(', '),
    fault: 'not in production',
  },
  {
    wrong: (env) => Boolean(env.RESEND_API_KEY) !== Boolean(env.MAIL_FROM),
    name: 'RESEND_API_KEY, MAIL_FROM',
    fault: 'both or neither',
  },
];

export type SettingGroup = keyof typeof settings;
type Intersection<U> = (U extends unknown ? (of: U) => void : never) extends (of: infer I) => void
  ? I
  : never;

/** The settings of the given groups. */
export type Env<G extends SettingGroup> = Intersection<{ [Name in G]: ValuesOf<(typeof settings)[Name]> }[G]>;

/** Reads and checks the settings of these groups. Throws an `Error` that names each setting at fault, never its value. */
export function readEnv<G extends SettingGroup>(...groups: G[]): Env<G> {
  const { values, faults } = examine(groups);
  const lines = faults.map(({ name, fault }) => `  ${name}: ${fault}`);
  if (faults.length > 0) throw new Error(`Settings are missing or malformed:\n${lines.join('\n')}`);
  // Read by just these settings, which the compiler cannot follow through a loop.
  return values as Env<G>;
}

/** A setting, or several with commas between them, and what is wrong. */
export interface SettingFault {
  name: string;
  fault: string;
}

/** What is wrong with the settings of these groups, never with a value. */
export const settingFaults = (...groups: readonly SettingGroup[]): SettingFault[] => examine(groups).faults;

function examine(groups: readonly SettingGroup[]): {
  values: Record<string, unknown>;
  faults: SettingFault[];
} {
  const values: Record<string, unknown> = {};
  const faults: SettingFault[] = [];
  for (const group of groups) {
    for (const [name, setting] of Object.entries<Setting<unknown>>(settings[group])) {
      try {
        values[name] = read(name, setting);
      } catch (error) {
        faults.push({ name, fault: error instanceof Error ? error.message : 'malformed' });
      }
    }
  }
  // A combination of settings that are wrong themselves says nothing.
  if (faults.length === 0)
    faults.push(...combinations.flatMap(({ wrong, ...fault }) => (wrong(values) ? [fault] : [])));
  return { values, faults };
}

function read(name: string, { parse, absent, mayBeEmpty }: Setting<unknown>): unknown {
  const given = process.env[name];
  if (given !== undefined && (given !== '' || mayBeEmpty)) return parse(given);
  if (absent) return absent();
  throw new Error('is required');
}

/** Names of the settings of these groups, for whoever starts a function with only what it needs. */
export function settingNames(...groups: readonly SettingGroup[]): string[] {
  return groups.flatMap((group) => Object.keys(settings[group]));
}
