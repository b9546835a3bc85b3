// Mails are written in the tenant's language.
import { expect, inject, test } from 'vitest';
import { mailNames, mails } from '../../shared/platform/mail/mails.ts';
import { translate } from '../../shared/platform/messages/translate.ts';
import { connectDatabase } from '../support/database.ts';
import { expectData, forgetMails, mailsTo, newEmail } from '../support/records/record-flows.ts';
import { createRecordsTenant } from '../support/records/records.ts';

const sql = connectDatabase(undefined, { announces: true });

async function createTenantIn(language: string) {
  const tenant = await createRecordsTenant(sql);
  await sql`select admin.set_language(${tenant.id}, ${language})`;
  return tenant;
}

test("the invitation from Auth, and Placar's own for a person with an account", async () => {
  const [first, second] = [await createTenantIn('pt-BR'), await createTenantIn('pt-BR')];
  const email = newEmail();
  const invitation = { name: 'Rui', email, role: 'sales_rep' };
  await expectData(first.token, 'POST', '/invitations', 201, invitation);
  const [fromAuth] = await mailsTo(email);
  expect(fromAuth).toMatchObject({
    subject: 'Você recebeu um convite',
    text: expect.stringContaining('Abra'),
  });

  await fetch(fromAuth?.links[0] ?? '', { redirect: 'manual' });
  await forgetMails(sql, second.id);
  await expectData(second.token, 'POST', '/invitations', 201, invitation);
  const [own] = await mailsTo(email, 2);
  const [{ name } = { name: '' }] = await sql<
    { name: string }[]
  >`select name from tenants where id = ${second.id}`;
  expect(own?.subject).toBe(`Você recebeu um convite para ${name}`);
  expect(own?.text).toContain(`${inject('stack').base_url}/functions/v1/v1/invitations/accept?token=`);
});

test.each(mailNames)('%s fills in all values in both languages', async (mail) => {
  for (const language of ['en', 'pt-BR'] as const) {
    const { id } = await createTenantIn(language);
    const email = newEmail();
    await sql`select private.send_mail(${id}, ${email}, ${email}, ${mail}, ${sql.json({
      link: 'http://127.0.0.1/accept',
      url: 'http://127.0.0.1/hook',
      reason: 'the reason',
      webhook: 'w1',
      failures: 10,
      provider: 'Asaas',
      crm: 'HubSpot',
      transfer: 't2',
      payout: 'P-1',
      known: 't1',
    })})`;
    const [sent] = await mailsTo(email);
    expect(sent?.subject).not.toContain('{');
    expect(sent?.text).not.toContain('{');
    const [{ name } = { name: '' }] = await sql<
      { name: string }[]
    >`select name from tenants where id = ${id}`;
    const shown = mails[mail].subject.includes('{tenant}')
      ? { tenant: name }
      : { provider: 'Asaas', crm: 'HubSpot' };
    expect(sent?.subject).toBe(translate(language, mails[mail].subject, shown));
  }
});
