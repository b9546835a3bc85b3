// QStash, Redis and Auth: whether they answer, with the credentials of the functions.
import { SWEEP_PATH, SWEEP_SCHEDULE_ID } from '../../../../../shared/platform/jobs/sweep-schedule.ts';
import { ask, type Check, type Deployment, type Finding, membersOf } from './check.ts';

const DEFAULT_QSTASH = 'https://qstash.upstash.io';

const askQstash = ({ env, signal }: Deployment, path: string) =>
  ask(`${(env.QSTASH_URL || DEFAULT_QSTASH).replace(/\/+$/, '')}${path}`, {
    headers: { Authorization: `Bearer ${env.QSTASH_TOKEN}` },
    signal,
  });

/** Whether the database calls the sweep each minute in QStash's place. */
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
  todo: 'is QSTASH_URL that of your region?',
  async run(deployment) {
    const check = 'schedule';
    const { status, body } = await askQstash(deployment, `/v2/schedules/${SWEEP_SCHEDULE_ID}`);
    if (status === 401 || status === 403) {
      return {
        check,
        status: 'failed',
        found: `QStash refuses the token (${status})`,
        todo: 'set the present QSTASH_TOKEN',
      };
    }
    if (await sweptByCron(deployment)) return { check, status: 'ok', found: 'pg_cron calls the sweep' };
    const make = 'npm run schedule';
    if (status === 404) return { check, status: 'failed', found: 'QStash has none', todo: make };
    if (status !== 200) {
      return { check, status: 'failed', found: `QStash answered ${status}`, todo: 'see status.upstash.com' };
    }
    const { destination, isPaused } = membersOf(body);
    const wanted = `${deployment.url}${SWEEP_PATH}`;
    if (isPaused === true)
      return { check, status: 'failed', found: 'it is paused', todo: "resume it in QStash's console" };
    if (destination !== wanted) {
      return {
        check,
        status: 'failed',
        found: `it calls ${String(destination)}`,
        todo: `${make}, with FUNCTIONS_URL=${deployment.url}`,
      };
    }
    return { check, status: 'ok', found: 'QStash calls the sweep each minute' };
  },
};

const signingKeys: Check = {
  name: 'signing keys of QStash',
  needs: ['QSTASH_TOKEN', 'QSTASH_CURRENT_SIGNING_KEY', 'QSTASH_NEXT_SIGNING_KEY'],
  todo: 'is QSTASH_URL that of your region?',
  async run(deployment): Promise<Finding> {
    const check = 'signing keys of QStash';
    const { status, body } = await askQstash(deployment, '/v2/keys');
    if (status !== 200) {
      return {
        check,
        status: 'failed',
        found: `QStash answered ${status}`,
        todo: 'set the present QSTASH_TOKEN',
      };
    }
    const { QSTASH_CURRENT_SIGNING_KEY: current, QSTASH_NEXT_SIGNING_KEY: next } = deployment.env;
    const keys = membersOf(body);
    if (keys.current === current && keys.next === next)
      return { check, status: 'ok', found: 'as QStash has them' };
    const stillGood = keys.current === next;
    return {
      check,
      status: stillGood ? 'warning' : 'failed',
      found: stillGood ? 'they were rolled: the next key is in use' : 'QStash signs with others',
      todo: "copy both from QStash's console: QSTASH_CURRENT_SIGNING_KEY, QSTASH_NEXT_SIGNING_KEY",
    };
  },
};

const redis: Check = {
  name: 'Redis',
  needs: ['UPSTASH_REDIS_REST_URL', 'UPSTASH_REDIS_REST_TOKEN'],
  todo: "is UPSTASH_REDIS_REST_URL that of Upstash's console?",
  async run({ env, signal }) {
    const check = 'Redis';
    const startedAt = performance.now();
    const { status, body } = await ask(`${env.UPSTASH_REDIS_REST_URL?.replace(/\/+$/, '')}/pipeline`, {
      method: 'POST',
      headers: {
        Authorization: `Bearer ${env.UPSTASH_REDIS_REST_TOKEN}`,
        'Content-Type': 'application/json',
      },
      body: JSON.stringify([['EVAL', 'return 1', '0']]),
      signal,
    });
    const [reply] = Array.isArray(body) ? body : [];
    const took = Math.round(performance.now() - startedAt);
    if (status === 200 && membersOf(reply).result === 1)
      return { check, status: 'ok', found: `answers in ${took} ms` };
    const todo =
      'set the present UPSTASH_REDIS_REST_URL and UPSTASH_REDIS_REST_TOKEN: requests are served uncounted';
    return { check, status: 'failed', found: `it answered ${status}`, todo };
  },
};

/** The first of the project's secret keys, which the platform keeps as a JSON object. */
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
  todo: 'is SUPABASE_URL that of the project?',
  async run({ env, signal }) {
    const check = 'Auth';
    const { status } = await ask(`${env.SUPABASE_URL?.replace(/\/+$/, '')}/auth/v1/health`, {
      headers: { apikey: secretKeyOf(env.SUPABASE_SECRET_KEYS) },
      signal,
    });
    if (status === 200) return { check, status: 'ok', found: 'answers' };
    const todo = status === 401 ? 'give a present secret key of the project' : 'see status.supabase.com';
    return { check, status: 'failed', found: `it answered ${status}`, todo };
  },
};

export const serviceChecks: readonly Check[] = [schedule, signingKeys, redis, auth];
