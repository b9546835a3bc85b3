import { expect, test } from 'vitest';
import { readEnv } from '../../../shared/platform/env.ts';
import { withEnvironment } from '../../support/environment.ts';

const read = (env: Record<string, string>) =>
  withEnvironment({ APP_ENV: 'staging', ...env }, () => readEnv('app', 'destinations', 'webhooks', 'mail'));

test('by default, destinations are secure and the schedule is the documented one', () => {
  expect(read({ APP_ENV: 'production' })).toMatchObject({
    ALLOW_INSECURE_WEBHOOKS: false,
    WEBHOOK_RETRY_SCHEDULE: [60, 300, 1800, 7200, 43_200],
    WEBHOOK_DEACTIVATION_MIN_SPAN_SECONDS: 60,
  });
});

test('reads given settings', () => {
  const given = { ALLOW_INSECURE_WEBHOOKS: 'true', WEBHOOK_RETRY_SCHEDULE: '0,5' };
  expect(read(given)).toMatchObject({ ALLOW_INSECURE_WEBHOOKS: true, WEBHOOK_RETRY_SCHEDULE: [0, 5] });
});

test.each([
  ['ALLOW_INSECURE_WEBHOOKS', { APP_ENV: 'production', ALLOW_INSECURE_WEBHOOKS: 'true' }],
  ['MAIL_FROM', { RESEND_API_KEY: 're_x' }],
  ['RESEND_API_KEY', { MAIL_FROM: 'a@example.com' }],
])('refuses to start with %s: %j', (name, env) => {
  expect(() => read(env as Record<string, string>)).toThrow(name);
});
