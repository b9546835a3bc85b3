// Erasure of persons whose data was sent with their address in keys and ids, whose records were deleted before, or whose files are stored.
import { expect, test } from 'vitest';
import { connectDatabase, createApiKey, createTenant } from '../support/database.ts';
import { activity, collaborator, syncActivities, syncCollaborators } from '../support/gamification/sync.ts';
import { createInvoice, createPayTenant, get } from '../support/payments/payment-flows.ts';
import { pay, pixPayout } from '../support/payments/payments.ts';
import { readPdf } from '../support/payments/read-pdf.ts';
import { createDeal, createLead, expectData, newEmail } from '../support/records/record-flows.ts';
import { createRecordsTenant } from '../support/records/records.ts';
import { sweepNow } from '../support/sweep.ts';
import { waitFor } from '../support/wait-for.ts';

const sql = connectDatabase();
const erase = (tenantId: string, email: string) => sql`select admin.erase_person(${tenantId}, ${email})`;

test('a payout that is sent again with its key is not paid again', async () => {
  const { id, apiKey } = await createPayTenant(sql);
  const email = newEmail();
  const body = pixPayout({ amount: 5000 });
  body.beneficiary.bank_account = { type: 'pix', key_type: 'email', key: email };
  const send = () => pay(apiKey, '/payouts', body, { key: `commission:${email}` });
  const first = await send();
  expect(first.status).toBe(201);
  await erase(id, email);
  const again = await send();
  expect([again.status, again.body.id]).toEqual([201, first.body.id]);
  expect(await sql`select from payouts where tenant_id = ${id}`).toHaveLength(1);
});

test('activities that are sent again earn no more points, and void ones stay void', async () => {
  const { id, apiKey } = await createTenant(sql);
  const email = newEmail();
  const [mission] = await sql`select admin.create_mission(${id}, 'Calls', 10) as id`;
  await sql`select admin.map_activity_code(${id}, '001', ${mission?.id})`;
  await syncCollaborators(apiKey, [collaborator('ana')]);
  const batch = [`1:${email}`, `2:${email.toUpperCase()}`, `3:${email.replace('@', '%40')}`].map(
    (externalId) => activity(externalId, 'ana@example.com'),
  );
  await syncActivities(apiKey, batch);
  await sql`select admin.void_activity(${id}, ${`2:${email.toUpperCase()}`}, 'wrong')`;
  const points = async () =>
    (await sql`select points::integer from admin.standings where tenant_id = ${id}`)[0];
  expect(await points()).toEqual({ points: 20 });
  await erase(id, email);
  const left =
    await sql`select from activities where tenant_id = ${id} and private.mentions(external_id, ${email})`;
  expect(left).toHaveLength(0);
  const { body } = await syncActivities(apiKey, batch);
  expect(body.data).toMatchObject({ processed: 0, duplicates: 3 });
  expect(await points()).toEqual({ points: 20 });
});

test('records that were deleted before are erased in their events', async () => {
  const { id, token } = await createRecordsTenant(sql);
  const email = newEmail();
  const mark = crypto.randomUUID();
  const lead = await createLead(token, {
    name: mark,
    email,
    phone: '+5511977777777',
    custom_fields: { note: mark },
  });
  const deal = await createDeal(token, { name: mark, contact_name: mark, contact_email: email });
  for (const path of [`/deals/${deal.id}`, `/leads/${lead.id}`]) await expectData(token, 'DELETE', path, 204);
  const [user] =
    await sql`insert into users (tenant_id, name, email, phone) values (${id}, ${mark}, ${email}, ${mark}) returning id`;
  await sql`delete from users where tenant_id = ${id} and id = ${user?.id}`;
  // Another person's lead, which had the address by mistake.
  const other = await createLead(token, { name: 'Other', email, phone: '+5511966666666' });
  await expectData(token, 'PATCH', `/leads/${other.id}`, 200, { email: newEmail() });
  await erase(id, email);
  const events = await sql`select app.event_data(e)::text as data from events e where tenant_id = ${id}`;
  expect(events.filter(({ data }) => data.includes(mark) || data.includes('977777777'))).toEqual([]);
  expect(await expectData(token, 'GET', `/leads/${other.id}`, 200)).toMatchObject({
    name: 'Other',
    phone: '+5511966666666',
  });
});

test('the stored PDF of a boleto is removed; the link opens one without personal data', async () => {
  const { id, apiKey } = await createPayTenant(sql);
  const email = newEmail();
  const customer = { country: 'BR', tax_id: '11144477735', name: 'Pdf Person', email };
  const made = await createInvoice(apiKey, { payment_method: { type: 'boleto' }, customer });
  const { pdf_url: url } = made.payment_method.boleto;
  const text = async () => {
    const { texts } = await readPdf(new Uint8Array(await (await fetch(url)).arrayBuffer()));
    return texts.join(' ');
  };
  expect(await text()).toContain('Pdf Person');
  await erase(id, email);
  await sweepNow();
  await waitFor(async () => !(await text()).includes('Pdf Person'));
  expect(await text()).not.toMatch(/111\.?444/);
  expect((await get(apiKey, `/invoices/${made.id}`)).customer.name).toBe('Erased person');
});

test('texts that contain the address in several spellings, and absent lists, do not prevent the erasure', async () => {
  const { id, token } = await createRecordsTenant(sql);
  const { apiKey } = await createApiKey(sql, id, { scopes: ['default:sync'] });
  const email = newEmail();
  const spellings = [email, email.toUpperCase(), email.replace('@', '%40')];
  await sql`select admin.create_payment_webhook(${id}, 'https://example.com')`;
  await sql`update webhook_endpoints set description = ${email} where tenant_id = ${id}`;
  await expectData(token, 'POST', '/webhooks', 201, {
    url: 'https://example.com/hook',
    events: ['lead.created'],
    description: email,
  });
  await syncCollaborators(apiKey, [collaborator('ana')]);
  for (const spelling of spellings) {
    await createLead(token, { name: 'x', email: newEmail(), external_id: spelling });
    if (spelling !== email.toUpperCase()) await sql`select admin.create_mission(${id}, ${spelling}, 1)`;
    await syncActivities(apiKey, [activity(spelling, 'ana@example.com')]);
  }
  await erase(id, email);
  const [left] = await sql`
      select (select count(*) from missions where tenant_id = ${id} and private.mentions(name, ${email}))
           + (select count(*) from external_ids where tenant_id = ${id} and private.mentions(external_id, ${email}))
           + (select count(*) from webhook_endpoints where tenant_id = ${id} and private.mentions(description, ${email})) as left`;
  expect(left).toEqual({ left: '0' });
});
