// Function checks: settings, health, verify_jwt, clock and signing key.
import {
  type FunctionName,
  type FunctionNeeds,
  functionNames,
  manifest,
} from '../../../../../functions/manifest.ts';
import { settingErrors, settingNames } from '../../../../../shared/platform/env.ts';
import { TESTED_DENO } from '../../../../../shared/platform/version.ts';
import { ask, type Check, type Deployment, type Finding, membersOf } from './check.ts';

const groups = [...new Set(functionNames.flatMap((name) => [...manifest[name].settings]))];

/** Settings that are URLs. Their passwords are never printed; other settings are not printed at all. */
export const addressSettings: string[] = settingNames(...groups).filter((name) => name.endsWith('_URL'));
export const secretSettings: string[] = settingNames(...groups).filter((name) =>
  /TOKEN|KEY|SECRET/.test(name),
);

/** Provided by the platform, so they are never in a file. */
const PLATFORM_SETTINGS = [
  'SUPABASE_DB_URL',
  'SUPABASE_URL',
  'SUPABASE_PUBLISHABLE_KEYS',
  'SUPABASE_SECRET_KEYS',
];

const settings: Check = {
  name: 'settings',
  needs: ['APP_ENV'],
  todo: 'set them with supabase secrets set; see .env.example',
  async run({ env }) {
    const faults = settingErrors(...groups).filter(
      ({ name }) => !PLATFORM_SETTINGS.includes(name) || env[name],
    );
    const unique = [...new Map(faults.map((fault) => [fault.name, fault])).values()];
    if (unique.length === 0) return { check: 'settings', status: 'ok', found: 'complete and valid' };
    const found = unique
      .map(({ name, fault, isFatal }) => `${name} ${fault}${isFatal ? '' : ' (ignored)'}`)
      .join('; ');
    const status = unique.some(({ isFatal }) => isFatal) ? 'failed' : 'warning';
    const failing = unique.filter(({ isFatal }) => isFatal).map(({ name }) => name);
    return { check: 'settings', status, found, failing, todo: this.todo };
  },
};

/** The platform's own rejection when it requires a JWT. The functions' health endpoint is public. */
const requiresJwt = (status: number) => status === 401 || status === 403;

/** Only Placar's functions send this header. Another server at this URL could also respond with 200. */
const isOurs = (headers: Headers): boolean => headers.has('x-request-id');

/** The response of a function's health endpoint. */
type FunctionProbe = { finding: Finding; state: 'answered' | 'wants_jwt' | 'silent' | 'absent' };

async function probeFunction(name: FunctionName, { url, signal }: Deployment): Promise<FunctionProbe> {
  const check = `function ${name}`;
  const failed = (found: string, todo: string): Finding => ({ check, status: 'failed', found, todo });
  try {
    const { status, headers } = await ask(`${url}/${name}/health`, { signal });
    if (requiresJwt(status)) {
      return { finding: { check, status: 'not checked', found: 'it requires a JWT' }, state: 'wants_jwt' };
    }
    const needs: FunctionNeeds = manifest[name];
    if (status === 404 && !isOurs(headers) && needs.optional) {
      return { finding: { check, status: 'not checked', found: 'not deployed' }, state: 'absent' };
    }
    if (!isOurs(headers)) {
      const todo =
        status === 404
          ? 'check the URL, then supabase functions deploy --use-api'
          : 'check the URL: something other than Placar responds there';
      return {
        finding: failed(`no function of Placar responds (status ${status})`, todo),
        state: 'silent',
      };
    }
    if (status === 200) return { finding: { check, status: 'ok', found: 'healthy' }, state: 'answered' };
    const log = `see the log of ${name}: supabase functions logs, or Edge Functions in the dashboard`;
    const todo =
      status === 503
        ? `check that the database is reachable and that APP_ENV equals admin.set_environment(); ${log}`
        : log;
    return { finding: failed(`health endpoint returned ${status}`, todo), state: 'answered' };
  } catch (error) {
    signal.throwIfAborted();
    return {
      finding: failed(reasonOf(error), 'check the URL, and that the project is not paused'),
      state: 'silent',
    };
  }
}

