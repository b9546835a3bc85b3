// What RD Station documents of its CRM, at its fake over HTTP.
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { type RdStation, startRdStation } from '../../../local/crms/rd-station/index.ts';
import type { Json } from '../../support/payments/vendor-receiver.ts';
import { clientOf, receiverFor } from './support.ts';

let rd: RdStation;
let account: { id: string; clientId: string; clientSecret: string; refreshToken: string };
let access = '';
const call = clientOf(
  () => `${rd.url}/crm/v2`,
  () => ({ authorization: `Bearer ${access}` }),
);
const token = async (form: Record<string, string>) => {
  const credentials = { client_id: account.clientId, client_secret: account.clientSecret };
  const body = new URLSearchParams({ ...credentials, ...form });
  const response = await fetch(`${rd.url}/oauth2/token`, { method: 'POST', body });
  return { status: response.status, body: (await response.json()) as Json };
};
const refresh = (refreshToken: string) => token({ grant_type: 'refresh_token', refresh_token: refreshToken });
beforeAll(async () => {
  rd = await startRdStation();
});
beforeEach(async () => {
  account = await rd.control.createAccount({ options: { requestsPerMinute: 1000 } });
  access = (await refresh(account.refreshToken)).body.access_token;
});
afterAll(() => rd.stop());

const data = (values: object) => ({ data: values });
const deal = (values: Record<string, unknown> = {}) =>
  rd.control.add(account.id, 'deals', { name: 'Plano anual', ...values });
const idsOf = ({ body }: Json): string[] => body.data.map(({ id }: Json) => id);

describe('OAuth', () => {
  const redirect = 'http://127.0.0.1:9/callbacks/crm/rd_station/1/authorized';
  const authorize = async (redirectUri = redirect) => {
    const query = new URLSearchParams({
      response_type: 'code',
      client_id: account.clientId,
      redirect_uri: redirectUri,
      state: 's1',
    });
    const response = await fetch(`${rd.url}/oauth/authorize?${query}`, { redirect: 'manual' });
    return new URL(response.headers.get('location') ?? '');
  };
  test('a code is good once, for five minutes, with the same address', async () => {
    const { searchParams } = await authorize();
    expect(searchParams.get('state')).toBe('s1');
    const exchange = (code: string | null, redirectUri = redirect) =>
      token({ grant_type: 'authorization_code', code: code ?? '', redirect_uri: redirectUri });
    const code = searchParams.get('code');
    expect(await exchange(code)).toMatchObject({ status: 200, body: { expires_in: 7200 } });
    expect((await exchange(code)).body.error_type).toBe('EXPIRED_CODE_GRANT');
    const late = (await authorize()).searchParams.get('code');
    await rd.control.advance({ minutes: 5 });
    expect((await exchange(late)).status).toBe(401);
    expect((await exchange((await authorize()).searchParams.get('code'), `${redirect}/x`)).status).toBe(401);
    await rd.control.setOptions(account.id, { agrees: false });
    expect((await authorize()).searchParams.get('error')).toBe('access_denied');
  });

  test('a refresh token is used once, and dead after 14 days', async () => {
    const again = await refresh(account.refreshToken);
    expect([again.status, again.body.error_type]).toEqual([401, 'INVALID_REFRESH_TOKEN']);
    const { code } = Object.fromEntries((await authorize()).searchParams);
    const first = await token({ grant_type: 'authorization_code', code: code ?? '', redirect_uri: redirect });
    await rd.control.advance({ days: 13 });
    const second = await refresh(first.body.refresh_token);
    expect(second.status).toBe(200);
    await rd.control.advance({ days: 14 });
    expect((await refresh(second.body.refresh_token)).status).toBe(401);
  });

  test('an access token ends after two hours, and with the app', async () => {
    expect((await call('GET', '/users')).status).toBe(200);
    await rd.control.advance({ hours: 2 });
    expect((await call('GET', '/users')).status).toBe(401);
    const other = await rd.control.createAccount();
    account = other;
    access = (await refresh(other.refreshToken)).body.access_token;
    await rd.control.revoke(other.id);
    expect((await call('GET', '/users')).status).toBe(401);
    expect((await token({ grant_type: 'refresh_token', client_secret: 'x' })).body.error_type).toBe(
      'ACCESS_DENIED',
    );
  });
});

