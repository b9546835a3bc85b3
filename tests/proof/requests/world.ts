// The tenant that sends the requests, a second tenant whose data must stay unreachable, and every kind of credentials.
import { SignJWT } from 'jose';
import type postgres from 'postgres';
import { inject } from 'vitest';
import { createApiKey } from '../../support/database.ts';
import { collaborator, syncCollaborators } from '../../support/gamification/sync.ts';
import { createOAuthClient, grant, requestToken } from '../../support/oauth.ts';
import { createInvoice, createPayout, issued, paidInvoice } from '../../support/payments/payment-flows.ts';
import { PAYMENT_SCOPES, pay, transferPayout } from '../../support/payments/payments.ts';
import { ADMIN_SCOPES } from '../../support/records/admin-examples.ts';
import { createToken, type RecordsTenant, records } from '../../support/records/records.ts';
import { createPlan, furnish } from '../../support/records/records-furnish.ts';
import { Pools } from './pools.ts';

const ALL = ['default:sync', ...PAYMENT_SCOPES];

export interface World {
  subject: RecordsTenant;
  /** Data of the sending tenant. */
  own: Pools;
  victimId: string;
  /** Data of the other tenant. */
  foreign: Pools;
  /** Contained in every text of the other tenant. */
  marker: string;
  /** API keys by their rights; `good` for everything. */
  keys: Record<string, string>;
  /** Access tokens by their rights; `a`, `b`, `c` for records, each with its variant; `manager` for administration, too. */
  tokens: Record<string, string>;
  /** Clients whose secrets are never guessed. */
  clients: { client_id: string; client_secret: string }[];
}

export async function createWorld(sql: postgres.Sql): Promise<World> {
  const marker = `victim-${crypto.randomUUID()}`;
  const [subject, victim] = [await furnishBoth(sql, 'subject'), await furnishBoth(sql, marker)];
  const { tenant } = subject;
  const key = async (id: string, options: Parameters<typeof createApiKey>[2]) =>
    (await createApiKey(sql, id, { scopes: ALL, requestsPerHour: 100_000_000, ...options })).apiKey;
  const keys = {
    good: subject.apiKey,
    syncing: await key(tenant.id, { scopes: ['default:sync'] }),
    reading: await key(tenant.id, { scopes: ['payments:read'] }),
    expired: await key(tenant.id, { expiresAt: new Date(Date.now() - 1000) }),
    elsewhere: await key(tenant.id, { ipAllowlist: ['203.0.113.0/24'] }),
    usedUp: await key(tenant.id, { requestsPerHour: 1 }),
    unknown: `sk_test_${'0'.repeat(32)}`,
    live: subject.apiKey.replace('sk_test_', 'sk_live_'),
  };
  const clients = await Promise.all(
    [1, 2, 3].map(() => createOAuthClient(sql, tenant.id, { scopes: ['admin'] })),
  );
  const tokens = { ...(await goodTokens(sql, tenant)), ...(await badTokens(sql, tenant)) };
  const { own: foreign } = victim;
  return {
    ...{ subject: tenant, own: subject.own, victimId: victim.tenant.id, foreign, marker },
    ...{ keys, tokens, clients },
  };
}

async function furnishBoth(sql: postgres.Sql, name: string) {
  const { tenant, ids } = await furnish(sql, await createPlan(sql, 100_000_000));
  const { apiKey } = await createApiKey(sql, tenant.id, { scopes: ALL, requestsPerHour: 100_000_000 });
  const own = new Pools();
  const { delivery, replay, parent, ...others } = ids;
  for (const [kind, id] of Object.entries({ ...others, team: parent })) own.add(kind, id);
  own.add('team', ids.team);
  own.add('delivery', `${ids.webhook}/${delivery}`);
  own.add('replay', `${ids.webhook}/${replay}`);
  for (let i = 0; i < 4; i++) {
    const email = `${name}-${i}@example.com`;
    const lead = await records(tenant.token, 'POST', '/leads', { name, email });
    own.add('lead', lead.body.data.id);
    const deal = await records(tenant.token, 'POST', '/deals', { name, value: 1 });
    own.add('deal', deal.body.data.id);
    await syncCollaborators(apiKey, [collaborator(`${name}-${i}`, { email })]);
    own.add('invoice', (await createInvoice(apiKey, { description: name })).id);
    own.add(
      'payout',
      (await createPayout(apiKey, transferPayout({ contractor_reference: name.slice(0, 64) }))).id,
    );
  }
  const paid = await paidInvoice(apiKey, { description: name });
  own.add('taxDocument', `${paid.id}/${(await issued(apiKey, paid.id)).id}`);
  const { body } = await pay(apiKey, '/balance-transactions');
  for (const { id } of body.data) own.add('entry', id);
  return { tenant, apiKey, own };
}

async function goodTokens(sql: postgres.Sql, { id, token }: RecordsTenant) {
  const of = async (scopes: string[], variant = 'a') =>
    (await createToken(sql, id, { scopes, variant })).token;
  return {
    ...{ a: token, b: await of(['admin'], 'b'), c: await of(['admin'], 'c') },
    ...{ reading: await of(['read:leads', 'read:deals']), webhooks: await of(['write:webhooks']) },
    manager: await of(ADMIN_SCOPES),
  };
}

/** Tokens that must be rejected. */
async function badTokens(sql: postgres.Sql, { id, clientId }: RecordsTenant) {
  const { OAUTH_SIGNING_KEY = '', FUNCTIONS_URL = '' } = inject('env');
  const { kid, ...jwk } = JSON.parse(OAUTH_SIGNING_KEY);
  const curve = { name: 'ECDSA', namedCurve: 'P-256' };
  const key = await crypto.subtle.importKey('jwk', jwk, curve, false, ['sign']);
  const claims = { client_id: clientId, tenant_id: id, scope: 'admin', plan: 'enterprise', variant: 'a' };
  const sign = (more: { aud?: string; iss?: string; exp?: string; typ?: string; claims?: object } = {}) =>
    new SignJWT({ ...claims, ...more.claims })
      .setProtectedHeader({ alg: 'ES256', typ: more.typ ?? 'at+jwt', ...(kid && { kid }) })
      .setIssuer(more.iss ?? `${FUNCTIONS_URL}/oauth`)
      .setAudience(more.aud ?? FUNCTIONS_URL)
      .setSubject(clientId)
      .setIssuedAt()
      .setExpirationTime(more.exp ?? '1h')
      .sign(key);
  const good = await sign();
  const [, payload = '', signature = ''] = good.split('.');
  const header = (alg: string) => Buffer.from(JSON.stringify({ alg, typ: 'at+jwt' })).toString('base64url');
  const revoked = await createOAuthClient(sql, id, { scopes: ['admin'] });
  const { body } = await requestToken(grant(revoked));
  await sql`select admin.revoke_oauth_client(${revoked.client_id})`;
  return {
    revoked: body.access_token as string,
    expired: await sign({ exp: '-1s' }),
    otherAudience: await sign({ aud: 'https://example.com' }),
    otherIssuer: await sign({ iss: 'https://example.com' }),
    otherType: await sign({ typ: 'JWT' }),
    unknownClient: await sign({ claims: { client_id: 'nobody' } }),
    strangeClaims: await sign({
      claims: { client_id: '\u0000', tenant_id: "' or 1=1", variant: '__proto__' },
    }),
    unsigned: `${header('none')}.${payload}.`,
    hmac: `${header('HS256')}.${payload}.${signature}`,
    cut: good.slice(0, -5),
    garbage: 'x.y.z',
    long: 'x'.repeat(5000),
  };
}
