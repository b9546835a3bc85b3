// Whether the functions answer, with the right settings, to callers without a JWT of the platform.
import { functionNames, manifest } from '../../../../../functions/manifest.ts';
import { settingFaults, settingNames } from '../../../../../shared/platform/env.ts';
import { ask, type Check, type Deployment, type Finding, membersOf } from './check.ts';

const groups = [...new Set(functionNames.flatMap((name) => [...manifest[name].settings]))];

/** Settings of the functions; of an address the password may be printed nowhere, of the others nothing. */
export const addressSettings: string[] = settingNames(...groups).filter((name) => name.endsWith('_URL'));
export const secretSettings: string[] = settingNames(...groups).filter((name) =>
  /TOKEN|KEY|SECRET/.test(name),
);

/** The platform gives them, and no file has them. */
const GIVEN = ['SUPABASE_DB_URL', 'SUPABASE_URL', 'SUPABASE_SECRET_KEYS'];

const settings: Check = {
  name: 'settings',
  needs: ['APP_ENV'],
  todo: 'supabase secrets set, as .env.example says',
  async run({ env }) {
    const faults = settingFaults(...groups).filter(({ name }) => !GIVEN.includes(name) || env[name]);
    const unique = [...new Map(faults.map((fault) => [fault.name, fault])).values()];
    if (unique.length === 0) return { check: 'settings', status: 'ok', found: 'complete and well-formed' };
    const found = unique.map(({ name, fault }) => `${name} ${fault}`).join('; ');
    return { check: 'settings', status: 'failed', found, todo: this.todo };
  },
};

/** The platform's own refusal, where it wants a JWT: our functions let everybody ask for their health. */
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
      return { finding: { check, status: 'not checked', found: 'it wants a JWT' }, wantsJwt: true };
    }
    const log = `the log of ${name} says why: supabase functions logs, or Edge Functions in the dashboard`;
    const todo =
      status === 404
        ? 'supabase functions deploy --use-api'
        : status === 503
          ? `is the database there, and APP_ENV the same as admin.set_environment()? ${log}`
          : log;
    return { finding: failed(`health is ${status}`, todo), wantsJwt: false };
  } catch (error) {
    signal.throwIfAborted();
    return {
      finding: failed(reasonOf(error), 'is the address right, and the project not paused?'),
      wantsJwt: false,
    };
  }
}

/** `fetch failed` says little: its cause does. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error.name === 'TimeoutError') return 'no answer within 10 s';
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
        ? { check: 'verify_jwt', status: 'ok', found: 'off for every function that answers' }
        : {
            check: 'verify_jwt',
            status: 'failed',
            found: `on for ${names.join(', ')}`,
            todo: 'verify_jwt = false in supabase/config.toml, then supabase functions deploy --use-api',
          };
    return [...looks.map(({ finding }) => finding), jwt];
  },
};

/** Callers' clocks count: signatures of requests may be 300 s off. */
const MOST_SKEW_S = 300;
const WARNING_SKEW_S = 30;

const clock: Check = {
  name: 'clock',
  needs: ['PLACAR_URL'],
  todo: 'is the address right?',
  async run({ url, sql, signal }) {
    const before = Date.now();
    const { headers } = await ask(`${url}/default-integration/health`, { signal });
    const here = (before + Date.now()) / 2;
    const clocks: [string, number][] = [];
    const date = Date.parse(headers.get('date') ?? '');
    // It has whole seconds.
    if (!Number.isNaN(date)) clocks.push(['the functions', date + 500 - here]);
    const [row] = sql ? await sql`select extract(epoch from clock_timestamp())::float8 * 1000 as now` : [];
    if (row) clocks.push(['the database', row.now - Date.now()]);
    const worst = Math.max(0, ...clocks.map(([, skewMs]) => Math.abs(skewMs) / 1000));
    const found = clocks
      .map(([whose, skewMs]) => `${whose} ${(skewMs / 1000).toFixed(1)} s off this machine`)
      .join(', ');
    if (worst < WARNING_SKEW_S) return { check: 'clock', status: 'ok', found };
    const todo = 'set the clock that is wrong (NTP): signatures are good for 300 s';
    return { check: 'clock', status: worst >= MOST_SKEW_S ? 'failed' : 'warning', found, todo };
  },
};

const tokenKey: Check = {
  name: 'signing key of tokens',
  needs: ['PLACAR_URL'],
  todo: 'does the function oauth answer?',
  async run({ url, env, signal }) {
    const check = 'signing key of tokens';
    const { status, body } = await ask(`${url}/oauth/.well-known/jwks.json`, { signal });
    const { keys } = membersOf(body);
    const published = Array.isArray(keys) ? keys.map((key) => membersOf(key).x) : [];
    if (status !== 200 || published.length === 0) {
      const todo = 'npm run -s signing-key makes OAUTH_SIGNING_KEY';
      return { check, status: 'failed', found: `no key is published (${status})`, todo };
    }
    const found = `${published.length} published`;
    if (!env.OAUTH_SIGNING_KEY) return { check, status: 'ok', found };
    const own = membersOf(JSON.parse(env.OAUTH_SIGNING_KEY)).x;
    if (published.includes(own))
      return { check, status: 'ok', found: `${found}, that of OAUTH_SIGNING_KEY among them` };
    const todo = 'supabase secrets set with the present OAUTH_SIGNING_KEY';
    return { check, status: 'failed', found: `${found}, and that of OAUTH_SIGNING_KEY is not`, todo };
  },
};

export const functionChecks: readonly Check[] = [settings, functions, tokenKey, clock];
