// Changes: proofs, order, echoes, conflicts, differences, creations, pause.
import { createHmac } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import {
  addUser,
  eventsOf,
  finishRun,
  openDifferences,
  PEOPLE,
  untilCrmIs,
  untilSettled,
} from '../../support/connectors.ts';
import {
  type Connected,
  callbackOf,
  connectTo,
  dealOf,
  drivers,
  leadOf,
  untilLead,
} from '../../support/crms/connected.ts';
import { type CrmDriver, only } from '../../support/crms/driver.ts';
import { hubspot } from '../../support/crms/hubspot.ts';
import { pipedrive } from '../../support/crms/pipedrive.ts';
import { connectAdmin } from '../../support/payments/connected-tenant.ts';
import { waitFor } from '../../support/wait-for.ts';

const sql = connectAdmin();
const davi = { name: 'Davi Lima', email: 'davi@client.example' };

/** A tenant with one contact that is imported. */
async function withContact(driver: CrmDriver, settings: object = {}, contact: object = {}) {
  const acme = await connectTo(sql, driver, settings);
  const id = only(await acme.there.addContacts([{ ...davi, ...contact }], true));
  await finishRun(sql, acme, 'import');
  await untilSettled(sql, acme);
  return { acme, id };
}

const webhookSecret = async ({ accountId }: Connected): Promise<string> => {
  const [row] = await sql`
    select v.decrypted_secret as secret from private.crm_secrets k
    join vault.decrypted_secrets v on v.id = k.webhook_secret where k.account_id = ${accountId}`;
  return row?.secret;
};

const basic = (secret: string) => ({ authorization: `Basic ${btoa(`placar:${secret}`)}` });

function signed(acme: Connected, body: string, atMs: number, url = callbackOf(acme)) {
  const text = `POST${url}${body}${atMs}`;
  const digest = createHmac('sha256', acme.credentials.client_secret ?? '')
    .update(text)
    .digest('base64');
  return { 'x-hubspot-request-timestamp': String(atMs), 'x-hubspot-signature-v3': digest };
}

const post = async (url: string, body: string | Uint8Array, headers: Record<string, string> = {}) =>
  (await fetch(url, { method: 'POST', body: body as BodyInit, headers })).status;

describe.concurrent('proofs', () => {
  test('without one: 401, nothing is kept but a counter of at most ten a minute', async () => {
    const { acme, id } = await withContact(pipedrive);
    const [other, secret] = [await connectTo(sql, pipedrive), await webhookSecret(acme)];
    const url = callbackOf(acme);
    const body = JSON.stringify({
      meta: { id: crypto.randomUUID(), action: 'change', entity: 'person', entity_id: id, version: '2.0' },
    });
    await acme.there.forgetRequests();
    const wrong: [string, Record<string, string>][] = [
      [url, {}],
      [url, basic('wrong')],
      [url, basic('')],
      [url, { authorization: 'Basic' }],
      [url, { authorization: `Bearer ${secret}` }],
      [url, basic(await webhookSecret(other))],
      [`${url}/${secret}`, basic(secret)],
      [url.replace('/pipedrive/', '/hubspot/'), basic(secret)],
      [callbackOf(other), basic(secret)],
      [url.replace(/crm_.*/, `crm_${'0'.repeat(26)}`), basic(secret)],
      [url.replace(/crm_.*/, 'crm_x'), basic(secret)],
    ];
    for (const [address, headers] of wrong)
      expect([address, headers, await post(address, body, headers)]).toEqual([address, headers, 401]);
    for (let n = 0; n < 10; n++) expect(await post(url, body)).toBe(401);
    expect(
      await sql`select from crm_events where account_id in (${acme.accountId}, ${other.accountId})`,
    ).toHaveLength(0);
    const [account] = await sql`select rejected_events from admin.crm_accounts where id = ${acme.accountId}`;
    expect(Number(account?.rejected_events)).toBe(10);
    expect(await acme.there.requests()).toHaveLength(0);
    expect(await post(url, body, basic(secret))).toBe(200);
    await waitFor(async () => (await acme.there.requests()).length > 0);
  });

  test('HubSpot: a signature of another time, body, address or secret', async () => {
    const { acme, id } = await withContact(hubspot);
    const other = await connectTo(sql, hubspot);
    const url = callbackOf(acme);
    const now = Date.now();
    const event = {
      eventId: 1,
      subscriptionId: 1,
      portalId: 1,
      occurredAt: now,
      subscriptionType: 'object.propertyChange',
      objectTypeId: '0-1',
      objectId: Number(id),
    };
    const body = JSON.stringify([event]);
    const right = signed(acme, body, now);
    const wrong: Record<string, string>[] = [
      {},
      signed(acme, body, now - 6 * 60_000),
      signed(acme, body, now + 6 * 60_000),
      { ...right, 'x-hubspot-request-timestamp': String(now + 1) },
      { ...right, 'x-hubspot-request-timestamp': '' },
      { ...right, 'x-hubspot-request-timestamp': 'NaN' },
      { ...right, 'x-hubspot-signature-v3': '' },
      signed(other, body, now),
      signed(acme, `${body} `, now),
      signed(acme, body, now, callbackOf(other)),
    ];
    for (const headers of wrong) expect([headers, await post(url, body, headers)]).toEqual([headers, 401]);
    expect(await post(callbackOf(other), body, right)).toBe(401);
    expect(
      await sql`select from crm_events where account_id in (${acme.accountId}, ${other.accountId})`,
    ).toHaveLength(0);
    expect(await post(url, body, right)).toBe(200);
  });

  test('with one: what is no JSON is kept as text, unknown events are kept and ignored', async () => {
    const { acme } = await withContact(pipedrive);
    const headers = basic(await webhookSecret(acme));
    const url = callbackOf(acme);
    await acme.there.forgetRequests();
    const bodies = [
      'no json at all',
      '',
      '[]',
      'null',
      '{"meta": {"id": "x-1", "action": "change", "entity": "product", "entity_id": "5"}}',
      '{"meta": {"id": "x-2", "action": "change", "entity": "person", "entity_id": null}}',
    ];
    for (const body of bodies) expect([body, await post(url, body, headers)]).toEqual([body, 200]);
    expect(await post(url, new Uint8Array([0xff, 0x00, 0xfe]), headers)).toBe(200);
    expect(await post(url, '{"meta": {"entity_id": "\\u0000"}}', headers)).toBe(200);
    const kept =
      await sql`select type, crm_id, body from crm_events where account_id = ${acme.accountId} order by id`;
    expect(kept.length).toBeGreaterThanOrEqual(bodies.length);
    expect(kept[0]).toMatchObject({ body: 'no json at all', crm_id: null });
    await untilSettled(sql, acme);
    expect(await acme.there.requests()).toHaveLength(0);
  });
});

