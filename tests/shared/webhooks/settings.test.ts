import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

const root = new URL('../../..', import.meta.url).pathname;
const complete = { APP_ENV: 'staging' };

/** Reads the settings in a process of its own, with these variables alone. */
async function read(env: Record<string, string>): Promise<{ ok: boolean; output: string }> {
  const code = `import { readEnv } from './shared/env.ts'; console.log(JSON.stringify(readEnv('app', 'destinations', 'webhooks', 'mail')));`;
  const args = ['--import', 'tsx', '--input-type=module', '-e', code];
  const options = { cwd: root, env: { PATH: process.env.PATH, ...complete, ...env } };
  return promisify(execFile)(process.execPath, args, options).then(
    ({ stdout }) => ({ ok: true, output: stdout }),
    (error) => ({ ok: false, output: error.stderr }),
  );
}

test('by default destinations are secure, and the schedule is the documented one', async () => {
  const { output } = await read({ APP_ENV: 'production' });
  expect(JSON.parse(output)).toMatchObject({
    ALLOW_INSECURE_WEBHOOKS: false,
    WEBHOOK_RETRY_SCHEDULE: [60, 300, 1800, 7200, 43_200],
    WEBHOOK_DEACTIVATION_MIN_SPAN_SECONDS: 60,
  });
});

test('given ones are read', async () => {
  const { output } = await read({ ALLOW_INSECURE_WEBHOOKS: 'true', WEBHOOK_RETRY_SCHEDULE: '0,5' });
  expect(JSON.parse(output)).toMatchObject({ ALLOW_INSECURE_WEBHOOKS: true, WEBHOOK_RETRY_SCHEDULE: [0, 5] });
});

test.each([
  ['ALLOW_INSECURE_WEBHOOKS', { APP_ENV: 'production', ALLOW_INSECURE_WEBHOOKS: 'true' }],
  ['ALLOW_INSECURE_WEBHOOKS', { ALLOW_INSECURE_WEBHOOKS: '1' }],
  ['WEBHOOK_RETRY_SCHEDULE', { WEBHOOK_RETRY_SCHEDULE: '1,soon' }],
  ['WEBHOOK_DEACTIVATION_MIN_SPAN_SECONDS', { WEBHOOK_DEACTIVATION_MIN_SPAN_SECONDS: '-1' }],
  ['MAIL_FROM', { RESEND_API_KEY: 're_x' }],
  ['RESEND_API_KEY', { MAIL_FROM: 'a@example.com' }],
])('%s: %j refuses to start', async (name, env) => {
  const { ok, output } = await read(env as Record<string, string>);
  expect(ok).toBe(false);
  expect(output).toContain(name);
});
