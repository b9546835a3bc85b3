// How often invitations are mailed: once in five minutes per tenant and address, and per day as often as the tenant's plan allows.
import { describe, expect, inject, test } from 'vitest';
import { connectDatabase } from '../../support/database.ts';
import type { Reply } from '../../support/gamification/sync.ts';
import { expectData, faultOf, forgetMails, mailsTo, newEmail } from '../../support/records/record-flows.ts';
import { createRecordsTenant, records } from '../../support/records/records.ts';
import { limitOf } from '../../support/records/records-answers.ts';
import { sweepNow } from '../../support/sweep.ts';
import { waitFor } from '../../support/wait-for.ts';

const sql = connectDatabase();
const invite = (token: string, email: string) =>
  expectData(token, 'POST', '/invitations', 201, { name: 'Rui', email, role: 'sales_rep' });
const resend = (token: string, id: string) => records(token, 'POST', `/invitations/${id}/resend`);

interface SendJob {
  due_at: Date;
  attempts: number;
  finished_at: Date | null;
  locked_until: Date | null;
}
const jobsOf = (tenantId: string) => sql<SendJob[]>`
  select due_at, attempts, finished_at, locked_until from jobs
  where tenant_id = ${tenantId} and name = 'send-invitation' order by created_at`;
const inMinutes = (job: SendJob | undefined) => ((job?.due_at.getTime() ?? 0) - Date.now()) / 60_000;
const isWaiting = (job: SendJob | undefined) =>
  job !== undefined && job.attempts > 0 && !job.finished_at && !job.locked_until;
/** Jobs that were attempted and are waiting. */
const waiting = async (tenantId: string) => (await jobsOf(tenantId)).filter(isWaiting);
const mailed = async (email: string): Promise<number> => {
  const mails: { to: string[] }[] = await (await fetch(inject('stack').mail_url)).json();
  return mails.filter(({ to }) => to.includes(email)).length;
};
const makeDue = async (tenantId: string) => {
  await sql`update jobs set due_at = now() where tenant_id = ${tenantId} and name = 'send-invitation' and finished_at is null`;
  await sweepNow();
};

function expectTooSoon(reply: Reply, least: number, most: number): void {
  expect(faultOf(reply)).toMatchObject({ status: 429, code: 'RATE_LIMITED' });
  const seconds = Number(reply.headers.get('retry-after'));
  expect(seconds).toBeGreaterThan(least);
  expect(seconds).toBeLessThanOrEqual(most);
  expect(limitOf(reply).remaining).toBeGreaterThan(0);
}