describe.concurrent('order', () => {
  test('the same event five times, and many within two seconds: one read and one event', async () => {
    const { acme, id } = await withContact(pipedrive);
    const before = (await eventsOf(sql, acme)).length;
    await acme.there.loseWebhooks();
    await acme.there.changeContact(id, { name: 'Davi de Lima' });
    await acme.there.forgetRequests();
    const headers = basic(await webhookSecret(acme));
    const body = (number: number) =>
      JSON.stringify({
        meta: {
          id: `e-${acme.accountId}-${number}`,
          action: 'change',
          entity: 'person',
          entity_id: id,
          version: '2.0',
        },
      });
    const same = Array.from({ length: 5 }, () => post(callbackOf(acme), body(0), headers));
    const others = [1, 2, 3].map((number) => post(callbackOf(acme), body(number), headers));
    expect(await Promise.all([...same, ...others])).toEqual(Array.from({ length: 8 }, () => 200));
    await untilLead(sql, acme, id, ({ name }) => name === 'Davi de Lima');
    await untilSettled(sql, acme);
    expect(await acme.there.requests({ method: 'GET' })).toHaveLength(1);
    expect(await sql`select from crm_events where account_id = ${acme.accountId}`).toHaveLength(4);
    expect((await eventsOf(sql, acme)).slice(before).map(({ type }) => type)).toEqual(['lead.updated']);
    expect(await post(callbackOf(acme), body(0), headers)).toBe(200);
    await untilSettled(sql, acme);
    expect(await acme.there.requests({ method: 'GET' })).toHaveLength(1);
  });

  test.each(drivers)('$crm: webhooks in reverse order and twice bring the newest state', async (driver) => {
    const { acme, id } = await withContact(driver);
    const control = await import('../../support/connectors.ts');
    const fault = { kind: 'duplicated', times: 2, account: acme.vendorId } as const;
    if (driver.crm === 'pipedrive') await control.atPipedrive().webhookFault(fault);
    if (driver.crm === 'hubspot') await control.atHubspot().webhookFault(fault);
    if (driver.crm === 'rd_station') await control.atRdStation().webhookFault(fault);
    await acme.there.changeContact(id, { name: 'Davi Um' });
    await acme.there.changeContact(id, { name: 'Davi Dois', phone: '+55 11 91111-1111' });
    await untilLead(sql, acme, id, ({ name, phone }) => name === 'Davi Dois' && phone !== null);
    await untilSettled(sql, acme);
    expect(await leadOf(sql, acme, id)).toMatchObject({ name: 'Davi Dois' });
    const names = (await eventsOf(sql, acme))
      .filter(({ type }) => type === 'lead.updated')
      .map(({ data }) => data.name);
    expect(names.at(-1)).toBe('Davi Dois');
    expect(names.length).toBeLessThanOrEqual(2);
  });
});