describe('lists', () => {
  test('have 20 rows by default, and links to a path that does not exist', async () => {
    await rd.control.addMany(
      account.id,
      'deals',
      Array.from({ length: 25 }, () => ({ name: 'A' })),
    );
    const { body } = await call('GET', '/deals?sort[created_at]=asc');
    expect(body.data).toHaveLength(20);
    expect((await fetch(body.links.next, { headers: { authorization: `Bearer ${access}` } })).status).toBe(
      404,
    );
    expect((await call('GET', '/deals?sort[created_at]=asc&page[number]=2')).body.data).toHaveLength(5);
  });

  test('differ from call to call without a sort', async () => {
    await rd.control.addMany(
      account.id,
      'deals',
      Array.from({ length: 50 }, () => ({ name: 'A' })),
    );
    const list = async (query: string) => idsOf(await call('GET', `/deals?page[size]=50${query}`)).join();
    expect(await list('')).not.toBe(await list(''));
    expect(await list('&sort[updated_at]=asc')).toBe(await list('&sort[updated_at]=asc'));
  });

  test('filter by times and by other members', async () => {
    const first = await deal();
    await rd.control.advance({ minutes: 1 });
    const since = (await rd.control.now()).slice(0, 19).replace('T', ' ');
    await rd.control.advance({ seconds: 1 });
    const second = await deal({ name: 'Piloto' });
    const list = (filter: string) => call('GET', `/deals?filter=${encodeURIComponent(filter)}`);
    expect(idsOf(await list(`updated_at:>="${since}"`))).toEqual([second.id]);
    expect(idsOf(await list(`created_at:<="${since}"`))).toEqual([first.id]);
    const person = await rd.control.add(account.id, 'contacts', {
      name: 'Ana',
      emails: [{ email: 'ana@x.example' }],
    });
    expect(idsOf(await call('GET', '/contacts?filter=email:"ana@x.example"'))).toEqual([person.id]);
  });

  test.each([
    '/deals?page[size]=101',
    '/deals?page[number]=0',
    '/deals?page=2',
    '/deals?sort[total_price]=asc',
    '/contacts?sort[updated_at]=asc',
    '/deals?sort[updated_at]=up',
    '/deals?filter=updated_at:>=2026-08-01T00:00:00Z',
    '/tasks?filter=updated_at:>=2026-08-01',
    '/deals?filter=nickname:x',
    '/deals?filter=-created_at:x',
  ])('refuse %s', async (path) => {
    const { status, body } = await call('GET', path);
    expect([status, body.errors.length]).toEqual([400, 1]);
  });

  test('end at row 10 000', async () => {
    await rd.control.addMany(
      account.id,
      'contacts',
      Array.from({ length: 10_001 }, (_, index) => ({ name: `C${index}` })),
    );
    const page = async (number: number) =>
      (await call('GET', `/contacts?sort[name]=asc&page[size]=100&page[number]=${number}`)).body;
    expect((await page(100)).data).toHaveLength(100);
    expect((await page(100)).links.next).toBeNull();
    expect((await page(101)).data).toEqual([]);
  });
});

describe('records', () => {
  test('a deal is made as ongoing, then won and lost', async () => {
    expect((await call('POST', '/deals', data({ name: 'A', status: 'won' }))).status).toBe(422);
    const made = await call('POST', '/deals', data({ name: 'A', one_time_price: 10 }));
    expect([made.status, made.body.data.total_price, made.body.data.status]).toEqual([201, 10, 'ongoing']);
    const put = async (values: object) =>
      (await call('PUT', `/deals/${made.body.data.id}`, data(values))).body.data;
    expect(await put({ status: 'won' })).toMatchObject({ status: 'won', closed_at: expect.any(String) });
    const { rows } = await rd.control.account(account.id, 'rows');
    const reason = rows.lost_reasons[0]?.id;
    expect(await put({ status: 'lost', lost_reason_id: reason })).toMatchObject({ lost_reason_id: reason });
    expect(await put({ status: 'ongoing' })).toMatchObject({ closed_at: null, lost_reason_id: null });
  });

  test.each([
    [{ status: 'open' }],
    [{ total_price: 1 }],
    [{ stage_id: 'x' }],
    [{ contact_ids: ['x'] }],
    [{ lost_reason_id: 'x' }],
    [{ custom_fields: { no_such: 1 } }],
    [{ owner_id: 'x' }],
  ])('%j is refused and changes nothing', async (values) => {
    const { id } = await deal();
    const { status, body } = await call('PUT', `/deals/${id}`, data({ name: 'B', ...values }));
    expect([status, body.errors.length]).toEqual([422, 1]);
    expect((await rd.control.record(account.id, 'deals', id)).name).toBe('Plano anual');
  });

  test('need {data}, PUT, and an id that exists', async () => {
    const { id } = await deal();
    expect((await call('PUT', `/deals/${id}`, { name: 'B' })).status).toBe(400);
    expect((await call('PATCH', `/deals/${id}`, data({ name: 'B' }))).status).toBe(404);
    await rd.control.remove(account.id, 'deals', id);
    expect((await call('GET', `/deals/${id}`)).status).toBe(404);
    await rd.control.restore(account.id, 'deals', id);
    expect((await call('GET', `/deals/${id}`)).status).toBe(200);
    expect((await call('DELETE', `/deals/${id}`)).status).toBe(404);
  });

  test('pipelines with stages, custom fields, and tasks that are done and undone', async () => {
    const { body } = await call('GET', '/pipelines');
    const [pipeline] = body.data;
    const stages = await call('GET', `/pipelines/${pipeline.id}/stages?sort[order]=asc`);
    expect(stages.body.data.map(({ order }: Json) => order)).toEqual([1, 2, 3, 4, 5]);
    await rd.control.add(account.id, 'custom_fields', {
      name: 'CPF',
      slug: 'cpf',
      type: 'text',
      entity: 'contact',
    });
    const person = await call('POST', '/contacts', data({ name: 'Ana', custom_fields: { cpf: '111' } }));
    expect(person.body.data.custom_fields).toEqual({ cpf: '111' });
    const { id } = await rd.control.add(account.id, 'tasks', { name: 'Ligar', type: 'call' });
    await rd.control.setDone(account.id, id, true);
    expect((await call('GET', '/tasks?filter=status:completed')).body.data).toMatchObject([
      { id, completed_at: expect.any(String) },
    ]);
    await rd.control.setDone(account.id, id, false);
    expect((await call('GET', `/tasks/${id}`)).body.data).toMatchObject({
      status: 'open',
      completed_at: null,
    });
  });
});

