// Every setting of the functions. Nothing else reads the environment; a missing or malformed setting refuses to start.
import process from 'node:process';
import { z } from 'zod';

const httpUrl = z.url({ protocol: /^https?$/ }).transform((url) => url.replace(/\/+$/, ''));
const secret = z.string().min(1);
const secondsList = z
  .string()
  .regex(/^\d{1,7}(,\d{1,7})*$/, 'expected seconds, separated by commas')
  .transform((list) => list.split(',').map(Number));

/** A private key for ES256 as the text of a JWK. A coordinate of its curve is 32 bytes, 43 characters of base64url. */
function signingKey() {
  const coordinate = z.string().regex(/^[\w-]{43}$/);
  const kid = z.string().min(1).optional();
  const jwk = z.object({
    kty: z.literal('EC'),
    crv: z.literal('P-256'),
    x: coordinate,
    y: coordinate,
    d: coordinate,
    kid,
  });
  return z.string().transform((text, context) => {
    const parsed = jwk.safeParse(jsonOrUndefined(text));
    if (parsed.success) return parsed.data;
    const message = 'expected a private EC P-256 key as JWK; npm run signing-key makes one';
    context.addIssue({ code: 'custom', message });
    return z.NEVER;
  });
}

function jsonOrUndefined(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/**
 * Settings by what they are for; each function asks for the groups that it uses and is given no others. The schemas of
 * the others are not even made: that would be most of the time that this module takes at a function's start.
 */
export const settings = {
  app: () => ({
    /** `production` takes `sk_live_` keys, `staging` takes `sk_test_` keys and runs providers against their sandboxes. */
    APP_ENV: z.enum(['production', 'staging']),
    LOG_LEVEL: z.enum(['debug', 'info', 'warn', 'error']).default('warn'),
    /** The header that says from which address a caller comes: one that something before the functions sets. Empty: none does. */
    CLIENT_ADDRESS_HEADER: z
      .string()
      .regex(/^[A-Za-z0-9-]{0,64}$/, 'expected the name of a header')
      .default('cf-connecting-ip'),
    /** Rows of the request log a minute for one address of callers whom nobody knows; beyond that they are counted in sums. */
    UNKNOWN_CALLER_ROWS: z.coerce.number().int().min(1).max(1_000_000).default(60),
  }),
  database: () => ({
    SUPABASE_DB_URL: z.url({ protocol: /^postgres(ql)?$/ }),
    /** Takes the place of `SUPABASE_DB_URL`, which hosted Supabase does not let anybody set: the pooler's address. */
    DATABASE_URL: z.url({ protocol: /^postgres(ql)?$/ }).optional(),
    /** Connections of one worker. */
    DATABASE_POOL_SIZE: z.coerce.number().int().min(1).max(50).default(4),
    /** Longest that a request waits for the database before it answers 503. */
    DATABASE_TIMEOUT_MS: z.coerce.number().int().min(100).max(120_000).default(30_000),
  }),
  redis: () => ({
    UPSTASH_REDIS_REST_URL: httpUrl,
    UPSTASH_REDIS_REST_TOKEN: secret,
    /** Longest that a request waits for Redis, of the worker's free time; past it the request is served uncounted. */
    REDIS_TIMEOUT_MS: z.coerce.number().int().min(10).max(120_000).default(1000),
  }),
  qstash: () => ({
    QSTASH_URL: httpUrl.default('https://qstash.upstash.io'),
    QSTASH_TOKEN: secret,
    /** Public address below which the functions answer, such as `https://<ref>.supabase.co/functions/v1`. */
    FUNCTIONS_URL: httpUrl,
  }),
  callbacks: () => ({
    QSTASH_CURRENT_SIGNING_KEY: secret,
    QSTASH_NEXT_SIGNING_KEY: secret,
    /** What the database's own calls of the sweep carry; without it only QStash calls it. */
    SWEEP_TOKEN: z.string().min(32).optional(),
  }),
  oauth: () => ({
    /** Signs access tokens of the records interface; its public part checks them. */
    OAUTH_SIGNING_KEY: signingKey(),
    /** The key before that, for as long as its tokens last. */
    OAUTH_SIGNING_KEY_PREVIOUS: signingKey().optional(),
    /** The issuer is below it, and tokens are made for it. */
    FUNCTIONS_URL: httpUrl,
  }),
  storage: () => ({
    SUPABASE_URL: httpUrl,
    /** JSON object of the project's secret keys, as the platform gives it. */
    SUPABASE_SECRET_KEYS: secret,
  }),
  sandbox: () => ({
    /** Seconds until the sandbox provider settles a payout. */
    SANDBOX_SETTLE_SECONDS: z.coerce.number().min(0).default(2),
    /** What notifications of the sandbox must carry when they come over HTTP; without it none is taken. */
    SANDBOX_NOTIFICATION_TOKEN: secret.optional(),
  }),
  destinations: () => ({
    /** Permits http and loopback destinations; refused in production. */
    ALLOW_INSECURE_WEBHOOKS: z
      .enum(['true', 'false'])
      .default('false')
      .transform((value) => value === 'true'),
  }),
  webhooks: () => ({
    /** Seconds from each failed attempt to the next one. */
    WEBHOOK_RETRY_SCHEDULE: secondsList.default([60, 300, 1800, 7200, 43_200]),
    /** Ten failed attempts in a row deactivate a webhook when the first and the last are at least that far apart. */
    WEBHOOK_DEACTIVATION_MIN_SPAN_SECONDS: z.coerce.number().int().min(0).default(60),
  }),
  mail: () => ({
    /** Without it no mail is sent. */
    RESEND_API_KEY: secret.optional(),
    /** Sender, such as `Placar <no-reply@example.com>`. */
    MAIL_FROM: secret.optional(),
  }),
} as const;

/** Settings that say something by being empty. */
const MAY_BE_EMPTY = ['CLIENT_ADDRESS_HEADER'];

/** What no setting can say of itself. */
const combinations: { wrong(env: Record<string, unknown>): boolean; message: string }[] = [
  {
    wrong: (env) => env.ALLOW_INSECURE_WEBHOOKS === true && env.APP_ENV === 'production',
    message: 'ALLOW_INSECURE_WEBHOOKS: not in production',
  },
  {
    wrong: (env) => Boolean(env.RESEND_API_KEY) !== Boolean(env.MAIL_FROM),
    message: 'RESEND_API_KEY, MAIL_FROM: both or neither',
  },
];

export type SettingGroup = keyof typeof settings;
type Intersection<U> = (U extends unknown ? (of: U) => void : never) extends (of: infer I) => void
  ? I
  : never;

/** The settings of the given groups. */
export type Env<G extends SettingGroup> = Intersection<
  { [Name in G]: z.output<z.ZodObject<ReturnType<(typeof settings)[Name]>>> }[G]
>;

/** Reads and checks the settings of these groups. Throws an `Error` that names each setting at fault, never its value. */
export function readEnv<G extends SettingGroup>(...groups: G[]): Env<G> {
  const shape: z.ZodRawShape = Object.assign({}, ...groups.map((group) => settings[group]()));
  const names = Object.keys(shape);
  const given = Object.fromEntries(
    names.map((name) => [
      name,
      MAY_BE_EMPTY.includes(name) ? process.env[name] : process.env[name] || undefined,
    ]),
  );
  const result = z.object(shape).safeParse(given);
  const faults = result.success
    ? combinations.flatMap(({ wrong, message }) => (wrong(result.data) ? [`  ${message}`] : []))
    : result.error.issues.map((issue) => `  ${issue.path.join('.')}: ${issue.message}`);
  if (faults.length > 0) throw new Error(`Settings are missing or malformed:\n${faults.join('\n')}`);
  // Parsed by just these schemas, which the compiler cannot follow through `Object.assign`.
  return result.data as Env<G>;
}

/** Names of the settings of these groups, for whoever starts a function with only what it needs. */
export function settingNames(...groups: readonly SettingGroup[]): string[] {
  return groups.flatMap((group) => Object.keys(settings[group]()));
}