test.concurrent.each([
  ['crm', 'Davi Deles'],
  ['placar', 'Davi Nosso'],
  ['latest', 'Davi Deles'],
] as const)('a field changed on both sides, rule %s: %s', async (conflict, name) => {
  const { acme, id } = await withContact(pipedrive, { direction: 'both', conflict });
  await acme.there.loseWebhooks();
  await sql`select admin.pause_crm(${acme.accountId})`;
  await sql`update leads set name = 'Davi Nosso', position = 'CEO' where tenant_id = ${acme.id}`;
  await waitFor(async () => {
    // Pipedrive's times are whole seconds.
    const [row] =
      await sql`select clock_timestamp() > max(updated_at) + interval '1.1 seconds' as is_later from leads where tenant_id = ${acme.id}`;
    return row?.is_later;
  });
  await acme.there.changeContact(id, { name: 'Davi Deles', phone: '+55 11 91111-1111' });
  await sql`select admin.resume_crm(${acme.accountId})`;
  await waitFor(
    async () => (await acme.there.contact(id)).name === name && (await leadOf(sql, acme, id))?.name === name,
  );
  await untilCrmIs(sql, acme.accountId, 'active');
  await finishRun(sql, acme, 'reconcile');
  await untilSettled(sql, acme);
  expect(await leadOf(sql, acme, id)).toMatchObject({ name, position: 'CEO', phone: '+55 11 91111-1111' });
  expect(await acme.there.contact(id)).toMatchObject({ name, phone: '+55 11 91111-1111' });
  expect(await openDifferences(sql, acme)).toHaveLength(0);
});

test('rule latest: ours, if it is the later one', async () => {
  const { acme, id } = await withContact(pipedrive, { direction: 'both', conflict: 'latest' });
  await acme.there.loseWebhooks();
  await acme.there.changeContact(id, { name: 'Davi Deles' });
  await waitFor(async () => {
    const [row] =
      await sql`select clock_timestamp() > ${(await sql`select clock_timestamp() as now`)[0]?.now} as ok`;
    return row?.ok;
  });
  await sql`update leads set name = 'Davi Nosso', updated_at = now() where tenant_id = ${acme.id}`;
  await waitFor(async () => (await acme.there.contact(id)).name === 'Davi Nosso');
  await untilSettled(sql, acme);
  expect(await leadOf(sql, acme, id)).toMatchObject({ name: 'Davi Nosso' });
});

test.concurrent('direction in: what changed here is kept and listed, until theirs changes too', async ({
  expect,
}) => {
  const { acme, id } = await withContact(pipedrive);
  await acme.there.forgetRequests();
  await sql`update leads set name = 'Davi Nosso' where tenant_id = ${acme.id}`;
  await waitFor(async () => (await openDifferences(sql, acme)).length > 0, { limitMs: 10_000 });
  expect(await openDifferences(sql, acme)).toMatchObject([
    { kind: 'changed_here', field: 'name', ours: 'Davi Nosso', theirs: 'Davi Lima' },
  ]);
  await acme.there.changeContact(id, { phone: '+55 11 91111-1111' });
  await untilLead(sql, acme, id, ({ phone }) => phone !== null);
  expect(await leadOf(sql, acme, id)).toMatchObject({ name: 'Davi Nosso' });
  expect(await openDifferences(sql, acme)).toMatchObject([{ kind: 'changed_here' }]);
  expect((await acme.there.requests()).filter(pipedrive.isWrite)).toHaveLength(0);
  await acme.there.changeContact(id, { name: 'Davi Deles' });
  await untilLead(sql, acme, id, ({ name }) => name === 'Davi Deles');
  await untilSettled(sql, acme);
  expect(await openDifferences(sql, acme)).toHaveLength(0);
});