test('120 requests a minute, then 429 with Retry-After', async () => {
  await rd.control.setFrozen(true);
  onTestFinished(() => rd.control.setFrozen(false));
  await rd.control.setOptions(account.id, { requestsPerMinute: 120 });
  const statuses = [];
  for (let index = 0; index < 121; index++) statuses.push((await call('GET', '/users')).status);
  expect(statuses.filter((status) => status === 200)).toHaveLength(120);
  const refused = await call('GET', '/users');
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '60']);
  await rd.control.advance({ minutes: 1 });
  expect((await call('GET', '/users')).status).toBe(200);
});

describe('webhooks', () => {
  const register = (url: string, event = 'crm_deal_created', more: object = {}) =>
    call(
      'POST',
      '/webhooks',
      data({
        event_name: event,
        url,
        http_method: 'POST',
        auth_header: 'X-Auth-Key',
        auth_key: 'secret',
        ...more,
      }),
    );

  test('are registered by the name of an event, listed and deleted', async () => {
    const made = await register('http://127.0.0.1:9/hook');
    expect(made.body.data).toMatchObject({ event_name: 'crm_deal_created', status: 'active' });
    expect(made.body.data.auth_key).toBeUndefined();
    expect((await register('http://127.0.0.1:9/hook', 'crm_deal_created', { event_type: 'x' })).status).toBe(
      422,
    );
    expect(idsOf(await call('GET', '/webhooks'))).toEqual([made.body.data.id]);
    expect((await call('DELETE', `/webhooks/${made.body.data.id}`)).status).toBe(204);
    expect((await call('GET', '/webhooks')).body.data).toEqual([]);
  });

  test.each([
    ['document', { event_name: 'crm_deal_created', document: { name: 'Plano anual' } }],
    ['data', { event_type: 'crm_deal_created', data: { name: 'Plano anual' } }],
  ] as const)('tell of changes in %s, with the header of the registration', async (webhookBody, body) => {
    const receiver = await receiverFor(onTestFinished);
    await rd.control.setOptions(account.id, { webhookBody });
    const event = 'crm_deal_created';
    const named = webhookBody === 'data' ? { event_name: undefined, event_type: event } : {};
    await register(`${receiver.url}/hook`, event, named);
    const { id } = await deal();
    await rd.control.patch(account.id, 'deals', id, { name: 'B' });
    await rd.control.settle();
    expect(receiver.received).toMatchObject([{ body, headers: { 'x-auth-key': 'secret' } }]);
  });

  test('are retried five times', async () => {
    const receiver = await receiverFor(onTestFinished);
    receiver.answer = () => ({ status: 500 });
    await register(`${receiver.url}/hook`);
    await deal();
    await rd.control.advance({ days: 1 });
    expect(receiver.received).toHaveLength(6);
  });

  test('of a merge do not exist: the other contact is gone', async () => {
    const receiver = await receiverFor(onTestFinished);
    const person = (email: string) =>
      rd.control.add(account.id, 'contacts', { name: 'Ana', emails: [{ email }] });
    const [winner, loser] = [await person('a@x.example'), await person('b@x.example')];
    const { id } = await deal({ contact_ids: [loser.id] });
    for (const action of ['created', 'updated', 'deleted'])
      await register(receiver.url, `crm_contact_${action}`);
    await rd.control.merge(account.id, winner.id, loser.id);
    await rd.control.settle();
    expect(receiver.received).toEqual([]);
    expect((await call('GET', `/contacts/${loser.id}`)).status).toBe(404);
    expect((await call('GET', `/deals/${id}`)).body.data.contact_ids).toEqual([winner.id]);
  });
});
