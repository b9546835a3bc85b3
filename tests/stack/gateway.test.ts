// The single public address of the stack, in front of the real functions.
import { request } from 'node:http';
import { beforeAll, describe, expect, inject, test } from 'vitest';
import { signRequest } from '../../shared/platform/access/api-keys.ts';
import { connectDatabase, createApiKey, createTenant, type Tenant } from '../support/database.ts';
import { activity, collaborator, SYNC_PATH, sync, syncCollaborators } from '../support/gamification/sync.ts';

const sql = connectDatabase();
let tenant: Tenant;
beforeAll(async () => {
  tenant = await createTenant(sql);
});

const base = () => inject('stack').base_url;
const get = (path: string, method = 'GET') => fetch(`${base()}${path}`, { method });

describe('URLs', () => {
  test('a function responds below /functions/v1', async () => {
    const response = await get('/functions/v1/default-integration/health');
    expect(response.status).toBe(200);
    expect(await response.json()).toEqual({ status: 'ok' });
  });

  test('/v1 and /oauth reach the functions of those names without the prefix, other names do not', async () => {
    for (const path of ['/v1/nothing', '/oauth/nothing', '/functions/v1/v1/nothing']) {
      // Whether such a function exists or not, it is not a path of other parts of the platform.
      expect(await (await get(path)).text(), path).not.toContain('no Route matched');
    }
    const bare = await get('/default-integration/health');
    expect(bare.status).toBe(404);
    expect(await bare.json()).toEqual({ message: 'no Route matched with those values' });
  });

  test('an unknown function returns 404', async () => {
    for (const path of ['/functions/v1/unknown', '/functions/v1/unknown/more?a=1']) {
      const response = await get(path);
      expect(response.status, path).toBe(404);
      expect(response.headers.get('content-type')).toBe('application/json');
      expect(await response.json()).toEqual({
        code: 'NOT_FOUND',
        message: 'Requested function was not found',
      });
    }
  });

  test.each(['/nothing', '/functions/v1', '/functions/v1/', '/functions/v2/default-integration'])(
    'an unknown path, %s, returns 404',
    async (path) => {
      for (const method of ['GET', 'POST']) {
        const response = await get(path, method);
        expect(response.status).toBe(404);
        expect(response.headers.get('content-type')).toMatch(/^application\/json/);
      }
    },
  );

  test("an unknown path below a function returns the function's own 404", async () => {
    const response = await get('/functions/v1/default-integration/nothing');
    expect(response.status).toBe(404);
    expect(await response.json()).toMatchObject({ error: { code: expect.any(String) } });
    expect(response.headers.get('x-request-id')).toBeTruthy();
  });
});

test("rejecting a body unread does not break another request's connection", async () => {
  const refused = { method: 'POST', body: 'x'.repeat(64_000) };
  const statuses = new Set<number>();
  const work = async () => {
    for (let i = 0; i < 60; i++) {
      const response = await fetch(`${base()}/functions/v1${SYNC_PATH}`, refused);
      await response.text();
      statuses.add(response.status);
    }
  };
  await Promise.all(Array.from({ length: 12 }, work));
  expect([...statuses]).toEqual([401]);
});

describe('forwarded requests', () => {
  const empty = { action: 'sync_activities', activities: [] };

  test.each(['?a[gte]=1&b=%20', '?b=%5B%5D&b=+&c', '?', '??', '?a=1?b=/../%2F', '?x=%zz', "?d='()*!$,;:@/?"])(
    'forwards the query %s byte for byte: its signature verifies',
    async (query) => {
      const target = `${SYNC_PATH}${query}`;
      expect(await sendSigned(tenant.apiKey, target, target)).toBe(200);
    },
  );

  test('the signature of a request with a changed query does not verify', async () => {
    expect(await sendSigned(tenant.apiKey, `${SYNC_PATH}?a=1`, `${SYNC_PATH}?a=2`)).toBe(401);
    expect(await sendSigned(tenant.apiKey, `${SYNC_PATH}?b=%20`, `${SYNC_PATH}?b=+`)).toBe(401);
  });

  test.each(['cf-connecting-ip', 'CF-Connecting-IP', 'x-forwarded-for', 'x-real-ip', 'forwarded'])(
    "a caller's own %s is not used as its address",
    async (header) => {
      const elsewhere = await createApiKey(sql, tenant.id, { ipAllowlist: ['203.0.113.7/32'] });
      const here = await createApiKey(sql, tenant.id, { ipAllowlist: ['127.0.0.1/32'] });
      const headers = { [header]: header === 'forwarded' ? 'for=203.0.113.7' : '203.0.113.7' };
      expect((await sync(here.apiKey, empty, { headers })).status).toBe(200);
      const forged = await sync(elsewhere.apiKey, empty, { headers });
      expect([401, 403]).toContain(forged.status);
    },
  );
});

