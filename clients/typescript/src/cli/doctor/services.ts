// Service checks: whether QStash, Redis and Auth accept the functions' credentials.
import { SWEEP_PATH, SWEEP_SCHEDULE_ID } from '../../../../../shared/platform/jobs/sweep-schedule.ts';
import { ask, type Check, type Deployment, type Finding, membersOf } from './check.ts';

const DEFAULT_QSTASH = 'https://qstash.upstash.io';

const askQstash = ({ env, signal }: Deployment, path: string) =>
  ask(`${(env.QSTASH_URL || DEFAULT_QSTASH).replace(/\/+$/, '')}${path}`, {
    headers: { Authorization: `Bearer ${env.QSTASH_TOKEN}` },
    signal,
  });

/** Whether pg_cron, rather than QStash, calls the sweep every minute. */
async function sweptByCron({ sql }: Deployment): Promise<boolean> {
  if (!sql) return false;
  const [there] = await sql`select to_regclass('cron.job') is not null as cron`;
  if (!there?.cron) return false;
  const jobs = await sql`select from cron.job where jobname = ${SWEEP_SCHEDULE_ID} and active`;
  return jobs.length > 0;
}

const schedule: Check = {
  name: 'schedule',
  needs: ['QSTASH_TOKEN'],
  todo: 'check that QSTASH_URL is the URL of your region',
  async run(deployment) {
    const check = 'schedule';
    const { status, body } = await askQstash(deployment, `/v2/schedules/${SWEEP_SCHEDULE_ID}`);
    if (status === 401 || status === 403) {
      return {
        check,
        status: 'failed',
        found: `QStash rejects the token (${status})`,
        todo: 'set the current QSTASH_TOKEN',
      };
    }
    // The check `database` reports a database that does not respond.
    const cron = await sweptByCron(deployment).catch(() => undefined);
    if (cron === undefined) return { check, status: 'not checked', found: 'no connection to the database' };
    if (cron) return { check, status: 'ok', found: 'pg_cron calls the sweep' };
    const make = 'npm run schedule -- --env-file .env.production';
    if (status === 404) return { check, status: 'failed', found: 'QStash has no schedule', todo: make };
    if (status !== 200) {
      return { check, status: 'failed', found: `QStash returned ${status}`, todo: 'see status.upstash.com' };
    }
    const { destination, isPaused } = membersOf(body);
    const wanted = `${deployment.url}${SWEEP_PATH}`;
    if (isPaused === true)
      return {
        check,
        status: 'failed',
        found: 'the schedule is paused',
        todo: 'resume it in the QStash console',
      };
    if (destination !== wanted) {
      return {
        check,
        status: 'failed',
        found: `it calls ${String(destination)}`,
        todo: `${make}, with FUNCTIONS_URL=${deployment.url}`,
      };
    }
    return { check, status: 'ok', found: 'QStash calls the sweep every minute' };
  },
};

const signingKeys: Check = {
  name: 'signing keys of QStash',
  needs: ['QSTASH_TOKEN', 'QSTASH_CURRENT_SIGNING_KEY', 'QSTASH_NEXT_SIGNING_KEY'],
  todo: 'check that QSTASH_URL is the URL of your region',
  async run(deployment): Promise<Finding> {
    const check = 'signing keys of QStash';
    const { status, body } = await askQstash(deployment, '/v2/keys');
    if (status !== 200) {
      return {
        check,
        status: 'failed',
        found: `QStash returned ${status}`,
        todo: 'set the current QSTASH_TOKEN',
      };
    }
    const { QSTASH_CURRENT_SIGNING_KEY: current, QSTASH_NEXT_SIGNING_KEY: next } = deployment.env;
    const keys = membersOf(body);
    if (keys.current === current && keys.next === next) return { check, status: 'ok', found: 'match QStash' };
    const stillGood = keys.current === next;
    return {
      check,
      status: stillGood ? 'warning' : 'failed',
      found: stillGood ? 'the keys were rotated: the next key is in use' : 'QStash signs with different keys',
      todo: 'copy both from the QStash console: QSTASH_CURRENT_SIGNING_KEY, QSTASH_NEXT_SIGNING_KEY',
    };
  },
};

