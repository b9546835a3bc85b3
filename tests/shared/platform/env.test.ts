import { expect, onTestFinished, test, vi } from 'vitest';
import { createSigningKey } from '../../../scripts/signing-key.ts';
import {
  readEnv,
  type SettingGroup,
  settingErrors,
  settingNames,
  settings,
} from '../../../shared/platform/env.ts';
import type { Setting } from '../../../shared/platform/setting.ts';
import { withEnvironment } from '../../support/environment.ts';

const read = (env: Record<string, string>) =>
  withEnvironment(env, () => readEnv('app', 'database', 'redis', 'oauth'));

const signingKey = JSON.parse(createSigningKey());
const altered = (more: object) => JSON.stringify({ ...signingKey, ...more });

const complete = {
  APP_ENV: 'staging',
  SUPABASE_DB_URL: 'postgresql://u:p@127.0.0.1:5432/db',
  UPSTASH_REDIS_REST_URL: 'http://127.0.0.1:8080/',
  UPSTASH_REDIS_REST_TOKEN: 'token',
  FUNCTIONS_URL: 'https://project.example/functions/v1/',
  OAUTH_SIGNING_KEY: altered({ kid: 'mine', use: 'sig', key_ops: ['sign'] }),
};

test('reads complete settings, with defaults for those that are not secret', () => {
  expect(read(complete)).toEqual({
    ...complete,
    UPSTASH_REDIS_REST_URL: 'http://127.0.0.1:8080',
    FUNCTIONS_URL: 'https://project.example/functions/v1',
    OAUTH_SIGNING_KEY: { ...signingKey, kid: 'mine' },
    LOG_LEVEL: 'warn',
    CLIENT_ADDRESS_HEADER: 'cf-connecting-ip',
    UNKNOWN_CALLER_ROWS: 60,
    DOCS_URL: 'https://placar.dev',
    DATABASE_POOLER: 'auto',
    DATABASE_POOL_SIZE: 4,
    DATABASE_READ_TIMEOUT_MS: 10_000,
    DATABASE_TIMEOUT_MS: 30_000,
    REDIS_TIMEOUT_MS: 1000,
  });
});

test.each([
  ['APP_ENV', ''],
  ['APP_ENV', 'local'],
  ['SUPABASE_DB_URL', ''],
  ['SUPABASE_DB_URL', 'http://secret-value'],
  ['SUPABASE_DB_URL', 'postgresql://u:secret-value%@127.0.0.1/db'],
  ['SUPABASE_DB_URL', 'postgresql://u:p@127.0.0.1/db#secret-value'],
  ['UPSTASH_REDIS_REST_TOKEN', ''],
  ['DATABASE_URL', 'secret-value'],
  ['OAUTH_SIGNING_KEY', ''],
  ['OAUTH_SIGNING_KEY', 'secret-value'],
  ['OAUTH_SIGNING_KEY', '{"d":"secret-value"'],
  ['OAUTH_SIGNING_KEY', '"secret-value"'],
  ['OAUTH_SIGNING_KEY', altered({ d: undefined, kid: 'secret-value' })],
  ['OAUTH_SIGNING_KEY', altered({ d: 'secret-value' })],
  ['OAUTH_SIGNING_KEY', altered({ crv: 'P-384', kid: 'secret-value' })],
  ['OAUTH_SIGNING_KEY', altered({ kty: 'RSA', kid: 'secret-value' })],
  ['OAUTH_SIGNING_KEY', altered({ kid: 5, other: 'secret-value' })],
])('refuses to start with %s=%s, naming the setting without its value', (name, value) => {
  const reading = () => read({ ...complete, [name]: value });
  expect(reading).toThrow(name);
  expect(reading).not.toThrow('secret-value');
});

test('an empty CLIENT_ADDRESS_HEADER means none instead of the default', () => {
  expect(read({ ...complete, CLIENT_ADDRESS_HEADER: '' }).CLIENT_ADDRESS_HEADER).toBe('');
  expect(() => read({ ...complete, CLIENT_ADDRESS_HEADER: 'a b' })).toThrow('CLIENT_ADDRESS_HEADER');
});

