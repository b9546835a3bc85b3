// Webhooks of CRMs: proofs, unreadable and unknown ones, order, repetitions.
import { describe, expect, test } from 'vitest';
import { eventsOf, untilSettled } from '../../support/connectors.ts';
import {
  callbackOf,
  connectTo,
  drivers,
  leadOf,
  untilLead,
  withContact,
} from '../../support/crms/connected.ts';
import { hubspot } from '../../support/crms/hubspot.ts';
import { pipedrive } from '../../support/crms/pipedrive.ts';
import { basic, post, signed, webhookSecret } from '../../support/crms/webhook-proofs.ts';
import { connectAdmin } from '../../support/payments/connected-tenant.ts';
import { waitFor } from '../../support/wait-for.ts';

const sql = connectAdmin();

describe.concurrent('proofs', () => {
  test('without one: 401, nothing is kept but a counter of at most ten a minute', async () => {
    const { acme, id } = await withContact(sql, pipedrive);
    const [other, secret] = [await connectTo(sql, pipedrive), await webhookSecret(sql, acme)];
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
      [url, basic(await webhookSecret(sql, other))],
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
    const { acme, id } = await withContact(sql, hubspot);
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

  test('are answered while another transaction holds the account and its job', async () => {
    const { acme, id } = await withContact(sql, pipedrive);
    await untilSettled(sql, acme);
    const headers = basic(await webhookSecret(sql, acme));
    const meta = { action: 'change', entity: 'person', entity_id: id, version: '2.0' };
    await acme.there.forgetRequests();
    await sql.begin(async (other) => {
      await other`update crm_accounts set mailed_at = mailed_at where id = ${acme.accountId}`;
      await other`select private.wake_crm(${acme.accountId}, now() + interval '1 hour')`;
      await other`select from jobs where name = 'sync-crm' and key = ${acme.accountId} for update`;
      const body = JSON.stringify({ meta: { id: crypto.randomUUID(), ...meta } });
      expect(await post(callbackOf(acme), body, headers)).toBe(200);
      expect(await acme.there.requests()).toHaveLength(0);
    });
    await waitFor(async () => (await acme.there.requests()).length > 0);
  });

  test('with one: what is no JSON is kept as text, unknown events are kept and ignored', async () => {
    const { acme } = await withContact(sql, pipedrive);
    const headers = basic(await webhookSecret(sql, acme));
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
    const { acme, id } = await withContact(sql, pipedrive);
    const before = (await eventsOf(sql, acme)).length;
    await acme.there.loseWebhooks();
    await acme.there.changeContact(id, { name: 'Davi de Lima' });
    await acme.there.forgetRequests();
    const headers = basic(await webhookSecret(sql, acme));
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
    const { acme, id } = await withContact(sql, driver);
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

test('HubSpot: each event of a body keeps its own part, with all digits', async () => {
  const { acme, id } = await withContact(sql, hubspot);
  const now = Date.now();
  const events = ['9007199254740993', id].map(
    (objectId, place) =>
      `{"eventId": ${place}, "subscriptionId": 1, "occurredAt": ${now}, "subscriptionType": "object.propertyChange", "objectTypeId": "0-1", "objectId": ${objectId}}`,
  );
  const body = `[${events}]`;
  expect(await post(callbackOf(acme), body, signed(acme, body, now))).toBe(200);
  const kept =
    await sql`select crm_id, body from crm_events where account_id = ${acme.accountId} order by id`;
  expect(kept.map(({ crm_id: crmId }) => crmId)).toEqual(['9007199254740993', id]);
  for (const { crm_id: crmId, body: part } of kept) {
    expect(part).toContain(crmId);
    expect(part).toContain(String(now));
    expect(part).not.toContain('[');
  }
});

test('HubSpot: webhooks that are still registered under a former address are proved by it', async () => {
  const { acme, id } = await withContact(sql, hubspot);
  const former = callbackOf(acme).replace(/^https?:\/\/[^/]+/, 'https://former.example');
  await sql`update crm_accounts set callback_url = ${former} where id = ${acme.accountId}`;
  await waitFor(async () => {
    // A worker that is on the account has read its address before.
    await sql`select private.wake_crm(${acme.accountId})`;
    const [account] = await sql`select callback_url from crm_accounts where id = ${acme.accountId}`;
    return account?.callback_url === callbackOf(acme);
  });
  const now = Date.now();
  const event = {
    ...{ eventId: 1, subscriptionId: 1, portalId: 1, occurredAt: now, objectId: Number(id) },
    ...{ subscriptionType: 'object.propertyChange', objectTypeId: '0-1' },
  };
  const body = JSON.stringify([event]);
  expect(await post(callbackOf(acme), body, signed(acme, body, now, former))).toBe(200);
  expect(await post(callbackOf(acme), body, signed(acme, body, now, 'https://other.example'))).toBe(401);
});