test.concurrent.each(['ours', 'theirs'] as const)('an admin takes %s', async (take) => {
  const { acme, id } = await withContact(pipedrive);
  await sql`update leads set name = 'Davi Nosso' where tenant_id = ${acme.id}`;
  await waitFor(async () => (await openDifferences(sql, acme)).length > 0);
  const [difference] =
    await sql`select id from admin.crm_differences where account_id = ${acme.accountId} and resolved_at is null`;
  await sql`select admin.resolve_crm_difference(${difference?.id}, ${take})`;
  const name = take === 'ours' ? 'Davi Nosso' : 'Davi Lima';
  await waitFor(
    async () => (await acme.there.contact(id)).name === name && (await leadOf(sql, acme, id))?.name === name,
  );
  await untilSettled(sql, acme);
  expect(await openDifferences(sql, acme)).toHaveLength(0);
  await finishRun(sql, acme, 'reconcile');
  await untilSettled(sql, acme);
  expect(await leadOf(sql, acme, id)).toMatchObject({ name });
  expect(await openDifferences(sql, acme)).toHaveLength(0);
});

test.concurrent('a value that the CRM refuses is listed, not repeated, and sent again after a change', async ({
  expect,
}) => {
  const { acme, id } = await withContact(pipedrive, { direction: 'both' });
  await acme.there.forgetRequests();
  await acme.there.fault({
    kind: 'error_before',
    method: 'PATCH',
    status: 400,
    body: { success: false, error: 'Name is not allowed' },
  });
  await sql`update leads set name = 'Davi Nosso' where tenant_id = ${acme.id}`;
  await waitFor(async () => (await openDifferences(sql, acme)).length > 0);
  const [difference] = await openDifferences(sql, acme);
  expect(difference).toMatchObject({ kind: 'refused_there', record: 'lead' });
  expect(JSON.stringify(difference?.theirs)).toContain('Name is not allowed');
  await finishRun(sql, acme, 'reconcile');
  await untilSettled(sql, acme);
  expect((await acme.there.requests()).filter(pipedrive.isWrite)).toHaveLength(1);
  await sql`update leads set name = 'Davi Nosso Lima' where tenant_id = ${acme.id}`;
  await waitFor(async () => (await acme.there.contact(id)).name === 'Davi Nosso Lima');
  await untilSettled(sql, acme);
  expect(await openDifferences(sql, acme)).toHaveLength(0);
});

describe.concurrent('create_out', () => {
  test.each(drivers)(
    '$crm: a lead and its deal are created there once, though an answer is lost',
    async (driver) => {
      const acme = await connectTo(sql, driver, { direction: 'both', create_out: true });
      await finishRun(sql, acme, 'import');
      await acme.there.fault({ kind: 'cut_after', ...driver.writes.create });
      const [lead] = await sql`
      insert into leads (tenant_id, name, email) values (${acme.id}, 'Gil Reis', 'gil@client.example') returning id`;
      await sql`
      insert into deals (tenant_id, name, value, stage_id, lead_id)
      select ${acme.id}, 'Website', 100, s.id, ${lead?.id} from pipeline_stages s where s.tenant_id = ${acme.id} and s.name = 'Negotiation'`;
      await waitFor(
        async () => (await sql`select from crm_links where account_id = ${acme.accountId}`).length === 2,
        { limitMs: 60_000 },
      );
      await untilSettled(sql, acme);
      await finishRun(sql, acme, 'reconcile');
      await untilSettled(sql, acme);
      expect([await acme.there.count('lead'), await acme.there.count('deal')]).toEqual([1, 1]);
      const [link] =
        await sql`select crm_id from crm_links where account_id = ${acme.accountId} and kind = 'deal'`;
      expect(await acme.there.deal(link?.crm_id)).toMatchObject({
        name: 'Website',
        value: 100,
        status: 'open',
        stage: 'Negotiation',
      });
      expect(await dealOf(sql, acme, link?.crm_id)).toMatchObject({ lead_id: lead?.id, name: 'Website' });
      const told = (await eventsOf(sql, acme)).map(({ type }) => type);
      expect(told).toEqual(['lead.created', 'deal.created']);
      expect(await openDifferences(sql, acme)).toHaveLength(0);
    },
  );

  test('a new record that is refused there is listed, and created after it changes', async () => {
    const acme = await connectTo(sql, pipedrive, { direction: 'both', create_out: true });
    await finishRun(sql, acme, 'import');
    await acme.there.fault({
      kind: 'error_before',
      method: 'POST',
      status: 400,
      body: { success: false, error: 'Not allowed' },
    });
    await sql`insert into leads (tenant_id, name, email) values (${acme.id}, 'Gil Reis', 'gil@client.example')`;
    await waitFor(async () => (await openDifferences(sql, acme)).length > 0);
    expect(await openDifferences(sql, acme)).toMatchObject([{ kind: 'refused_there', record: 'lead' }]);
    await sql`update leads set name = 'Gil dos Reis' where tenant_id = ${acme.id}`;
    await waitFor(async () => (await acme.there.count('lead')) === 1, { limitMs: 60_000 });
    await untilSettled(sql, acme);
    expect(await openDifferences(sql, acme)).toHaveLength(0);
  });

  test('without it, nothing new is created there', async () => {
    const { acme } = await withContact(pipedrive, { direction: 'both' });
    await sql`insert into leads (tenant_id, name, email) values (${acme.id}, 'Gil Reis', 'gil@client.example')`;
    await sql`update leads set phone = '+55 11 90000-0000' where tenant_id = ${acme.id}`;
    await waitFor(async () => (await acme.there.requests()).some(pipedrive.isWrite));
    await untilSettled(sql, acme);
    expect(await acme.there.count('lead')).toBe(1);
  });
});

