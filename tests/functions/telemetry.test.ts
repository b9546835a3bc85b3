// Traces from a request to the jobs that it causes, and the spans that a collector receives.
import { expect, inject, test } from 'vitest';
import { attributesOf, type SentSpan, startCollector } from '../support/collector.ts';
import { connectDatabase } from '../support/database.ts';
import { startOwnFunction } from '../support/functions.ts';
import { inTransaction } from '../support/gamification/gamification.ts';
import { connectAsaasTenant, sent } from '../support/payments/asaas-tenant.ts';
import { connectAdmin } from '../support/payments/connected-tenant.ts';
import { bodyOf, createPayTenant, NFSE, paidInvoice } from '../support/payments/payment-flows.ts';
import { invoice, pay } from '../support/payments/payments.ts';
import { createLead, expectData } from '../support/records/record-flows.ts';
import { createRecordsTenant, records } from '../support/records/records.ts';
import { waitFor } from '../support/wait-for.ts';
import { createWebhook, startDenoDeliverer, startEndpoint } from '../support/webhooks/webhooks.ts';

const sql = connectDatabase();

const newTrace = (flags = '01') => {
  const id = crypto.randomUUID().replaceAll('-', '');
  return { id, parent: 'b7ad6b7169203331', traceparent: `00-${id}-b7ad6b7169203331-${flags}` };
};
const uuidOf = (id: string) => id.replace(/(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');

/** All attributes that a span may have. */
const ATTRIBUTES = [
  ...['http.request.method', 'http.route', 'http.response.status_code', 'error.type', 'server.address'],
  ...['placar.tenant_id', 'placar.request_id', 'placar.job.attempt', 'placar.db.role', 'placar.db.waited_ms'],
];

/** Asserts the shape of spans, and that they contain none of these texts. */
function expectHarmless(spans: SentSpan[], texts: string[]): void {
  for (const span of spans) {
    expect(span.traceId).toMatch(/^[0-9a-f]{32}$/);
    expect(span.spanId).toMatch(/^[0-9a-f]{16}$/);
    expect(ATTRIBUTES).toEqual(expect.arrayContaining(Object.keys(attributesOf(span))));
  }
  const all = JSON.stringify(spans);
  for (const text of ['select ', 'insert ', '127.0.0.1:', ...texts]) expect(all).not.toContain(text);
}

test("with tracing off, a caller's trace continues through its effects, and malformed ones do no harm", async () => {
  const { id, token } = await createRecordsTenant(sql);
  const { url, received } = await startEndpoint();
  await expectData(token, 'POST', '/webhooks', 201, { url, events: ['lead.created'] });
  const trace = newTrace();
  const headers = { traceparent: trace.traceparent, tracestate: 'secret=state', baggage: 'secret=state' };
  const lead = { name: 'Ana', email: 'ana@example.com' };
  const created = await records(token, 'POST', '/leads', lead, { headers });
  expect(created.status).toBe(201);
  const [delivery] = await waitFor(() => received.length > 0 && received);
  const traceparent = String(delivery?.headers.traceparent);
  expect(traceparent).toMatch(new RegExp(`^00-${trace.id}-[0-9a-f]{16}-01$`));
  expect(traceparent).not.toBe(trace.traceparent);
  const feed = await records(token, 'GET', '/events');
  expect(JSON.stringify([delivery, feed.body]).replace(traceparent, '')).not.toMatch(
    new RegExp(`${trace.id}|${uuidOf(trace.id)}|secret`),
  );
  const [kept] = await sql`
    select e.trace_id as event, d.traceparent as delivery, j.traceparent as job, v.trace_id as shown
    from events e join webhook_deliveries d on d.event_id = e.id join admin.jobs j on j.key = d.id
    join admin.events v on v.id = e.id and v.tenant_id = e.tenant_id
    where e.tenant_id = ${id} and e.type = 'lead.created'`;
  const stored = expect.stringMatching(new RegExp(`^00-${trace.id}-[0-9a-f]{16}-01$`));
  expect(kept).toEqual({ event: uuidOf(trace.id), shown: uuidOf(trace.id), delivery: stored, job: stored });
  const logged = await waitFor(async () => {
    const rows = await sql`select * from admin.request_log where trace_id = ${trace.id}`;
    return new Set(rows.map((row) => row.function)).size >= 2 && rows;
  });
  // A job may be announced more than once.
  expect([...new Set(logged.map((row) => row.function))].sort()).toEqual(['callbacks', 'v1']);
  expect(JSON.stringify(logged)).not.toContain('secret');

  // None of these is stored, and none causes an error.
  const unusable = ['x', '00-0-0-00', `${trace.traceparent}, ${trace.traceparent}`, 'x'.repeat(5000)];
  for (const value of unusable) {
    const reply = await records(token, 'GET', '/leads', undefined, {
      headers: { traceparent: value, tracestate: 'x'.repeat(2000) },
    });
    expect(reply.status).toBe(200);
    const requestId = reply.headers.get('x-request-id');
    const row = await waitFor(
      async () => (await sql`select trace_id from request_log where request_id = ${requestId}`)[0],
    );
    expect(row.trace_id).toBeNull();
  }
  // Without a collector, there is no trace either.
  await createLead(token);
  expect(await sql`select from events where tenant_id = ${id} and trace_id is null`).not.toHaveLength(0);
});

test('spans from the request through its jobs to the webhook and the provider', async () => {
  const asaas = await connectAsaasTenant(connectAdmin());
  const collector = await startCollector();
  const env = { OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint };
  const worker = await startDenoDeliverer(env);
  const { baseUrl } = await startOwnFunction('payments', { ...env, FUNCTIONS_URL: worker.url });
  const { url, received } = await startEndpoint();
  const { id, apiKey } = await createPayTenant(sql);
  await createWebhook(sql, id, url);

  type Trace = ReturnType<typeof newTrace>;
  const ofTrace = (traceId: string, name: string) =>
    collector.spans().filter((span) => span.traceId === traceId && span.name === name);
  /** A sweep of the shared stack may run the job with its own worker, which sends no spans. Then the test repeats it. */
  const untilTraced = async (name: string, send: (trace: Trace) => Promise<unknown>): Promise<Trace> => {
    for (let tries = 0; tries < 5; tries++) {
      const trace = newTrace();
      await send(trace);
      const look = () => ofTrace(trace.id, name)[0];
      if (await waitFor(look, { limitMs: 6000 }).catch(() => undefined)) return trace;
    }
    throw new Error(`no span ${name} came`);
  };

  const charging = newTrace('00');
  const { traceparent } = charging;
  const charged = bodyOf(
    await pay(asaas.apiKey, '/invoices', invoice(), { baseUrl, headers: { traceparent } }),
    201,
  );
  const [order] = await sent(asaas, 'POST', '/payments');
  expect(order.headers.traceparent.slice(0, 35)).toBe(`00-${charging.id}`);
  expect(order.headers).not.toHaveProperty('tracestate');

  const invoices: string[] = [];
  const trace = await untilTraced('webhook', async (one) => {
    const open = bodyOf(await pay(apiKey, '/invoices', invoice(), { baseUrl }), 201);
    invoices.push(open.id);
    const headers = { traceparent: one.traceparent, tracestate: 'rojo=1', 'X-Request-Id': 'traced' };
    bodyOf(
      await pay(apiKey, `/sandbox/invoices/${open.id}/pay?x=secret-query`, {}, { baseUrl, headers }),
      200,
    );
  });
  // A job stores the documents of the sandbox as files.
  const filesTrace = await untilTraced('storage', async (one) => {
    const { id: paid } = await paidInvoice(apiKey);
    const headers = { traceparent: one.traceparent };
    bodyOf(await pay(apiKey, `/invoices/${paid}/tax-documents`, NFSE, { baseUrl, headers }), 202);
  });

  const named = (name: string, traceId = trace.id) => ofTrace(traceId, name);
  const [webhook] = named('webhook');
  expect(received.map(({ headers }) => headers.traceparent)).toContain(
    `00-${trace.id}-${webhook?.spanId}-01`,
  );
  const one = (name: string, traceId?: string) => {
    const [span, ...more] = named(name, traceId);
    expect([name, span !== undefined, more]).toEqual([name, true, []]);
    return { span, attributes: span && attributesOf(span) };
  };
  const server = await waitFor(() => named('POST /payments/sandbox/invoices/:id/pay')[0]);
  expect(server).toMatchObject({ kind: 2, parentSpanId: trace.parent, traceState: 'rojo=1' });
  expect(attributesOf(server)).toEqual({
    'http.request.method': 'POST',
    'http.route': '/payments/sandbox/invoices/:id/pay',
    'http.response.status_code': '200',
    'placar.tenant_id': id,
    'placar.request_id': 'traced',
  });
  const job = one('job deliver-webhook');
  expect(job.span?.kind).toBe(5);
  expect(job.attributes).toEqual({ 'placar.tenant_id': id, 'placar.job.attempt': '1' });
  expect([webhook?.kind, webhook?.parentSpanId]).toEqual([3, job.span?.spanId]);
  expect(webhook && attributesOf(webhook)).toEqual({
    'server.address': new URL(url).hostname,
    'http.request.method': 'POST',
    'http.response.status_code': '200',
  });
  expect((await waitFor(() => named('publish deliver-webhook')[0])).kind).toBe(4);
  const database = named('postgres').map((span) => attributesOf(span));
  expect(new Set(database.map((span) => span['placar.db.role']))).toContain('payments');
  expect(database.every((span) => Number(span['placar.db.waited_ms']) >= 0)).toBe(true);
  const operation = await waitFor(() => named('asaas charges.create', charging.id)[0]);
  expect(operation.spanId).toBe(order.headers.traceparent.slice(36, 52));
  const [stored] = named('storage', filesTrace.id);
  expect(stored?.parentSpanId).toBe(one('job issue-tax-document', filesTrace.id).span?.spanId);
  const { customer } = invoice();
  expectHarmless(collector.spans(), [
    ...[...invoices, charged.id, apiKey, asaas.asaasKey, 'secret-query', customer.email, customer.name],
    ...[new URL(inject('stack').database_url).password],
  ]);
});

test('unknown callers cannot request sampling, and a collector that hangs affects no response', async () => {
  const collector = await startCollector();
  const { baseUrl } = await startOwnFunction('v1', {
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint,
    OTEL_TRACES_SAMPLER_ARG: '0',
  });
  const { token } = await createRecordsTenant(sql);
  const ask = async (who: string | null, { traceparent } = newTrace()) => {
    const headers = { traceparent, tracestate: `who=${who ? 'known' : 'stranger'}` };
    const { status, body } = await records(who, 'GET', '/stages', undefined, { baseUrl, headers });
    return { status, data: body.data, error: body.error?.code };
  };
  const known = newTrace();
  const answers = [await ask(null), await ask(`${token}x`), await ask(token, known)];
  expect(answers.map(({ status }) => status)).toEqual([401, 401, 200]);
  const spans = await waitFor(() => collector.spans().length > 0 && collector.spans());
  expect([...new Set(spans.map(({ traceId }) => traceId))]).toEqual([known.id]);
  expect(JSON.stringify(spans)).not.toContain('stranger');

  collector.respond = () => {};
  const before = collector.requests.length;
  expect(await ask(token)).toEqual(answers[2]);
  await waitFor(() => collector.requests.length > before);
  expect([await ask(token), await ask(null)]).toEqual([answers[2], answers[0]]);
});

test('an index finds the requests of a trace, also in later partitions', async () => {
  await inTransaction(sql, async (tx) => {
    await tx`select private.create_request_log_partition('2031-05-01')`;
    const without = await tx`
      select c.relname from pg_inherits i join pg_class c on c.oid = i.inhrelid
      where i.inhparent = 'request_log'::regclass and not exists (
        select from pg_index x where x.indrelid = c.oid and pg_get_indexdef(x.indexrelid) like '%(trace_id) WHERE (trace_id IS NOT NULL)')`;
    expect([without.length, await tx`select to_regclass('request_log_2031_05') is not null as made`]).toEqual(
      [0, [{ made: true }]],
    );
  });
});
