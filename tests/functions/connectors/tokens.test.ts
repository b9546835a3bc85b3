// RD Station: agreeing in the browser, and access tokens, whose refresh tokens can be used once.
import { expect, test } from 'vitest';
import { createTokenStore } from '../../../shared/connectors/sync/account.ts';
import { endRefresh, readAccessToken, storeTokens } from '../../../shared/connectors/sync/queries.ts';
import { WORKER_SESSION } from '../../../shared/platform/db/database.ts';
import { databaseUnreachable } from '../../../shared/platform/db/unavailable.ts';
import {
  atRdStation,
  connectCrm,
  finishRun,
  PEOPLE,
  PIPELINE,
  untilCrmIs,
} from '../../support/connectors.ts';
import { type Connected, connectTo, refusalOf } from '../../support/crms/connected.ts';
import { rdStation } from '../../support/crms/rd-station.ts';
import { createTenant, openDatabase } from '../../support/database.ts';
import { connectAdmin } from '../../support/payments/connected-tenant.ts';
import { mailsTo } from '../../support/records/record-flows.ts';
import { waitFor } from '../../support/wait-for.ts';

const sql = connectAdmin();

async function createAuthorizing(options: object = {}) {
  const { id: tenantId } = await createTenant(sql);
  const account = await atRdStation().createAccount({ users: PEOPLE, pipelines: [PIPELINE], options });
  const { clientId, clientSecret } = account;
  const accountId = await connectCrm(sql, tenantId, 'rd_station', {
    client_id: clientId,
    client_secret: clientSecret,
  });
  await untilCrmIs(sql, accountId, 'authorizing');
  // The job has run once, so the link has the address of the functions.
  await waitFor(
    async () =>
      (await sql`select from crm_accounts where id = ${accountId} and callback_url is not null`).length > 0,
  );
  const link = async (): Promise<string> =>
    (await sql`select admin.authorize_crm(${accountId}) as link`)[0]?.link;
  return { ...account, tenantId, accountId, link };
}

const statusOf = async (url: string): Promise<number> => (await fetch(url)).status;

test('a person agrees: the account is active; the link works once', async () => {
  const { accountId, link } = await createAuthorizing();
  expect(await refusalOf(sql`select admin.import_crm(${accountId})`)).toContain('authorizing');
  const url = await link();
  expect(await statusOf(url)).toBe(200);
  await untilCrmIs(sql, accountId, 'active');
  expect(await statusOf(url)).toBeGreaterThanOrEqual(400);
  expect((await untilCrmIs(sql, accountId, 'active')).reason).toBeNull();
});

test('an access token that is rejected before its time is refreshed', async () => {
  const acme = await connectTo(sql, rdStation);
  await acme.there.addContacts([{ name: 'Davi Lima', email: 'davi@client.example' }], true);
  await atRdStation().endAccess(acme.vendorId);
  expect(await finishRun(sql, acme, 'import')).toMatchObject({ status: 'done', created: '1' });
  expect(await untilCrmIs(sql, acme.accountId, 'active')).toMatchObject({ reason: null });
});

test('paused and resumed before a person agreed: still authorizing', async () => {
  const { accountId, link } = await createAuthorizing();
  await sql`select admin.pause_crm(${accountId})`;
  await sql`select admin.resume_crm(${accountId})`;
  const [account] = await sql`select status from admin.crm_accounts where id = ${accountId}`;
  expect(account?.status).toBe('authorizing');
  expect(await statusOf(await link())).toBe(200);
  await untilCrmIs(sql, accountId, 'active');
});

test('a person who agrees while a worker ends its work without more to do: there is more', async () => {
  const { accountId, link } = await createAuthorizing();
  const job = () => sql`select * from jobs where name = 'sync-crm' and key = ${accountId}`;
  await waitFor(async () => (await job())[0]?.finished_at);
  // As after the end of its work, and before the worker has finished the job.
  await sql`
    update jobs set finished_at = null, locked_until = now() + interval '20 seconds' where name = 'sync-crm' and key = ${accountId}`;
  const [claimed] = await job();
  const [end] = await sql`
    select app.end_crm_work(${accountId}, ${claimed?.id}, ${claimed?.attempts}, now(), 3600, 86400, 60) as again_at`;
  expect(end?.again_at).toBeNull();
  expect(await statusOf(await link())).toBe(200);
  await untilCrmIs(sql, accountId, 'active');
});

