import { expect, test } from 'vitest';
import { checkSettingsFromEnvironment, settingsFromEnvironment } from '../../local/settings.ts';
import { withEnvironment } from '../support/environment.ts';

test('settings that change the behavior of functions are passed on unchanged', () => {
  const given = {
    ALLOW_INSECURE_WEBHOOKS: 'false',
    DATABASE_POOL_SIZE: '2',
    DATABASE_TIMEOUT_MS: '500',
    REDIS_TIMEOUT_MS: '100',
    LOG_LEVEL: 'debug',
    UNKNOWN_CALLER_ROWS: '5',
    OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:4318',
    WEBHOOK_RETRY_SCHEDULE: '1,2',
    WEBHOOK_DEACTIVATION_MIN_SPAN_SECONDS: '0',
    SANDBOX_SETTLE_SECONDS: '9',
    ASAAS_URL: 'http://127.0.0.1:1/v3',
    WISE_URL: 'http://127.0.0.1:2',
    WISE_VERSION: '2026Q4',
    WISE_PUBLIC_KEY: 'of an emulator',
    STRIPE_URL: 'http://127.0.0.1:3',
    PROVIDER_RECONCILE_SECONDS: '60',
    PROVIDER_CHECK_SECONDS: '120',
  };
  expect(withEnvironment(given, settingsFromEnvironment)).toEqual(given);
  const allowed = { ALLOW_INSECURE_WEBHOOKS: 'true' };
  expect(withEnvironment(allowed, settingsFromEnvironment)).toEqual(allowed);
});

test('addresses and keys of other services, and empty values, are not', () => {
  const others = {
    QSTASH_TOKEN: 'of a deployment',
    DATABASE_URL: 'postgresql://elsewhere/db',
    UPSTASH_REDIS_REST_URL: 'https://elsewhere',
    APP_ENV: 'production',
    ALLOW_INSECURE_WEBHOOKS: '',
  };
  expect(withEnvironment(others, settingsFromEnvironment)).toEqual({});
});

test('malformed ones are named', () => {
  const check = (given: Record<string, string>) => () => withEnvironment(given, checkSettingsFromEnvironment);
  const malformed: Record<string, string> = {
    DATABASE_POOLER: 'statement',
    SWEEP_MAX_JOBS: '99',
    PROVIDER_CHECK_SECONDS: '59',
    METRICS_TOKEN: 'short',
    OTEL_EXPORTER_OTLP_ENDPOINT: 'http://user:secret@127.0.0.1:4318',
    OTEL_EXPORTER_OTLP_HEADERS: 'secret',
    OTEL_RESOURCE_ATTRIBUTES: 'team',
    OTEL_TRACES_SAMPLER_ARG: '2',
  };
  for (const [name, value] of Object.entries(malformed)) {
    expect(check({ [name]: value }), name).toThrow(`  ${name}: must`);
    expect(check({ [name]: value })).not.toThrow('secret');
  }
  expect(check({ SWEEP_MAX_JOBS: '100' })).not.toThrow();
});