describe('an address', () => {
  test('gets one email in five minutes, regardless of the number of requests', async () => {
    const { id: tenantId, token } = await createRecordsTenant(sql);
    const email = newEmail();
    const { id, expires_at: expiresAt } = await invite(token, email);
    // Even before the first mail was sent.
    expectTooSoon(await resend(token, id), 240, 300);
    await mailsTo(email);
    for (const reply of await Promise.all(Array.from({ length: 8 }, () => resend(token, id)))) {
      expectTooSoon(reply, 240, 300);
    }
    expect((await expectData(token, 'GET', '/invitations', 200))[0].expires_at).toBe(expiresAt);
    expect(await jobsOf(tenantId)).toHaveLength(1);

    await forgetMails(sql, tenantId);
    const replies = await Promise.all(Array.from({ length: 8 }, () => resend(token, id)));
    expect(replies.map(({ status }) => status).sort()).toEqual([200, ...Array(7).fill(429)]);
    await mailsTo(email, 2);
    expect([await mailed(email), (await jobsOf(tenantId)).length]).toEqual([2, 2]);
  });

  test('that was removed and invited again waits, too', async () => {
    const { id: tenantId, token } = await createRecordsTenant(sql);
    const email = newEmail();
    for (let round = 0; round < 3; round++) {
      const { id, user_id: userId } = await invite(token, email);
      if (round === 0) await mailsTo(email);
      if (round === 2) {
        // The job of the second round waits for a user who has been deleted, or found none.
        await waitFor(async () => {
          const jobs = await jobsOf(tenantId);
          return jobs.length === 3 && isWaiting(jobs[2]);
        });
        expectTooSoon(await resend(token, id), 200, 300);
      } else await expectData(token, 'DELETE', `/users/${userId}?permanent=true`, 204);
    }
    const job = (await waiting(tenantId)).at(-1);
    expect(inMinutes(job)).toBeGreaterThan(3);
    expect(inMinutes(job)).toBeLessThan(5.1);
    expect(await mailed(email)).toBe(1);
    await forgetMails(sql, tenantId);
    await makeDue(tenantId);
    await mailsTo(email, 2);
  });

  test('can also be emailed by another tenant', async () => {
    const email = newEmail();
    for (const count of [1, 2]) {
      const { token } = await createRecordsTenant(sql);
      await invite(token, email);
      await mailsTo(email, count);
    }
  });

  test('gets one email for an invitation that was resent by SQL before the first was sent', async () => {
    const { id: tenantId, token } = await createRecordsTenant(sql);
    const email = newEmail();
    await sql.begin(async (tx) => {
      const [user] = await tx`
        insert into users (tenant_id, name, email, status) values (${tenantId}, 'Rui', ${email}, 'invited') returning id`;
      for (let i = 0; i < 3; i++) {
        await tx`update invitations set invited_at = clock_timestamp() where user_id = ${user?.id}`;
      }
    });
    await sweepNow();
    await mailsTo(email);
    await waitFor(async () => (await jobsOf(tenantId)).every((job) => job.finished_at));
    expect(await jobsOf(tenantId)).toHaveLength(4);
    expect(await mailed(email)).toBe(1);
    expect(await expectData(token, 'GET', '/invitations', 200)).toHaveLength(1);
  });
});

describe('a tenant', () => {
  test("sends the plan's number per day, also for concurrent requests; the others wait", async () => {
    const plan = `mails-${crypto.randomUUID()}`;
    await sql`
      insert into plans (name, requests_per_minute, max_invitation_mails_per_day) values (${plan}, 1000000, 3)`;
    const { id: tenantId, token } = await createRecordsTenant(sql, { plan });
    const emails = Array.from({ length: 8 }, newEmail);
    await Promise.all(emails.map((email) => invite(token, email)));
    await waitFor(async () => {
      const jobs = await jobsOf(tenantId);
      return jobs.filter((job) => job.finished_at).length === 3 && (await waiting(tenantId)).length === 5;
    });
    const counts = await Promise.all(emails.map(mailed));
    expect(counts.filter((count) => count === 1)).toHaveLength(3);
    expect(counts.filter((count) => count === 0)).toHaveLength(5);
    for (const job of await waiting(tenantId)) {
      expect(inMinutes(job)).toBeGreaterThan(23.9 * 60);
      expect(inMinutes(job)).toBeLessThan(24.1 * 60);
    }
    // An invitation is valid for one day after its mail.
    const rows = await sql`
      select i.id, i.expires_at - now() > interval '47 hours' as later from invitations i where tenant_id = ${tenantId}`;
    expect(rows.filter(({ later }) => later)).toHaveLength(5);
    for (const { id } of rows) expectTooSoon(await resend(token, id), 23 * 3600, 24 * 3600);

    await forgetMails(sql, tenantId);
    await makeDue(tenantId);
    await waitFor(async () => (await jobsOf(tenantId)).filter((job) => job.finished_at).length === 6);
    expect((await Promise.all(emails.map(mailed))).reduce((sum, count) => sum + count)).toBe(6);
  });

  test('has limits by plan', async () => {
    const rows = await sql`
      select max_invitation_mails_per_day as most from plans
      where name in ('starter', 'professional', 'enterprise') order by most`;
    expect(rows.map(({ most }) => most)).toEqual([50, 200, 2000]);
  });
});