test('only the last link works, within ten minutes, for its own account', async () => {
  const [one, other] = await Promise.all([createAuthorizing(), createAuthorizing()]);
  const [first, last] = [await one.link(), await one.link()];
  expect(await statusOf(first)).toBeGreaterThanOrEqual(400);
  const stolen = last.replace(one.accountId, other.accountId);
  expect(await statusOf(stolen)).toBeGreaterThanOrEqual(400);
  await sql`update private.crm_secrets set state_expires_at = now() - interval '1 second' where account_id = ${one.accountId}`;
  expect(await statusOf(last)).toBeGreaterThanOrEqual(400);
  for (const { accountId } of [one, other]) {
    const [row] = await sql`select status from admin.crm_accounts where id = ${accountId}`;
    expect(row?.status).toBe('authorizing');
  }
  expect(await statusOf(await one.link())).toBe(200);
  await untilCrmIs(sql, one.accountId, 'active');
});

test('a person who does not agree, and a code that is wrong, leave the account as it was', async () => {
  const { accountId, link } = await createAuthorizing({ agrees: false });
  expect(await statusOf(await link())).toBe(404);
  const state = new URL(await link()).searchParams.get('state');
  const [row] = await sql`select callback_url from crm_accounts where id = ${accountId}`;
  const back = await fetch(`${row?.callback_url}/authorized?code=wrong&state=${state}`);
  expect([back.status, await back.text()]).toEqual([404, expect.stringContaining('Create another one')]);
  const [account] = await sql`select status from admin.crm_accounts where id = ${accountId}`;
  expect(account?.status).not.toBe('active');
});

/** The access token is expired from now on. */
async function expire(accountId: string): Promise<void> {
  await sql`
    select vault.update_secret(k.credentials, (v.decrypted_secret::jsonb || '{"refresh_at": "2020-01-01T00:00:00Z"}')::text)
    from private.crm_secrets k join vault.decrypted_secrets v on v.id = k.credentials where k.account_id = ${accountId}`;
}

const storedToken = async (accountId: string): Promise<unknown> =>
  (
    await sql`
      select v.decrypted_secret::jsonb ->> 'refresh_token' as token
      from private.crm_secrets k join vault.decrypted_secrets v on v.id = k.credentials where k.account_id = ${accountId}`
  )[0]?.token;

const refreshes = async ({ credentials }: Connected): Promise<number> =>
  (await atRdStation().requests({ method: 'POST', path: '/oauth2/token' })).filter(({ body }) =>
    String(body).includes(credentials.client_id ?? '-'),
  ).length;

test('many workers need a token at once: one of them gets the refresh token, until its answer is stored', async () => {
  const acme = await connectTo(sql, rdStation);
  await expire(acme.accountId);
  const database = openDatabase({ DATABASE_POOL_SIZE: 10 });
  const ask = async () => {
    const [row] = await database.transaction(WORKER_SESSION, (tx) => readAccessToken(tx, acme.accountId));
    return row?.token ?? {};
  };
  const answers = await Promise.all(Array.from({ length: 20 }, ask));
  expect(answers.filter((answer) => 'refresh_token' in answer)).toHaveLength(1);
  expect(answers.filter((answer) => 'is_refreshing' in answer)).toHaveLength(19);
});

test('credentials that an admin stores while a refresh goes on are kept', async () => {
  const acme = await connectTo(sql, rdStation);
  await sql`select admin.pause_crm(${acme.accountId})`;
  await expire(acme.accountId);
  const database = openDatabase({ DATABASE_POOL_SIZE: 1 });
  const ask = async () =>
    (await database.transaction(WORKER_SESSION, (tx) => readAccessToken(tx, acme.accountId)))[0]?.token;
  const exchanged = (await ask())?.refresh_token ?? '';
  const credentials = { ...acme.credentials, refresh_token: 'newer-token' };
  await sql`select admin.connect_crm(${acme.id}, 'rd_station', ${JSON.stringify(credentials)})`;
  await sql`select admin.pause_crm(${acme.accountId})`;
  const tokens = { accessToken: 'access', refreshToken: 'older-token', expiresInSeconds: 7200 };
  await database.transaction(WORKER_SESSION, (tx) => ({
    stored: storeTokens(tx, acme.accountId, tokens, exchanged),
  }));
  expect(await storedToken(acme.accountId)).toBe('newer-token');
});