/** Includes the cause, since `fetch failed` is not specific. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error.name === 'TimeoutError') return 'no response within 10 s';
  const { cause } = error;
  if (!(cause instanceof Error)) return error.message;
  return cause.message || ('code' in cause ? String(cause.code) : error.message);
}

const functions: Check = {
  name: 'functions',
  needs: ['PLACAR_URL'],
  todo: '',
  async run(deployment) {
    const probes = await Promise.all(functionNames.map((name) => probeFunction(name, deployment)));
    const withState = (state: FunctionProbe['state']) =>
      functionNames.filter((_, index) => probes[index]?.state === state);
    const silent = withState('silent');
    if (silent.length + withState('absent').length === functionNames.length)
      return unreachableAddress(probes, deployment);
    return [...probes.map(({ finding }) => finding), jwtFinding(withState('wants_jwt'), silent)];
  },
};

/** Reports the URL as failed and skips the function checks if no function responds. */
function unreachableAddress([first]: FunctionProbe[], { url }: Deployment): Finding[] {
  return [
    {
      check: 'address',
      status: 'failed',
      found: `${url}: ${first?.finding.found}`,
      todo: first?.finding.todo ?? 'check the URL',
    },
    ...[...functionNames.map((name) => `function ${name}`), 'verify_jwt'].map(
      (check): Finding => ({ check, status: 'not checked', found: 'no function responds' }),
    ),
  ];
}

function jwtFinding(on: string[], silent: string[]): Finding {
  const check = 'verify_jwt';
  if (on.length > 0) {
    const todo =
      'set verify_jwt = false in supabase/config.toml, then run supabase functions deploy --use-api';
    return { check, status: 'failed', found: `on for ${on.join(', ')}`, todo };
  }
  if (silent.length > 0)
    return { check, status: 'not checked', found: `no response from ${silent.join(', ')}` };
  return { check, status: 'ok', found: 'off for every function' };
}

/** The finding of a check whose function does not respond. */
const notChecked = (check: string, name: string): Finding => ({
  check,
  status: 'not checked',
  found: `${name} does not respond`,
});

/** The response of a function; undefined if none of Placar's functions responds there. */
const askFunction = (url: string, signal: AbortSignal, headers: Record<string, string> = {}) =>
  ask(url, { headers, signal }).then(
    (response) => (isOurs(response.headers) ? response : undefined),
    () => {
      signal.throwIfAborted();
      return undefined;
    },
  );

/** Request signatures expire after 300 s, measured with the caller's clock. */
const MAX_SKEW_S = 300;
const WARNING_SKEW_S = 30;

const clock: Check = {
  name: 'clock',
  needs: ['PLACAR_URL'],
  todo: 'check the URL',
  async run({ url, sql, signal }) {
    const before = Date.now();
    const response = await askFunction(`${url}/default-integration/health`, signal);
    if (!response) return notChecked('clock', 'default-integration');
    const here = (before + Date.now()) / 2;
    const clocks: [string, number][] = [];
    const date = Date.parse(response.headers.get('date') ?? '');
    // The Date header has whole seconds.
    if (!Number.isNaN(date)) clocks.push(['the functions', date + 500 - here]);
    // The check `database` reports a database that does not respond.
    const [row] = sql
      ? await sql`select extract(epoch from clock_timestamp())::float8 * 1000 as now`.catch(() => [])
      : [];
    if (row) clocks.push(['the database', row.now - Date.now()]);
    const worst = Math.max(0, ...clocks.map(([, skewMs]) => Math.abs(skewMs) / 1000));
    const found = clocks
      .map(([whose, skewMs]) => `${whose} ${(skewMs / 1000).toFixed(1)} s off from this machine`)
      .join(', ');
    if (worst < WARNING_SKEW_S) return { check: 'clock', status: 'ok', found };
    const todo = 'correct the wrong clock (NTP): signatures are valid for 300 s';
    return { check: 'clock', status: worst >= MAX_SKEW_S ? 'failed' : 'warning', found, todo };
  },
};

