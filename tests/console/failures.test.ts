// A deployment that rejects requests, is busy, unreachable, or has more rows than a CSV file may contain; and CSV files.
import { createServer, type RequestListener } from 'node:http';
import { expect, onTestFinished, test } from 'vitest';
import { serveFor } from '../support/clients/served-console.ts';

const MANY = 10_001;

/** A fake deployment with only the routes that these tests need. */
async function startDeployment(answer: RequestListener): Promise<string> {
  const server = createServer((incoming, outgoing) => {
    outgoing.setHeader('content-type', 'application/json');
    if (incoming.url === '/functions/v1/oauth/token')
      return outgoing.end(
        '{"access_token":"token-of-the-test","expires_in":3600,"scope":"read:leads write:leads"}',
      );
    if (incoming.url?.startsWith('/functions/v1/v1/health')) return outgoing.end('{"status":"ok"}');
    return answer(incoming, outgoing);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  return `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}/functions/v1`;
}

const client = { clientId: 'client_x', clientSecret: 'secret-of-the-test' };

const fail =
  (status: number, code: string, headers: Record<string, string> = {}): RequestListener =>
  (_, outgoing) => {
    outgoing.writeHead(status, { 'x-request-id': 'request-of-the-test', ...headers });
    outgoing.end(JSON.stringify({ error: { code, message: `It is ${code}.`, details: [] }, meta: {} }));
  };

test.each([
  [429, 'RATE_LIMITED', 'Try again in 7 seconds.'],
  [503, 'SERVER_ERROR', 'Try again in 7 seconds.'],
  [401, 'UNAUTHORIZED', 'Enter new credentials in the terminal'],
  [500, 'SERVER_ERROR', 'request-of-the-test'],
])('%i on a page and on a form, which keeps what was typed', async (status, code, text) => {
  const url = await startDeployment(fail(status, code, { 'retry-after': '7' }));
  const served = await serveFor(client, url);
  const page = await served.get('/records/leads');
  expect(page.status).toBe(status);
  expect(await page.text()).toContain(text);
  const form = await served.submit('/records/leads/new', { name: 'Ana', email: 'ana@acme.example' });
  expect(form.status).toBe(status);
  const shown = await form.text();
  expect(shown).toContain(text);
  expect(shown).toContain('value="ana@acme.example"');
  expect(shown).not.toContain('token-of-the-test');
});

test('an unreachable deployment has its own error page', async () => {
  const url = await startDeployment((incoming) => incoming.socket.destroy());
  const served = await serveFor(client, url);
  const page = await served.get('/records/leads');
  expect(page.status).toBe(504);
  expect(await page.text()).toContain('The deployment is unreachable');
});

const lead = (index: number) => ({
  id: `lead-${index}`,
  name: index === 0 ? '=1+1' : index === 1 ? 'Ana; "B", C' : `Lead ${index}`,
  email: 'ana@acme.example',
  company: '-2',
  status: 'new',
  source: '@site',
  owner_id: null,
  team_id: null,
  tags: [],
  created_at: '2026-03-02T17:05:00Z',
});

/** Pages of leads as the API has them. */
const leads: RequestListener = (incoming, outgoing) => {
  const query = new URL(incoming.url ?? '/', 'http://x').searchParams;
  const [page, size] = [Number(query.get('page') ?? 1), Number(query.get('per_page') ?? 25)];
  const rows = Array.from({ length: Math.max(0, Math.min(size, MANY - (page - 1) * size)) }, (_, index) =>
    lead((page - 1) * size + index),
  );
  outgoing.end(
    JSON.stringify({ data: rows, meta: { page, total: MANY, total_pages: Math.ceil(MANY / size) } }),
  );
};

test('a CSV file contains the first 10,000 rows and a note; formulas and separators are escaped', async () => {
  const served = await serveFor(client, await startDeployment(leads));
  const english = await served.get('/records/leads?format=csv', { 'Accept-Language': 'en' });
  expect(english.headers.get('content-type')).toBe('text/csv; charset=utf-8');
  // `text()` would leave the byte order mark out.
  const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(await english.arrayBuffer());
  const lines = text.split('\r\n');
  expect(lines[0]).toMatch(/^\ufeffName,Email,Company,Status,/);
  expect(lines[1]).toMatch(/^'=1\+1,ana@acme\.example,'-2,new,'@site,/);
  expect(lines[2]).toMatch(/^"Ana; ""B"", C",/);
  expect(lines).toHaveLength(10_000 + 3);
  expect(lines.at(-2)).toContain('Only the first 10,000 rows.');

  const portuguese = await served.get('/records/leads?format=csv&status=new', { 'Accept-Language': 'pt-PT' });
  const [head, first, second] = (await portuguese.text()).split('\r\n');
  expect(head).toMatch(/^Nome;Email;Empresa;/);
  expect(first).toContain(';02/03/2026 17:05');
  expect(second).toMatch(/^"Ana; ""B"", C";/);
});

test('events can be exported as CSV', async () => {
  const event = {
    id: 'evt_1',
    type: 'lead.created',
    created_at: '2026-03-02T14:05:00Z',
    data: { name: 'Ana' },
  };
  const feed: RequestListener = (_, outgoing) =>
    void outgoing.end(JSON.stringify({ data: [event], meta: { next_cursor: 'c', has_more: false } }));
  const served = await serveFor(client, await startDeployment(feed));
  const file = await served.get('/events?format=csv', { 'Accept-Language': 'en' });
  expect(file.headers.get('content-disposition')).toBe('attachment; filename="events.csv"');
  expect((await file.text()).split('\r\n')[1]).toMatch(/^lead\.created,Ana,/);
});