test.concurrent('paused: webhooks are kept, nothing is read or written; resumed, all of it is made up for', async ({
  expect,
}) => {
  const { acme, id } = await withContact(pipedrive, { direction: 'both' });
  await sql`select admin.pause_crm(${acme.accountId})`;
  await acme.there.forgetRequests();
  await acme.there.changeContact(id, { name: 'Davi Deles' });
  await sql`update leads set position = 'CEO' where tenant_id = ${acme.id}`;
  await waitFor(
    async () => (await sql`select from crm_events where account_id = ${acme.accountId}`).length > 0,
  );
  await waitFor(async () => {
    const [row] =
      await sql`select bool_and(due_at < clock_timestamp() - interval '1 second') as is_over from private.crm_pending where account_id = ${acme.accountId}`;
    return row?.is_over;
  });
  expect(await acme.there.requests()).toHaveLength(0);
  expect(await leadOf(sql, acme, id)).toMatchObject({ name: 'Davi Lima' });
  await sql`select admin.resume_crm(${acme.accountId})`;
  await untilLead(sql, acme, id, ({ name }) => name === 'Davi Deles');
  await waitFor(async () => (await acme.there.requests()).some(pipedrive.isWrite));
  await untilSettled(sql, acme);
  expect(await leadOf(sql, acme, id)).toMatchObject({ name: 'Davi Deles', position: 'CEO' });
});

test.concurrent('differences heal when their cause is gone', async ({ expect }) => {
  const acme = await connectTo(sql, pipedrive);
  const bruno = PEOPLE[1];
  if (!bruno) throw new Error('there are two people');
  const [one, other, twin] = await acme.there.addContacts(
    [davi, { name: 'Sem Email', email: null }, { name: 'Davi Segundo', email: 'DAVI@client.example' }],
    true,
  );
  const deal = only(
    await acme.there.addDeals(
      [{ name: 'Website', value: 100, contact: other ?? '', stage: 'Proposta', owner: bruno.email }],
      true,
    ),
  );
  await finishRun(sql, acme, 'import');
  const kinds = async () => (await openDifferences(sql, acme)).map(({ kind, record }) => `${record} ${kind}`);
  expect(await kinds()).toEqual(
    ['lead duplicate_email', 'lead missing_email', 'deal unknown_owner', 'deal unmapped_stage'].sort(
      (a, b) => a.split(' ')[1]?.localeCompare(b.split(' ')[1] ?? '') ?? 0,
    ),
  );
  expect(await dealOf(sql, acme, deal)).toMatchObject({ owner_id: null, lead_id: null });
  expect(await leadOf(sql, acme, twin ?? '')).toBeUndefined();
  await addUser(sql, acme, bruno);
  const [theirs] =
    await sql`select crm_id from admin.crm_stages where account_id = ${acme.accountId} and name = 'Proposta'`;
  await sql`
    select admin.map_crm_stage(${acme.accountId}, ${theirs?.crm_id}, s.id) from pipeline_stages s
    where s.tenant_id = ${acme.id} and s.name = 'Proposal'`;
  await acme.there.remove('lead', one ?? '');
  await sql`delete from leads where tenant_id = ${acme.id} and email = 'davi@client.example'`;
  await finishRun(sql, acme, 'reconcile');
  await untilSettled(sql, acme);
  await finishRun(sql, acme, 'reconcile');
  await untilSettled(sql, acme);
  expect(await dealOf(sql, acme, deal)).toMatchObject({ stage: 'Proposal' });
  expect((await dealOf(sql, acme, deal))?.owner_id).not.toBeNull();
  expect(await leadOf(sql, acme, twin ?? '')).toMatchObject({ state: 'linked' });
  expect((await kinds()).filter((kind) => kind !== 'lead deleted_there')).toEqual(['lead missing_email']);
});