const tokenKey: Check = {
  name: 'signing key of tokens',
  needs: ['PLACAR_URL'],
  todo: 'check that the oauth function responds',
  async run({ url, env, signal }) {
    const check = 'signing key of tokens';
    const response = await askFunction(`${url}/oauth/.well-known/jwks.json`, signal);
    if (!response) return notChecked(check, 'oauth');
    const { status, body } = response;
    const { keys } = membersOf(body);
    const published = Array.isArray(keys) ? keys.map((key) => membersOf(key).x) : [];
    if (status !== 200 || published.length === 0) {
      const todo = 'create OAUTH_SIGNING_KEY with npm run -s signing-key';
      return { check, status: 'failed', found: `no public key found (status ${status})`, todo };
    }
    const found = `${published.length} published`;
    if (!env.OAUTH_SIGNING_KEY) return { check, status: 'ok', found };
    const own = membersOf(JSON.parse(env.OAUTH_SIGNING_KEY)).x;
    if (published.includes(own))
      return { check, status: 'ok', found: `${found}, including OAUTH_SIGNING_KEY` };
    const todo = 'run supabase secrets set with the current OAUTH_SIGNING_KEY';
    return { check, status: 'failed', found: `${found}, but not OAUTH_SIGNING_KEY`, todo };
  },
};

const write: Check = {
  name: 'write',
  needs: ['PLACAR_URL'],
  todo: 'check the URL',
  async run({ url, signal }) {
    const check = 'write';
    const response = await askFunction(`${url}/callbacks/health/ready`, signal);
    if (!response) return notChecked(check, 'callbacks');
    const checks = membersOf(membersOf(response.body).checks);
    if (checks.write === 'ok' && checks.request === 'ok')
      return {
        check,
        status: 'ok',
        found: 'the functions can write to the database, and store a lead as requests do',
      };
    const log = 'look for "readiness check failed" in the log of callbacks';
    if (checks.write === 'ok') {
      const found = `a lead could not be stored as requests do (status ${response.status})`;
      return { check, status: 'failed', found, todo: `${log}: it names the missing grant or object` };
    }
    const todo = `${log}: the disk may be full, or the database read-only`;
    return { check, status: 'failed', found: `the test write failed (status ${response.status})`, todo };
  },
};

const runtime: Check = {
  name: 'runtime',
  needs: ['PLACAR_URL'],
  todo: 'check the URL',
  async run({ url, signal }) {
    const check = 'runtime';
    const response = await askFunction(`${url}/callbacks/health/ready`, signal);
    if (!response) return notChecked(check, 'callbacks');
    const found = String(membersOf(response.body).deno ?? 'unknown');
    // The hosted runtime names the version that it is compatible with last.
    const version = /(\d+\.\d+\.\d+)\)?$/.exec(found)?.[1];
    if (version === TESTED_DENO) return { check, status: 'ok', found: `Deno ${version}` };
    const todo = 'see docs/operations/upgrading.md, "A change of Deno"';
    return {
      check,
      status: 'warning',
      found: `the functions run on Deno ${version ?? found}, but this version is tested with ${TESTED_DENO}`,
      todo,
    };
  },
};

const metrics: Check = {
  name: 'metrics',
  needs: ['PLACAR_URL', 'METRICS_TOKEN'],
  todo: 'check the URL',
  async run({ url, env, signal }) {
    const check = 'metrics';
    const headers = { Authorization: `Bearer ${env.METRICS_TOKEN}` };
    const response = await askFunction(`${url}/callbacks/metrics`, signal, headers);
    if (!response) return notChecked(check, 'callbacks');
    if (response.status === 200) return { check, status: 'ok', found: 'callbacks/metrics responds' };
    const todo = 'set the same METRICS_TOKEN with supabase secrets set, and deploy';
    return { check, status: 'failed', found: `callbacks/metrics returned ${response.status}`, todo };
  },
};

export const functionChecks: readonly Check[] = [
  settings,
  functions,
  write,
  runtime,
  tokenKey,
  clock,
  metrics,
];
