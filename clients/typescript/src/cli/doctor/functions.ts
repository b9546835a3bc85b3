// Function checks: settings, health, verify_jwt, clock and signing key.
import { functionNames, manifest } from '../../../../../functions/manifest.ts';
import { settingFaults, settingNames } from '../../../../../shared/platform/env.ts';
import { ask, type Check, type Deployment, type Finding, membersOf } from './check.ts';

const groups = [...new Set(functionNames.flatMap((name) => [...manifest[name].settings]))];

/** Settings that are URLs. Their passwords are never printed; other settings are not printed at all. */
export const addressSettings: string[] = settingNames(...groups).filter((name) => name.endsWith('_URL'));
export const secretSettings: string[] = settingNames(...groups).filter((name) =>
  /TOKEN|KEY|SECRET/.test(name),
);

/** Provided by the platform, so they are never in a file. */
const GIVEN = ['SUPABASE_DB_URL', 'SUPABASE_URL', 'SUPABASE_SECRET_KEYS'];

const settings: Check = {
  name: 'settings',
  needs: ['APP_ENV'],
  todo: 'set them with supabase secrets set; see .env.example',
  async run({ env }) {
    const faults = settingFaults(...groups).filter(({ name }) => !GIVEN.includes(name) || env[name]);
    const unique = [...new Map(faults.map((fault) => [fault.name, fault])).values()];
    if (unique.length === 0) return { check: 'settings', status: 'ok', found: 'complete and valid' };
    const found = unique.map(({ name, fault }) => `${name} ${fault}`).join('; ');
    return { check: 'settings', status: 'failed', found, todo: this.todo };
  },
};

/** The platform's own rejection when it requires a JWT. The functions' health endpoint is public. */
const wantsJwt = (status: number) => status === 401 || status === 403;

async function lookAt(
  name: string,
  { url, signal }: Deployment,
): Promise<{ finding: Finding; wantsJwt: boolean }> {
  const check = `function ${name}`;
  const failed = (found: string, todo: string): Finding => ({ check, status: 'failed', found, todo });
  try {
    const { status } = await ask(`${url}/${name}/health`, { signal });
    if (status === 200) return { finding: { check, status: 'ok', found: 'healthy' }, wantsJwt: false };
    if (wantsJwt(status)) {
      return { finding: { check, status: 'not checked', found: 'it requires a JWT' }, wantsJwt: true };
    }
    const log = `see the log of ${name}: supabase functions logs, or Edge Functions in the dashboard`;
    const todo =
      status === 404
        ? 'supabase functions deploy --use-api'
        : status === 503
          ? `check that the database is reachable and that APP_ENV equals admin.set_environment(); ${log}`
          : log;
    return { finding: failed(`health endpoint returned ${status}`, todo), wantsJwt: false };
  } catch (error) {
    signal.throwIfAborted();
    return {
      finding: failed(reasonOf(error), 'check the URL, and that the project is not paused'),
      wantsJwt: false,
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
    const looks = await Promise.all(functionNames.map((name) => lookAt(name, deployment)));
    const names = functionNames.filter((_, index) => looks[index]?.wantsJwt);
    const jwt: Finding =
      names.length === 0
        ? { check: 'verify_jwt', status: 'ok', found: 'off for every function that responds' }
        : {
            check: 'verify_jwt',
            status: 'failed',
            found: `on for ${names.join(', ')}`,
            todo: 'set verify_jwt = false in supabase/config.toml, then run supabase functions deploy --use-api',
          };
    return [...looks.map(({ finding }) => finding), jwt];
  },
};

/** Request signatures expire after 300 s, measured with the caller's clock. */
const MOST_SKEW_S = 300;
const WARNING_SKEW_S = 30;

const clock: Check = {
  name: 'clock',
  needs: ['PLACAR_URL'],
  todo: 'check the URL',
  async run({ url, sql, signal }) {
    const before = Date.now();
    const { headers } = await ask(`${url}/default-integration/health`, { signal });
    const here = (before + Date.now()) / 2;
    const clocks: [string, number][] = [];
    const date = Date.parse(headers.get('date') ?? '');
    // The Date header has whole seconds.
    if (!Number.isNaN(date)) clocks.push(['the functions', date + 500 - here]);
    const [row] = sql ? await sql`select extract(epoch from clock_timestamp())::float8 * 1000 as now` : [];
    if (row) clocks.push(['the database', row.now - Date.now()]);
    const worst = Math.max(0, ...clocks.map(([, skewMs]) => Math.abs(skewMs) / 1000));
    const found = clocks
      .map(([whose, skewMs]) => `${whose} ${(skewMs / 1000).toFixed(1)} s off from this machine`)
      .join(', ');
    if (worst < WARNING_SKEW_S) return { check: 'clock', status: 'ok', found };
    const todo = 'correct the wrong clock (NTP): signatures are valid for 300 s';
    return { check: 'clock', status: worst >= MOST_SKEW_S ? 'failed' : 'warning', found, todo };
  },
};

const tokenKey: Check = {
  name: 'signing key of tokens',
  needs: ['PLACAR_URL'],
  todo: 'check that the oauth function responds',
  async run({ url, env, signal }) {
    const check = 'signing key of tokens';
    const { status, body } = await ask(`${url}/oauth/.well-known/jwks.json`, { signal });
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

export const functionChecks: readonly Check[] = [settings, functions, tokenKey, clock];
