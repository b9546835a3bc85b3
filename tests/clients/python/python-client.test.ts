// The Python client against the running stack. Skipped, and shown as skipped, where there is no python3 of 3.9 or newer.
import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, onTestFinished, test } from 'vitest';
import { connectDatabase, createApiKey, createTenant } from '../../support/database.ts';
import { addGamification } from '../../support/gamification/gamification-shown.ts';
import { collaborator, type Json, syncCollaborators } from '../../support/gamification/sync.ts';
import { createOAuthClient } from '../../support/oauth.ts';
import { invoice, PAYMENT_SCOPES, pixPayout } from '../../support/payments/payments.ts';
import { waitFor } from '../../support/wait-for.ts';
import { startEndpoint } from '../../support/webhooks/webhooks.ts';
import { startTcpProxy } from '../../support/wire/tcp-proxy.ts';
import { startFaultyProxy } from './faulty-proxy.ts';
import { clientFolder, functionsUrl, hasPip, hasPython, python, withClient } from './run-python.ts';

const sql = connectDatabase(undefined, { announces: true });

const folder = () => {
  const dir = mkdtempSync(join(tmpdir(), 'placar-python-'));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  return dir;
};

/** A tenant of one's own, as options of the client. */
async function createCaller(variant = 'a') {
  const { id } = await createTenant(sql);
  await sql`update tenants set plan = 'enterprise' where id = ${id}`;
  const { apiKey } = await createApiKey(sql, id, { scopes: ['default:sync', ...PAYMENT_SCOPES] });
  const client = await createOAuthClient(sql, id, { scopes: ['admin'], variant });
  return { id, options: { api_key: apiKey, ...client, variant, backoff: 0.01 } };
}

const activities = (count: number) =>
  Array.from({ length: count }, (_, n) => ({
    activity_code: '001',
    external_id: `a-${n}`,
    collaborator_email: n % 1000 === 999 ? 'nobody@example.com' : 'ana@example.com',
  }));

const SYNC_ALL = `
progress = []
result = placar.activities.sync(given["items"], on_progress=lambda done, total: progress.append([done, total]))
tell({"processed": result.processed, "duplicates": result.duplicates, "total": result.total, "progress": len(progress),
      "skipped": [item.index for item in result.skipped_items]})
`;

test('its types are correct', async () => {
  const pyright = join(clientFolder, '../../node_modules/.bin/pyright');
  expect(
    (await promisify(execFile)(pyright, ['--project', 'pyproject.toml'], { cwd: clientFolder })).stdout,
  ).toContain('0 errors, 0 warnings');
});

