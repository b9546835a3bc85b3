// How often an IP address may send unknown credentials.
import { afterEach, expect, test, vi } from 'vitest';
import { addProviders } from '../../../../functions/callbacks/provider-deliveries.ts';
import type { Dependencies } from '../../../../functions/payments/dependencies.ts';
import { addFiles } from '../../../../functions/payments/files.ts';
import { mountAcceptInvitation } from '../../../../functions/v1/accept-invitation.ts';
import type { Providers } from '../../../../shared/payments/providers/provider.ts';
import { requireSignature } from '../../../../shared/platform/access/require-signature.ts';
import { createUnknownCallerLimit } from '../../../../shared/platform/access/unknown-caller-limit.ts';
import { databaseUnreachable } from '../../../../shared/platform/db/unavailable.ts';
import { type App, createApp, type Service } from '../../../../shared/platform/http/app.ts';
import { mountEndpoints } from '../../../../shared/platform/http/endpoint.ts';
import { createLogger, silentLogger } from '../../../../shared/platform/logger.ts';
import { problemErrorFormat } from '../../../../shared/platform/request/error-formats.ts';

const MAX = 600;

afterEach(() => void vi.useRealTimers());

test('limits unknown attempts per minute; known callers and other addresses do not count', () => {
  vi.useFakeTimers();
  const limit = createUnknownCallerLimit(3);
  for (let i = 0; i < 10; i++) limit.attempt('a')();
  for (let i = 0; i < 3; i++) limit.attempt('a');
  const refusal = expect.objectContaining({ code: 'rate_limited', retryAfterSeconds: 60 });
  expect(() => limit.attempt('a')).toThrow(refusal);
  limit.attempt('b');
  for (let i = 0; i < 10; i++) limit.attempt(undefined);
  vi.advanceTimersByTime(60_000);
  limit.attempt('a');
});

const database = { transaction: vi.fn(), asLogin: vi.fn(async () => []), close: vi.fn() };

const counter = { count: vi.fn(), peek: vi.fn(), uncount: vi.fn(), countMany: vi.fn(), ping: vi.fn() };
const mounts: Record<string, { path: string; known: number; mount: (app: App) => void }> = {
  'API keys': {
    path: '/v1/thing',
    known: 401,
    mount(app) {
      const options = { database, counter, environment: 'staging', role: 'api', allowBearer: true } as const;
      const thing = { method: 'get', path: '/thing', scopes: [], body: 'none', handle: vi.fn() } as const;
      mountEndpoints(app, service, requireSignature(options), { thing });
    },
  },
  files: {
    path: '/payments/files/x/qr.png',
    known: 404,
    // The other dependencies are used only for files that exist.
    mount: (app) => addFiles(app, { database } as unknown as Dependencies, counter),
  },
  invitations: {
    path: '/v1/invitations/accept?token=x',
    known: 404,
    mount: (app) => mountAcceptInvitation(app, { database, queue: { publish: vi.fn(), handOff: vi.fn() } }),
  },
};

const service: Service = {
  ...{ name: 'v1', errorFormat: problemErrorFormat, schemes: ['Bearer'], database },
  ...{ environment: 'staging', addressHeader: 'cf-connecting-ip', unknownCallerRows: 1 },
  log: createLogger('error'),
};

test.each(Object.entries(mounts))(
  'unknown %s are looked up up to the limit, then 429',
  async (_, { path, known, mount }) => {
    const app = createApp(service);
    mount(app);
    const ask = (address: string) => {
      const headers = { 'cf-connecting-ip': address, authorization: `Bearer sk_test_${'0'.repeat(32)}` };
      return app.request(path, { headers });
    };
    for (let i = 0; i < MAX; i++) expect((await ask('192.0.2.1')).status).toBe(known);
    const asked = database.asLogin.mock.calls.length;
    const refused = await ask('192.0.2.1');
    expect([refused.status, Number(refused.headers.get('retry-after')) > 0]).toEqual([429, true]);
    expect(database.asLogin.mock.calls.length).toBe(asked);
    expect((await ask('192.0.2.2')).status).toBe(known);
  },
);

test.each([
  ['API keys', 'GET', '/v1/thing'],
  ['webhooks of providers', 'POST', `/callbacks/providers/asaas/pacc_${'0'.repeat(26)}`],
])('%s that the database could not look up do not count as unknown', async (_, method, path) => {
  const app = createApp({ ...service, log: silentLogger });
  mounts['API keys']?.mount(app);
  // Providers are called only for accounts that exist.
  addProviders(app, { database } as unknown as Parameters<typeof addProviders>[1], {} as Providers);
  const outage = databaseUnreachable(new Error('reset'), 'none');
  database.asLogin.mockRejectedValue(outage);
  database.transaction.mockRejectedValue(outage);
  const headers = { 'cf-connecting-ip': '192.0.2.3', authorization: `Bearer sk_test_${'0'.repeat(32)}` };
  for (let i = 0; i <= MAX; i++) expect((await app.request(path, { method, headers })).status).toBe(503);
  database.asLogin.mockResolvedValue([]);
  database.transaction.mockReset();
});

test('health queries the database once a second, regardless of the callers', async () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  database.transaction.mockClear();
  const app = createApp(service);
  const ask = async () => (await app.request('/v1/health')).status;
  expect(await Promise.all([ask(), ask(), ask()])).toEqual([503, 503, 503]);
  expect(database.transaction).toHaveBeenCalledTimes(1);
  vi.advanceTimersByTime(1001);
  expect(await ask()).toBe(503);
  expect(database.transaction).toHaveBeenCalledTimes(2);
});
