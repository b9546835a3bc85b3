// Credentials are stored nowhere after use: invitation links in jobs, tokens in the request log.
import { expect, test } from 'vitest';
import { dailyMaintenance } from '../../shared/platform/jobs/daily-maintenance.ts';
import { silentLogger } from '../../shared/platform/logger.ts';
import { connectDatabase, createTenant, openDatabase } from '../support/database.ts';
import { createInvoice, createPayTenant } from '../support/payments/payment-flows.ts';
import { createUser, followLink, mailsTo, newEmail, userWith } from '../support/records/record-flows.ts';
import { createRecordsTenant } from '../support/records/records.ts';
import { waitFor } from '../support/wait-for.ts';

const sql = connectDatabase();

/** Paths of log rows with this request id. */
const pathOf = (requestId: string) =>
  waitFor(async () => {
    const [row] = await sql`select path from admin.request_log where request_id = ${requestId}`;
    return row?.path as string | undefined;
  });

test('of an invitation: neither in the job that mailed it, nor in the log of the request that opened it', async () => {
  const [other, here] = [await createRecordsTenant(sql), await createRecordsTenant(sql)];
  const email = newEmail();
  await createUser(other.token, { email });
  await mailsTo(email);
  // The link in the second mail is our own.
  const user = await createUser(here.token, { email });
  const [mail] = await mailsTo(email, 2);
  const link = mail?.links[0] ?? '';
  const token = new URL(link).searchParams.get('token') ?? '';
  expect(token).toMatch(/^\w{40}$/);
  const [job] = await waitFor(async () => {
    const jobs = await sql`
      select payload, finished_at from jobs where tenant_id = ${here.id} and name = 'send-mail' and finished_at is not null`;
    return jobs.length > 0 && jobs;
  });
  expect(job?.payload).toEqual({});
  const requestId = crypto.randomUUID();
  expect((await fetch(link, { headers: { 'X-Request-Id': requestId } })).status).toBe(200);
  await userWith(here.token, user.id, 'active');
  expect(await pathOf(requestId)).toBe('/v1/invitations/accept');
  expect(await followLink(mail)).toBe(404);
  expect(await sql`select from jobs where payload::text like ${`%${token}%`}`).toHaveLength(0);
  expect(await sql`select from request_log where path like ${`%${token}%`}`).toHaveLength(0);
});

test('a permanently failed email is cleared after two days, when its links have expired', async () => {
  const { id: tenantId } = await createTenant(sql);
  const payload = { links: ['https://example.com/?token=x'] };
  for (const [key, hours] of [
    ['kept', 47],
    ['emptied', 49],
  ] as const) {
    await sql`
      insert into jobs (tenant_id, name, key, payload, failed_at)
      values (${tenantId}, 'send-mail', ${`${tenantId}:${key}`}, ${sql.json(payload)}, now() - make_interval(hours => ${hours}))`;
  }
  const database = openDatabase();
  const job = { id: crypto.randomUUID(), tenantId: null, name: dailyMaintenance.name, payload: {} };
  await dailyMaintenance.run(
    {},
    { ...job, attempts: 1, failures: 0, signal: new AbortController().signal },
    { database, queue: { publish: async () => true, handOff: async () => true }, log: silentLogger },
  );
  expect(await sql`select payload from jobs where tenant_id = ${tenantId} order by failed_at`).toEqual([
    { payload: {} },
    { payload },
  ]);
});

test('of a file: not in the log, whether it opens or not, in any spelling', async () => {
  const { apiKey } = await createPayTenant(sql);
  const { payment_method: made } = await createInvoice(apiKey, { payment_method: { type: 'pix' } });
  const address: string = made.pix.qr_code_image_url;
  const token = /files\/(\w{32})\//.exec(address)?.[1] ?? '';
  expect(token).toHaveLength(32);
  const encoded = `%${token.charCodeAt(0).toString(16)}${token.slice(1)}`;
  for (const [url, status, path] of [
    [address, 200, '/payments/files/:token/:name'],
    [address.replace(token, encoded), 200, '/payments/files/:token/:name'],
    [address.replace('qr.png', 'boleto.pdf'), 404, '/payments/files/:token/:name'],
    [address.replace('/qr.png', ''), 404, 'unknown route'],
  ] as const) {
    const requestId = crypto.randomUUID();
    const response = await fetch(url, { headers: { 'X-Request-Id': requestId } });
    expect([url.replace(token, 'token'), response.status]).toEqual([url.replace(token, 'token'), status]);
    expect(await pathOf(requestId)).toBe(path);
  }
});