test('a refresh that is answered late: one exchange, and the new token is kept', async () => {
  const acme = await connectTo(sql, rdStation);
  await expire(acme.accountId);
  const before = await refreshes(acme);
  await atRdStation().fault({ kind: 'slow', method: 'POST', path: '/oauth2/token', delayMs: 12_000 });
  const [run] = await sql`select admin.import_crm(${acme.accountId}) as id`;
  await waitFor(async () => (await refreshes(acme)) > before);
  await sql`select admin.preview_crm(${acme.accountId})`;
  await waitFor(async () => {
    const [row] = await sql`select status from admin.crm_runs where id = ${run?.id}`;
    return row?.status === 'done';
  });
  expect(await refreshes(acme)).toBe(before + 1);
  const [account] = await sql`select status from admin.crm_accounts where id = ${acme.accountId}`;
  expect(account?.status).toBe('active');
  // The next one uses the refresh token of this answer.
  await expire(acme.accountId);
  await sql`select admin.reconcile_crm(${acme.accountId})`;
  await waitFor(async () => (await refreshes(acme)) > before + 1);
  await untilCrmIs(sql, acme.accountId, 'active');
});

test('the database is unreachable when the answer arrives: the new refresh token is kept', async () => {
  const acme = await connectTo(sql, rdStation);
  await sql`select admin.pause_crm(${acme.accountId})`;
  await expire(acme.accountId);
  const database = openDatabase({ DATABASE_POOL_SIZE: 1 });
  let failures = 0;
  const unsteady: typeof database = {
    ...database,
    transaction: (...given) =>
      failures-- > 0
        ? Promise.reject(databaseUnreachable(undefined, 'none'))
        : database.transaction(...given),
  };
  const store = createTokenStore({ id: acme.accountId }, { database: unsteady });
  const token = await store.accessToken(async () => {
    failures = 2;
    return { accessToken: 'access', refreshToken: 'kept', expiresInSeconds: 7200 };
  });
  expect([token, await storedToken(acme.accountId)]).toEqual(['access', 'kept']);
});

test('an exchange that fails does not keep the next one waiting', async () => {
  const acme = await connectTo(sql, rdStation);
  await expire(acme.accountId);
  const database = openDatabase({ DATABASE_POOL_SIZE: 1 });
  const ask = async () =>
    (await database.transaction(WORKER_SESSION, (tx) => readAccessToken(tx, acme.accountId)))[0]?.token;
  const exchanged = (await ask())?.refresh_token ?? '';
  expect(await ask()).toEqual({ is_refreshing: true });
  await database.transaction(WORKER_SESSION, (tx) => ({ ended: endRefresh(tx, acme.accountId, exchanged) }));
  expect(await ask()).toEqual({ refresh_token: exchanged });
});

test('a paused account keeps its access: its tokens are renewed, and nothing is read', async () => {
  const acme = await connectTo(sql, rdStation);
  await sql`select admin.pause_crm(${acme.accountId})`;
  await expire(acme.accountId);
  const before = await refreshes(acme);
  await acme.there.forgetRequests();
  // As if its job were due.
  await sql`update jobs set due_at = now(), published_at = null where name = 'sync-crm' and key = ${acme.accountId}`;
  await waitFor(async () => (await refreshes(acme)) === before + 1);
  await waitFor(async () => {
    const [job] = await sql`
      select from jobs where key = ${acme.accountId} and locked_until is null
      and due_at between now() + interval '23 hours' and now() + interval '1 day'`;
    return job;
  });
  expect(await acme.there.requests({ path: '/crm/v2/*' })).toEqual([]);
  await sql`select admin.resume_crm(${acme.accountId})`;
  await untilCrmIs(sql, acme.accountId, 'active');
});

test('a dead refresh token: failing, with the words what to do; a person agrees again', async () => {
  const acme = await connectTo(sql, rdStation);
  const owner = `owner-${acme.id}@example.com`;
  await sql`update tenants set owner_email = ${owner} where id = ${acme.id}`;
  await atRdStation().revoke(acme.vendorId);
  await expire(acme.accountId);
  await sql`select admin.preview_crm(${acme.accountId})`;
  const failing = await untilCrmIs(sql, acme.accountId, 'failing');
  expect(failing.reason).toMatch(/authorize again/i);
  expect(await mailsTo(owner)).toMatchObject([
    {
      subject: 'Your RD Station CRM account stopped working with Placar',
      text: expect.stringContaining(failing.reason),
    },
  ]);
  const [row] = await sql`select admin.authorize_crm(${acme.accountId}) as link`;
  expect(await statusOf(row?.link)).toBe(200);
  expect((await untilCrmIs(sql, acme.accountId, 'active')).reason).toBeNull();
});