/** Sends to one target with the signature for another. Targets are sent unchanged, which fetch does not do. */
function sendSigned(apiKey: string, target: string, signedTarget: string): Promise<number | undefined> {
  const body = '{"action":"sync_activities","activities":[]}';
  const timestamp = String(Math.floor(Date.now() / 1000));
  const signed = { timestamp, method: 'POST', target: signedTarget, body: new TextEncoder().encode(body) };
  const authorization = `SVC-SIGN-V1 ${apiKey}:${timestamp}:${signRequest(apiKey, signed)}`;
  const { hostname, port } = new URL(base());
  const headers = { authorization, 'content-type': 'application/json' };
  const path = `/functions/v1${target}`;
  return new Promise((resolve, reject) => {
    const call = request({ hostname, port, path, method: 'POST', headers }, (reply) => {
      reply.resume().on('end', () => resolve(reply.statusCode));
    });
    call.on('error', reject).end(body);
  });
}

interface RawReply {
  status: number | undefined;
  type: string | undefined;
  body: { error?: { code?: string } };
}

/** Sends `size` blanks, with a length or in chunks, as fast as the server reads them. */
function upload(size: number, chunked: boolean, path = SYNC_PATH, method = 'POST'): Promise<RawReply> {
  const piece = Buffer.alloc(64 * 1024, 0x20);
  return new Promise((resolve, reject) => {
    const call = request(`${base()}/functions/v1${path}`, {
      method,
      headers: {
        authorization: `Bearer ${tenant.apiKey}`,
        'content-type': 'application/json',
        ...(chunked ? { 'transfer-encoding': 'chunked' } : { 'content-length': size }),
      },
    });
    call.on('error', reject);
    call.on('response', async (reply) => {
      const chunks: Buffer[] = [];
      for await (const chunk of reply) chunks.push(chunk);
      const body = JSON.parse(Buffer.concat(chunks).toString());
      resolve({ status: reply.statusCode, type: reply.headers['content-type'], body });
    });
    let sent = 0;
    const send = () => {
      while (sent < size && !call.destroyed) {
        const part = piece.subarray(0, Math.min(piece.length, size - sent));
        sent += part.length;
        if (!call.write(part)) return void call.once('drain', send);
      }
      call.end();
    };
    send();
  });
}

describe('load', () => {
  test.each([
    ['with its length', false],
    ['in chunks', true],
  ])(
    'a body of 10 MB sent %s is rejected with a response, not by a broken connection',
    async (_, chunked) => {
      const replies = await Promise.all(Array.from({ length: 5 }, () => upload(10_000_000, chunked)));
      for (const reply of replies) {
        expect(reply).toEqual({
          status: 413,
          type: 'application/json',
          body: { error: { code: expect.any(String), message: expect.stringContaining('6291456') } },
        });
      }
      expect((await sync(tenant.apiKey, { action: 'sync_activities', activities: [] })).status).toBe(200);
    },
  );

  test('a response that does not wait for the body is not lost', async () => {
    for (let i = 0; i < 5; i++) {
      expect((await upload(5_000_000, i % 2 === 0, SYNC_PATH, 'PUT')).status).toBe(405);
      expect((await upload(5_000_000, i % 2 === 0, `${SYNC_PATH}/nothing`)).status).toBe(404);
    }
  });

  test('a body just below the limit arrives completely', async () => {
    // All blanks: read completely, and not valid JSON.
    expect((await upload(6 * 1024 * 1024, false)).status).toBe(400);
    expect((await upload(6 * 1024 * 1024, true)).status).toBe(400);
  });

  test('concurrent requests each get their own response', async () => {
    await syncCollaborators(tenant.apiKey, [collaborator('gateway')]);
    const replies = await Promise.all(
      Array.from({ length: 60 }, (_, i) => {
        const activities = [activity(`at-once-${i}`, i % 2 ? 'gateway@example.com' : 'stranger@example.com')];
        const headers = { 'X-Request-Id': `at-once-${i}` };
        return sync(tenant.apiKey, { action: 'sync_activities', activities }, { headers });
      }),
    );
    for (const [i, { status, headers, body }] of replies.entries()) {
      expect(status).toBe(200);
      expect(headers.get('x-request-id')).toBe(`at-once-${i}`);
      expect(body.meta.request_id).toBe(`at-once-${i}`);
      expect(body.data).toMatchObject(i % 2 ? { processed: 1, skipped: 0 } : { processed: 0, skipped: 1 });
    }
  });
});
