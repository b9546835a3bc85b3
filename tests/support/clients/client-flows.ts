// A program that uses the TypeScript client. Each runtime runs it in an empty project: the main flows, and their results.
import { Placar, type PlacarError, verifyWebhook } from 'placar';

const { PLACAR_URL: url = '', PLACAR_API_KEY, PLACAR_CLIENT_ID, PLACAR_CLIENT_SECRET } = process.env;
const settings = {
  url,
  apiKey: PLACAR_API_KEY,
  clientId: PLACAR_CLIENT_ID,
  clientSecret: PLACAR_CLIENT_SECRET,
};
const placar = new Placar({ ...settings, retryDelayMs: 10 });

await placar.collaborators.sync([{ external_id: '1', name: 'Ana', email: 'ana@example.com' }]);
const result = await placar.activities.sync(
  Array.from({ length: 2500 }, (_, index) => ({
    activity_code: '001',
    external_id: `a-${index}`,
    collaborator_email: index === 2400 ? 'nobody@example.com' : 'ana@example.com',
  })),
);

await placar.invoices.create({
  customer: { country: 'BR', name: 'Maria Silva', email: 'maria@example.com' },
  amount: 100,
  currency: 'BRL',
  description: 'Consulta – José',
  payment_method: { type: 'pix' },
});

const leads: string[] = [];
for (const name of ['Ana', 'Bia', 'Caio']) await placar.leads.create({ name, email: `${name}@shop.example` });
for await (const lead of placar.leads.list({ per_page: 1, sort: 'name' })) leads.push(lead.name);

const body = JSON.stringify({ id: 'evt_1', type: 'invoice.paid', data: {} });
const bytes = (text: string) => new TextEncoder().encode(text);
const hmac = { name: 'HMAC', hash: 'SHA-256' };
const key = await crypto.subtle.importKey('raw', bytes('secret'), hmac, false, ['sign']);
const signedAt = Math.floor(Date.now() / 1000);
const mac = new Uint8Array(await crypto.subtle.sign('HMAC', key, bytes(`${signedAt}.${body}`)));
const hex = Array.from(mac, (byte) => byte.toString(16).padStart(2, '0')).join('');
const request = () =>
  new Request('http://x.example', {
    method: 'POST',
    body,
    headers: { 'X-Pay-Signature': `t=${signedAt},v1=${hex}` },
  });

const failure = (call: Promise<unknown>) =>
  call.then(
    () => undefined,
    (error: PlacarError) => error,
  );
const silent: typeof fetch = (_, init) =>
  new Promise((_resolve, reject) =>
    init?.signal?.addEventListener('abort', () => reject(new Error('ended'))),
  );
const slow = new Placar({ ...settings, fetch: silent, timeoutMs: 20, maxRetries: 1, retryDelayMs: 1 });
const controller = new AbortController();
const waiting = failure(slow.balance({ signal: controller.signal, timeoutMs: 60_000 }));
controller.abort(new Error('enough'));

const said = {
  sync: { total: result.total, skipped: result.skipped_items.map(({ index }) => index) },
  invoices: (await placar.invoices.list().toArray()).length,
  leads,
  event: (await verifyWebhook(request(), ['other', 'secret'])).type,
  refused: (await failure(verifyWebhook(request(), 'other')))?.code,
  timeout: (await failure(slow.balance()))?.code,
  aborted: (await waiting)?.message,
};
console.log(JSON.stringify(said));