const readTelemetry = (env: Record<string, string>) =>
  withEnvironment({ APP_ENV: 'production', ...env }, () => readEnv('app', 'telemetry'));

test('settings of telemetry', () => {
  expect(readTelemetry({})).toMatchObject({ OTEL_SERVICE_NAME: 'placar', OTEL_TRACES_SAMPLER_ARG: 1 });
  expect(
    readTelemetry({
      OTEL_EXPORTER_OTLP_ENDPOINT: 'https://collector.example/otlp/',
      OTEL_EXPORTER_OTLP_HEADERS: 'Authorization=Bearer%20a%2Cb, x-team=crm=1',
      OTEL_RESOURCE_ATTRIBUTES: 'cloud.region=s%C3%A3o',
      OTEL_TRACES_SAMPLER_ARG: '0.25',
    }),
  ).toMatchObject({
    OTEL_EXPORTER_OTLP_ENDPOINT: 'https://collector.example/otlp',
    OTEL_EXPORTER_OTLP_HEADERS: [
      ['Authorization', 'Bearer a,b'],
      ['x-team', 'crm=1'],
    ],
    OTEL_RESOURCE_ATTRIBUTES: [['cloud.region', 's\u00e3o']],
    OTEL_TRACES_SAMPLER_ARG: 0.25,
  });
  const staging = { APP_ENV: 'staging', OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:4318' };
  expect(readTelemetry(staging)).toMatchObject(staging);
});

test.each([
  ['OTEL_EXPORTER_OTLP_ENDPOINT', 'secret-value'],
  ['OTEL_EXPORTER_OTLP_ENDPOINT', 'http://secret-value.example'],
  ['OTEL_EXPORTER_OTLP_ENDPOINT', 'https://user:secret-value@collector.example'],
  ['OTEL_EXPORTER_OTLP_ENDPOINT', 'https://collector.example/?key=secret-value'],
  ['OTEL_EXPORTER_OTLP_HEADERS', 'secret-value'],
  ['OTEL_EXPORTER_OTLP_HEADERS', 'a=secret-value,'],
  ['OTEL_EXPORTER_OTLP_HEADERS', 'a=%0Asecret-value'],
  ['OTEL_EXPORTER_OTLP_HEADERS', 'a=%secret-value'],
  ['OTEL_EXPORTER_OTLP_HEADERS', 'a b=secret-value'],
  ['OTEL_RESOURCE_ATTRIBUTES', 'secret-value'],
  ['OTEL_TRACES_SAMPLER_ARG', '1.1'],
  ['OTEL_TRACES_SAMPLER_ARG', 'secret-value'],
])('a function starts without %s=%s, and logs the setting without its value', (name, value) => {
  const logged = vi.spyOn(console, 'error').mockImplementation(() => {});
  onTestFinished(() => logged.mockRestore());
  expect(readTelemetry({ [name]: value })).toEqual(readTelemetry({}));
  expect(logged.mock.calls).toHaveLength(1);
  expect(JSON.parse(logged.mock.calls[0]?.[0])).toMatchObject({
    level: 'error',
    message: 'setting ignored',
    setting: name,
    fault: expect.not.stringContaining('secret-value'),
  });
});

// A default in place of these would send keys, jobs or requests to another place, or trust a header that callers can set.
const STRICT = [
  ...['RD_STATION_URL', 'RD_STATION_TOKEN_URL', 'PIPEDRIVE_URL', 'HUBSPOT_URL'],
  'CLIENT_ADDRESS_HEADER',
  'DATABASE_URL',
  'QSTASH_URL',
  'ASAAS_URL',
  'WISE_URL',
  'STRIPE_URL',
];

test('only required and strict settings prevent the start', () => {
  const groups = Object.keys(settings) as SettingGroup[];
  const all = Object.fromEntries(settingNames(...groups).map((name) => [name, 'not valid \n']));
  const faults = withEnvironment(all, () => settingErrors(...groups));
  const required = groups.flatMap((group) =>
    Object.entries<Setting<unknown>>(settings[group]).flatMap(([name, { absent }]) => (absent ? [] : [name])),
  );
  for (const { name, isFatal } of faults)
    expect([name, isFatal]).toEqual([name, required.includes(name) || STRICT.includes(name)]);
});