/** A script that writes, as the counters do. */
const WRITE = "redis.call('incr', KEYS[1]) redis.call('pexpire', KEYS[1], '60000') return 1";

const redis: Check = {
  name: 'Redis',
  needs: ['UPSTASH_REDIS_REST_URL', 'UPSTASH_REDIS_REST_TOKEN'],
  todo: 'check that UPSTASH_REDIS_REST_URL is the URL in the Upstash console',
  async run({ env, signal }) {
    const check = 'Redis';
    const startedAt = performance.now();
    const { status, body } = await ask(`${env.UPSTASH_REDIS_REST_URL?.replace(/\/+$/, '')}/pipeline`, {
      method: 'POST',
      headers: {
        Authorization: `Bearer ${env.UPSTASH_REDIS_REST_TOKEN}`,
        'Content-Type': 'application/json',
      },
      body: JSON.stringify([['EVAL', WRITE, '1', 'placar:doctor']]),
      signal,
    });
    const [reply] = Array.isArray(body) ? body : [];
    const took = Math.round(performance.now() - startedAt);
    const { result, error } = membersOf(reply);
    if (status === 200 && result === 1) return { check, status: 'ok', found: `answered in ${took} ms` };
    if (/NOPERM|READONLY/.test(String(error))) {
      const found = 'the token may only read, so requests are not rate limited';
      return { check, status: 'failed', found, todo: 'set the standard token as UPSTASH_REDIS_REST_TOKEN' };
    }
    const todo =
      'set the current UPSTASH_REDIS_REST_URL and UPSTASH_REDIS_REST_TOKEN; until then requests are not rate limited';
    return { check, status: 'failed', found: `Redis returned ${status}`, todo };
  },
};

/** The first of the project's secret keys. The platform stores them as a JSON object. */
function secretKeyOf(text: string | undefined): string {
  try {
    const [key] = Object.values(membersOf(JSON.parse(text ?? '')));
    return typeof key === 'string' ? key : '';
  } catch {
    return '';
  }
}

const auth: Check = {
  name: 'Auth',
  needs: ['SUPABASE_URL', 'SUPABASE_SECRET_KEYS'],
  todo: 'check that SUPABASE_URL is the URL of the project',
  async run({ env, signal }) {
    const check = 'Auth';
    const { status, body } = await ask(`${env.SUPABASE_URL?.replace(/\/+$/, '')}/auth/v1/settings`, {
      headers: { apikey: secretKeyOf(env.SUPABASE_SECRET_KEYS) },
      signal,
    });
    if (status === 200) return { check, ...judgeSignUps(membersOf(body)) };
    const todo = status === 401 ? 'set a current secret key of the project' : 'see status.supabase.com';
    return { check, status: 'failed', found: `Auth returned ${status}`, todo };
  },
};

/** Whether an account of Auth proves that its owner has the address: people sign in to Placar with it. */
function judgeSignUps({ disable_signup: closed, mailer_autoconfirm: unchecked }: Record<string, unknown>) {
  if (closed === true) return { status: 'ok', found: 'responds, sign-ups are off' } as const;
  if (unchecked === true) {
    const found = 'anyone can sign up with any address, unchecked: nobody gets a token of Placar';
    return {
      status: 'failed',
      found,
      todo: 'turn sign-ups off in Auth, or turn on "Confirm email"',
    } as const;
  }
  const found = 'anyone can sign up, and wait with an address for an invitation of someone else';
  return {
    status: 'warning',
    found,
    todo: 'turn sign-ups off in Auth; invitations work without them',
  } as const;
}

export const serviceChecks: readonly Check[] = [schedule, signingKeys, redis, auth];