describe.runIf(hasPython)('the Python client', () => {
  test('its own tests pass without warnings', async () => {
    const output = await python(['-W', 'error', '-m', 'unittest', 'discover', '-s', 'tests', '-t', '.']);
    expect(output).toMatch(/Ran \d{2,} tests[\s\S]*\nOK\n$/);
  });

  test('syncs any number of activities, each once', async () => {
    const { id, options } = await createCaller();
    await syncCollaborators(options.api_key, [collaborator('ana')]);
    const given = { items: activities(2500) };
    const told = { total: 2500, progress: 3, skipped: [999, 1999] };
    expect(await withClient(options, SYNC_ALL, given)).toEqual({ ...told, processed: 2498, duplicates: 0 });
    expect(await withClient(options, SYNC_ALL, given)).toEqual({ ...told, processed: 0, duplicates: 2498 });
    const [row] = await sql`select count(*)::integer as n from activities where tenant_id = ${id}`;
    expect(row?.n).toBe(2498);
  });

  test('reports an invalid activity by its position in the whole list', async () => {
    const { options } = await createCaller();
    const items = activities(1200).with(1100, { ...activities(1)[0], activity_code: '1' } as Json);
    const code = `
try:
    placar.activities.sync(given["items"])
except ValidationError as error:
    tell([error.status, error.code, error.fields[0]["index"], error.fields[0]["field"], error.result.total, bool(error.request_id)])
`;
    const told = [400, 'VALIDATION_ERROR', 1100, 'activity_code', 1000, true];
    expect(await withClient(options, code, { items })).toEqual(told);
  });

  test('bills, pays out, reads pages and totals', async () => {
    const { options } = await createCaller();
    const code = `
made = [placar.invoices.create(given["invoice"]) for _ in range(3)]
again = [placar.invoices.create(given["invoice"], idempotency_key="order-7")["id"] for _ in range(2)]
paid = placar.invoices.pay_in_sandbox(made[0]["id"])
payout = placar.payouts.create(given["payout"])
try:
    placar.invoices.create({**given["invoice"], "amount": 0})
except ValidationError as error:
    wrong = [error.code, error.fields[0]["field"]]
try:
    placar.invoices.get("inv_" + "0" * 26)
except NotFound as error:
    missing = error.code
ids = [one["id"] for one in placar.invoices.list(limit=2, created_gte="2020-01-01T00:00:00Z", payment_method_type="pix")]
newer = [one["id"] for one in placar.invoices.list(limit=1, ending_before=made[1]["id"])]
tell({"same": again[0] == again[1], "paid": paid["status"], "payout": placar.payouts.get(payout["id"])["id"] == payout["id"],
      "listed": ids == [again[0], *(one["id"] for one in reversed(made))], "newer": newer == [made[2]["id"], again[0]],
      "wrong": wrong, "missing": missing, "canceled": placar.invoices.cancel(made[1]["id"])["status"],
      "charges": [entry["source"]["id"] == made[0]["id"] for entry in placar.balance_transactions.list(type="charge")],
      "balance": placar.balance.get()})
`;
    expect(await withClient(options, code, { invoice: invoice(), payout: pixPayout() })).toEqual({
      same: true,
      paid: 'paid',
      payout: true,
      listed: true,
      newer: true,
      wrong: ['validation_error', 'amount'],
      missing: 'not_found',
      canceled: 'canceled',
      charges: [true],
      balance: [{ currency: 'BRL', available: expect.any(Number), pending: expect.any(Number) }],
    });
  });

  test.each(['a', 'b', 'c'])('reads and writes records in the names of variant %s', async (variant) => {
    const { options } = await createCaller(variant === 'a' ? 'b' : 'a');
    const code = `
made = [placar.leads.create({"name": f"Lead {n}", "email": f"lead{n}@example.com"}, origin="py") for n in range(5)]
walked = [lead["id"] for lead in placar.leads.list(per_page=2, sort="created_at")]
total = next(placar.leads.list(per_page=2).pages()).total
changed = placar.leads.update(made[0]["id"], {"phone": "+55 11 5555-0100"})
try:
    placar.leads.create({"name": "Again", "email": "lead1@example.com"})
except Conflict as error:
    clash = error.existing_id == made[1]["id"]
placar.leads.delete(made[4]["id"])
stage = placar.stages.list()[0]
deal = placar.deals.create({"name": "Fleet", "value": 1250.5, "stage": stage["id"], "stage_id": stage["id"]})
placar.deals.add_activity(deal["id"], {"type": "note", "description": "called"})
moved = placar.deals.move(deal["id"], {"stage": placar.stages.list()[1]["id"], "stage_id": placar.stages.list()[1]["id"]})
closed = placar.deals.close(deal["id"], {"result": "won", "status": "won"})
converted = placar.leads.convert(made[2]["id"])
tell({"walked": walked == [lead["id"] for lead in made], "total": total, "phone": changed["phone"], "clash": clash,
      "left": len(list(placar.leads.list())), "notes": len(list(placar.deals.activities(deal["id"]))),
      "names": "owner_id" in deal, "closed": closed["status"], "converted": sorted(converted)[:2] == ["deal", "lead"],
      "users": list(placar.users.list()), "teams": placar.teams.create({"name": "North"})["name"]})
`;
    expect(await withClient({ ...options, variant }, code)).toEqual({
      walked: true,
      total: 5,
      phone: '+55 11 5555-0100',
      clash: true,
      left: 4,
      notes: 1,
      names: variant === 'a',
      closed: 'won',
      converted: variant !== 'b',
      users: [],
      teams: 'North',
    });
  });

  test('shows missions, standings, seasons, badges, challenges and points', async () => {
    const { id, options } = await createCaller();
    const [user] = await sql`
      insert into users (tenant_id, name, email) values (${id}, 'Ana', 'ana@example.com'), (${id}, 'Bia', 'bia@example.com')
      returning id`;
    await addGamification(sql, id, user?.id);
    const code = `
season = placar.seasons.list().first()
tell({"standings": [[line["position"], line["name"]] for line in placar.standings.list(season=season["id"], per_page=1)],
      "since": [line["points"] for line in placar.standings.list(since="2999-01-01")],
      "around": [line["name"] for line in placar.standings.around(given["user"], per_page=1)],
      "missions": [mission["completions"] for mission in placar.missions.list(user_id=given["user"])],
      "badges": [badge["earned_by"] for badge in placar.badges.list()],
      "progress": placar.challenges.list(user_id=given["user"]).first()["progress"][0]["value"],
      "points": [entry["points"] for entry in placar.users.points(given["user"], per_page=1)],
      "earned": [badge["name"] for badge in placar.users.badges(given["user"])]})
`;
    expect(await withClient(options, code, { user: user?.id })).toEqual({
      standings: [
        [1, 'Ana'],
        [2, 'Bia'],
      ],
      since: [0, 0],
      around: ['Ana'],
      missions: [1],
      badges: [1],
      progress: 15,
      points: [5, 10],
      earned: ['First points'],
    });
  });

  test('verifies webhook deliveries of records', async () => {
    const { options } = await createCaller();
    const endpoint = await startEndpoint();
    const create = `
hook = placar.webhooks.create({"url": given["url"], "events": ["lead.created"], "secret": "generate"})
placar.leads.create({"name": "José", "email": "jose@example.com"}, origin="py")
tell(hook["secret"])
`;
    const secret = await withClient<string>(options, create, { url: endpoint.url });
    const [received] = await waitFor(() => endpoint.received.length > 0 && endpoint.received);
    const told = ['lead.created', 'José', 'py', received?.headers['webhook-id']];
    const verified = await verify(received, secret);
    // The signature without a timestamp is not enough: an old delivery could be replayed.
    const untimed = 'the delivery has no signature with a timestamp';
    expect(verified).toEqual([told, untimed, told, 'the delivery has no signature', 'other secret']);
  });

  test.each(['asgi_app', 'wsgi_app'])('%s receives a delivery, verified with the public key', async (app) => {
    const { options } = await createCaller();
    const endpoint = await startEndpoint();
    const create = `
hook = placar.webhooks.create({"url": given["url"], "events": ["lead.created"]})
placar.leads.create({"name": "José", "email": "jose@example.com"})
tell(hook["public_key"])
`;
    const key = await withClient<string>(options, create, { url: endpoint.url });
    const [received] = await waitFor(() => endpoint.received.length > 0 && endpoint.received);
    const receive = `
from placar import webhooks
from tests.webhook_servers import asgi_server, request, wsgi_server
events = []
app = getattr(webhooks, given["app"])(public_key=given["key"], on_event=events.append)
server = asgi_server if given["app"] == "asgi_app" else wsgi_server
headers = {name: value for name, value in given["headers"].items() if name not in ("host", "connection", "content-length")}
with server(app) as port:
    statuses = [request(port, "POST", headers, body.encode())[0] for body in (given["body"], given["body"], given["body"] + " ")]
tell([statuses, [event.data["name"] for event in events]])
`;
    expect(await withClient({}, receive, { ...received, key, app })).toEqual([[204, 204, 401], ['José']]);
  });

  test('resends all deliveries of a period', async () => {
    const { options } = await createCaller();
    const endpoint = await startEndpoint();
    const create = `
hook = placar.webhooks.create({"url": given["url"], "events": ["lead.created"]})
placar.leads.create({"name": "José", "email": "jose@example.com"})
tell(hook["id"])
`;
    const webhook = await withClient<string>(options, create, { url: endpoint.url });
    const [first] = await waitFor(() => endpoint.received.length > 0 && endpoint.received);
    const again = `
begun = placar.webhooks.replay_all(given["id"], since="2020-01-01T00:00:00Z", origin="py")
tell(placar.webhooks.replay_progress(given["id"], begun["id"])["id"] == begun["id"])
`;
    expect(await withClient(options, again, { id: webhook })).toBe(true);
    const [, second] = await waitFor(() => endpoint.received.length > 1 && endpoint.received);
    expect(second?.headers['webhook-id']).toBe(first?.headers['webhook-id']);
  });

  test('verifies webhook deliveries of payments, with both secrets during a rotation', async () => {
    const { id, options } = await createCaller();
    const endpoint = await startEndpoint();
    const [made] = await sql`select id, secret from admin.create_payment_webhook(${id}, ${endpoint.url})`;
    const [rotated] = await sql`select admin.rotate_webhook_secret(${made?.id}) as secret`;
    const pay = 'tell(placar.invoices.pay_in_sandbox(placar.invoices.create(given)["id"])["status"])';
    expect(await withClient(options, pay, invoice())).toBe('paid');
    const [received] = await waitFor(() => endpoint.received.length > 0 && endpoint.received);
    const told = ['invoice.paid', null, null, received?.headers['webhook-id']];
    for (const secret of [made?.secret, rotated?.secret]) {
      const [standard, own] = await verify(received, secret);
      expect([standard, own]).toEqual([told, told]);
    }
  });

  test('continues through 429, 503, cut connections and lost responses, and does nothing twice', async () => {
    const { id, options } = await createCaller();
    await syncCollaborators(options.api_key, [collaborator('ana')]);
    const faults = ['busy', 'cut', 'lose', 'away', 'pass'] as const;
    const proxy = await startFaultyProxy((_, nth) => faults[nth % faults.length] ?? 'pass');
    const code = `
invoices = [placar.invoices.create(given["invoice"])["id"] for _ in range(4)]
payout = placar.payouts.create(given["payout"])["id"]
result = placar.activities.sync(given["items"])
tell([len(set(invoices)), result.processed + result.duplicates, len(result.skipped_items)])
`;
    const given = { invoice: invoice(), payout: pixPayout(), items: activities(3000) };
    const client = { ...options, url: proxy.url, max_retries: 30 };
    expect(await withClient(client, code, given)).toEqual([4, 2997, 3]);
    const [count] = await sql`
      select (select count(*) from invoices where tenant_id = ${id})::integer as invoices,
             (select count(*) from payouts where tenant_id = ${id})::integer as payouts,
             (select count(*) from activities where tenant_id = ${id})::integer as activities`;
    expect(count).toEqual({ invoices: 4, payouts: 1, activities: 2997 });
    expect(new Set(proxy.seen.map(({ fault }) => fault))).toEqual(new Set(faults));
    const keys = proxy.seen.filter(({ request }) => request.endsWith('/invoices')).map(({ key }) => key);
    expect([new Set(keys).size, keys.length]).toEqual([4, 20]);
  });

  test('repeats a POST of records after a lost response: the record is created once', async () => {
    const { id, options } = await createCaller();
    let lost = 0;
    const proxy = await startFaultyProxy((path) =>
      path.endsWith('/leads') && lost++ === 0 ? 'lose' : 'pass',
    );
    const code = 'tell(placar.leads.create({"name": "Ana", "email": "ana@example.com"})["name"])';
    expect(await withClient({ ...options, url: proxy.url }, code)).toBe('Ana');
    const [row] = await sql`select count(*)::integer as n from leads where tenant_id = ${id}`;
    const keys = proxy.seen.filter(({ request }) => request.endsWith('/leads')).map(({ key }) => key);
    expect([row?.n, keys.length, new Set(keys).size]).toEqual([1, 2, 1]);
  });

  test('fetches one token for all threads, and another one when it is rejected', async () => {
    const { options } = await createCaller();
    const proxy = await startFaultyProxy(() => 'pass');
    const code = `
def get():
    list(placar.leads.list())
def all():
    threads = [threading.Thread(target=get) for _ in range(12)]
    [thread.start() for thread in threads]
    [thread.join() for thread in threads]
all()
placar.leads._http._tokens._token = type(placar.leads._http._tokens._token)("not-a-token", "access_token")
get()
tell("done")
`;
    expect(await withClient({ ...options, url: proxy.url }, code)).toBe('done');
    const asked = proxy.seen.map(({ request }) => request.split(' ')[1]?.split('/')[3]);
    expect(asked.filter((name) => name === 'oauth')).toHaveLength(2);
    expect(asked.filter((name) => name === 'v1')).toHaveLength(12 + 2);
  });

  test('times out if the service is silent, and continues when it responds again', async () => {
    const { options } = await createCaller();
    const proxy = await startTcpProxy({ host: '127.0.0.1', port: Number(new URL(functionsUrl()).port) });
    onTestFinished(() => proxy.close());
    const client = { ...options, url: `http://127.0.0.1:${proxy.port}/functions/v1`, max_retries: 0 };
    const code = `
try:
    tell(placar.balance.get())
except NetworkError as error:
    tell([type(error).__name__, error.sent])
`;
    proxy.freeze();
    expect(await withClient({ ...client, timeout: 0.5 }, code)).toEqual(['TimedOut', true]);
    proxy.cut();
    expect(await withClient(client, code)).toEqual(['NetworkError', true]);
    proxy.restore();
    expect(await withClient(client, code)).toEqual([]);
  });

  test('the examples of its README run', async () => {
    const readme = readFileSync(join(clientFolder, 'README.md'), 'utf8');
    const blocks = Array.from(readme.matchAll(/^```python\n([\s\S]*?)^```/gm), ([, block]) => block);
    expect(blocks).toHaveLength(10);
    const { options } = await createCaller();
    const output = await python(['-c', blocks.join('\n')], {
      PLACAR_URL: functionsUrl(),
      PLACAR_API_KEY: options.api_key,
      PLACAR_CLIENT_ID: options.client_id,
      PLACAR_CLIENT_SECRET: options.client_secret,
      WEBHOOK_SECRET: 'whsec_c2VjcmV0',
    });
    expect(output).toContain('done 2500\n2500 0 0\n');
    expect(output).toMatch(/INV-\d{4}-000001 open\n\[\]\n/);
    expect(output).toMatch(/Nina Reis\n.*500 to 600\.\nCreated tier "Silver"\.\nVALIDATION_ERROR \[/);
  });

  test('builds a wheel without network that contains everything and is imported', async () => {
    const [dist, site] = [folder(), folder()];
    const build =
      'import sys; sys.path.insert(0, "backend"); import build_wheel as b; b.build_wheel(sys.argv[1])';
    await python(['-c', `${build}; b.build_sdist(sys.argv[1])`, dist]);
    const wheel = 'placar-0.1.0-py3-none-any.whl';
    expect(readdirSync(dist).toSorted()).toEqual([wheel, 'placar-0.1.0.tar.gz']);
    await python(['-m', 'zipfile', '-e', join(dist, wheel), site]);
    const modules = readdirSync(join(clientFolder, 'src/placar')).filter((name) => name !== '__pycache__');
    expect(readdirSync(join(site, 'placar')).toSorted()).toEqual(modules.toSorted());
    await expectImportedFrom(site);
  });

  test.runIf(hasPip)('pip builds the wheel from the source archive and installs it', async () => {
    const [dist, site] = [folder(), folder()];
    const build =
      'import sys; sys.path.insert(0, "backend"); import build_wheel as b; b.build_sdist(sys.argv[1])';
    await python(['-c', build, dist]);
    const archive = join(dist, 'placar-0.1.0.tar.gz');
    const offline = ['--no-index', '--no-deps', '--no-cache-dir', '--disable-pip-version-check', '-q'];
    await python(['-m', 'pip', 'wheel', archive, ...offline, '-w', dist]);
    const wheel = join(dist, 'placar-0.1.0-py3-none-any.whl');
    await python(['-m', 'pip', 'install', wheel, ...offline, '--target', site]);
    await expectImportedFrom(site);
  });
});

/** The package there is complete: its own tests pass on it, and its version is that of the changelog. */
async function expectImportedFrom(site: string) {
  const env = { PYTHONPATH: site, PLACAR_INSTALLED: '1' };
  const where =
    'import placar, importlib.metadata as m; print(placar.__file__, placar.__version__, m.version("placar"))';
  expect(await python(['-c', where], env)).toBe(`${join(site, 'placar/__init__.py')} 0.1.0 0.1.0\n`);
  expect(readFileSync(join(clientFolder, 'CHANGELOG.md'), 'utf8')).toContain('\n## 0.1.0\n');
  expect(await python(['-m', 'unittest', 'discover', '-s', 'tests', '-t', '.'], env)).toMatch(/\nOK\n$/);
}

/** A delivery for Python: with each kind of signature, without one, and with another secret. */
async function verify(received: { headers: object; body: string } | undefined, secret: string) {
  const code = `
def look(leave_out, secret=given["secret"]):
    headers = {name: value for name, value in given["headers"].items() if name not in leave_out}
    try:
        event = verify_webhook(headers, given["body"].encode(), secret)
        return [event.type, event.data.get("name"), event.origin, event.delivery_id]
    except WebhookVerificationError as error:
        return "other secret" if secret != given["secret"] else str(error)
own = ["x-service-signature", "x-pay-signature"]
tell([look(own), look(["webhook-signature"]), look(["x-pay-signature"]), look(own + ["webhook-signature"]), look([], "other")])
`;
  return await withClient<Json[]>({}, code, { ...received, secret });
}
