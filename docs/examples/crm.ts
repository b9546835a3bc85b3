// A two-way sync between a CRM and Placar: contacts go out as leads, what changes there comes back by webhook, and a poll
// catches what webhooks missed. Node 20, no packages. The CRM is a map here; in earnest it is your database.
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';

const stack = JSON.parse(readFileSync(process.env.PLACAR_STACK ?? '.local/stack.json', 'utf8'));
const ORIGIN = 'crm-example';
const PER_PAGE = 100;
const OVERLAP_MS = 60_000;

interface Lead {
  id: string;
  name: string;
  email: string;
  phone: string | null;
  custom_fields: Record<string, unknown>;
  updated_at: string;
}

interface Contact {
  name: string;
  email: string;
  phone: string | null;
  /** The lead that it is in Placar, and `updated_at` of the state that both sides have. */
  leadId?: string;
  syncedAt?: string;
}

const contacts = new Map<string, Contact>([
  ['crm-101', { name: 'Ana Prado', email: 'ana.prado@crm.example', phone: '+55 11 4000-0001' }],
  ['crm-102', { name: 'Without address', email: 'not an address', phone: null }],
  ['crm-103', { name: 'Rui Costa', email: 'rui.costa@crm.example', phone: null }],
]);
/** Up to where changes were read. To be kept with the contacts. */
let readUpTo = '1970-01-01T00:00:00.000000Z';
/** Events that were dealt with. To be kept for a day at least: retries go on for 15 hours. */
const seen = new Set<string>();
/** Leads that were deleted: an earlier event of one may come later. */
const deleted = new Set<string>();

let token = { value: '', renewAt: 0 };

async function accessToken(): Promise<string> {
  if (Date.now() < token.renewAt) return token.value;
  const { client_id, client_secret } = stack;
  const response = await fetch(`${stack.auth_url}/oauth/token`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ grant_type: 'client_credentials', client_id, client_secret }),
  });
  const answer = await response.json();
  if (!response.ok) throw new Error(`No token: ${answer.error_description}`);
  token = { value: answer.access_token, renewAt: Date.now() + (answer.expires_in - 60) * 1000 };
  return token.value;
}

/** One request, repeated while the service asks for patience. `origin` comes back in the events that it causes. */
async function call(method: string, path: string, body?: unknown, origin = ORIGIN) {
  for (let attempt = 1; ; attempt++) {
    const response = await fetch(`${stack.base_url}/v1${path}`, {
      method,
      headers: {
        Authorization: `Bearer ${await accessToken()}`,
        'X-Origin': origin,
        ...(body !== undefined && { 'Content-Type': 'application/json' }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const { status, headers } = response;
    if (status === 401 && attempt === 1) {
      token.renewAt = 0;
    } else if ((status === 429 || status >= 500) && attempt < 6) {
      await wait(Number(headers.get('Retry-After') ?? 2 ** attempt) * 1000);
    } else {
      return { status, ...(status !== 204 && (await response.json())) };
    }
  }
}

/** Sends a contact. A lead that has the e-mail already becomes this contact's. */
async function push(crmId: string, contact: Contact): Promise<string> {
  const { name, email, phone, leadId } = contact;
  let outcome = leadId ? 'changed' : 'created';
  let answer = leadId
    ? await call('PATCH', `/leads/${leadId}`, { name, email, phone })
    : await call('POST', '/leads', { name, email, phone, custom_fields: { crm_id: crmId } });
  if (!leadId && answer.status === 409) {
    outcome = 'adopted';
    const { data: lead } = await call('GET', `/leads/${answer.error.existing_id}`);
    // custom_fields is replaced whole, so what others keep there goes along.
    const custom_fields = { ...lead.custom_fields, crm_id: crmId };
    answer = await call('PATCH', `/leads/${lead.id}`, { name, phone, custom_fields });
  }
  if (answer.error) throw new Error(JSON.stringify(answer.error.details));
  contact.leadId = answer.data.id;
  contact.syncedAt = answer.data.updated_at;
  return outcome;
}

/** Takes a lead's state over unless the CRM has it, or a later one. Times of Placar have one length: text compares them. */
function take(lead: Lead): boolean {
  const crmId = String(lead.custom_fields.crm_id ?? lead.id);
  const contact = contacts.get(crmId);
  if (deleted.has(lead.id) || (contact?.syncedAt && lead.updated_at <= contact.syncedAt)) return false;
  const { name, email, phone, id: leadId, updated_at: syncedAt } = lead;
  contacts.set(crmId, { ...contact, name, email, phone, leadId, syncedAt });
  return true;
}

/** Deals with what a webhook brought and says how. To be called after the answer 2xx. */
function receive(secret: string, signature: string, body: string): string | undefined {
  const expected = Buffer.from(`sha256=${createHmac('sha256', secret).update(body).digest('hex')}`);
  const given = Buffer.from(signature);
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) return undefined;
  const { id, type, data, origin } = JSON.parse(body);
  if (seen.has(id)) return undefined;
  seen.add(id);
  if (type === 'lead.deleted') {
    deleted.add(data.id);
    contacts.delete(String(data.custom_fields.crm_id ?? data.id));
  }
  if (type === 'lead.merged') {
    deleted.add(data.merged_id);
    for (const contact of contacts.values()) if (contact.leadId === data.merged_id) contact.leadId = data.id;
  }
  const outcome = origin === ORIGIN ? 'our own' : take(data) ? 'taken' : 'known already';
  console.log(`webhook  ${type} ${data.email}: ${outcome}`);
  return outcome;
}

/** Reads what changed since the last time, and a little before: a change can become visible after a later one. */
async function poll(): Promise<void> {
  let after = new Date(Date.parse(readUpTo) - OVERLAP_MS).toISOString();
  let taken = 0;
  for (let page = 1; ; ) {
    const query = { updated_after: after, sort: 'updated_at', per_page: `${PER_PAGE}`, page: `${page}` };
    const { data }: { data: Lead[] } = await call('GET', `/leads?${new URLSearchParams(query)}`);
    taken += data.filter(take).length;
    const last = data.at(-1)?.updated_at ?? readUpTo;
    if (last > readUpTo) readUpTo = last;
    if (data.length < PER_PAGE) break;
    // From here on, not from the next page: a lead that changes meanwhile moves to the end, and others move up a page.
    const before = data.findLast((lead) => lead.updated_at < last);
    if (before) after = before.updated_at;
    page = before ? 1 : page + 1;
  }
  console.log(`polled   ${taken} taken, read up to ${readUpTo}`);
}

/** The webhook, made once. Its secret belongs with the program's settings; here each run sets another one. */
async function subscribe(url: string, secret: string): Promise<void> {
  const happenings = ['created', 'updated', 'status_changed', 'converted', 'merged', 'deleted'];
  const events = happenings.map((happening) => `lead.${happening}`);
  const { data } = await call('GET', `/webhooks?per_page=${PER_PAGE}`);
  const known = data.find((webhook: { url: string }) => webhook.url === url);
  if (known) await call('PATCH', `/webhooks/${known.id}`, { secret, events, active: true });
  else await call('POST', '/webhooks', { url, secret, events });
}

const secret = `whsec_${randomBytes(24).toString('base64')}`;
await subscribe(`${stack.inbox_url}/${ORIGIN}`, secret);

for (const [crmId, contact] of contacts) {
  try {
    console.log(`pushed   ${contact.email}: ${await push(crmId, contact)}`);
  } catch (error) {
    // One that cannot be sent is reported, and does not hold up the others.
    console.log(`failed   ${contact.email}: ${(error as Error).message}`);
  }
}

// Meanwhile a colleague changes the phone in Placar.
const phone = `+55 11 ${Date.now()}`;
await call('PATCH', `/leads/${contacts.get('crm-103')?.leadId}`, { phone }, 'somebody-else');

// Locally the inbox receives; a program of yours listens itself, as docs/examples/verify-webhook.ts does.
const outcomes = new Set<string | undefined>();
for (let tries = 0; tries < 100 && !(outcomes.has('our own') && outcomes.has('taken')); tries++) {
  const response = await fetch(stack.inbox_url);
  const received: { path: string; headers: Record<string, string>; body: string }[] = await response.json();
  for (const { path, headers, body } of received.reverse()) {
    if (path === `/${ORIGIN}`) outcomes.add(receive(secret, headers['x-service-signature'] ?? '', body));
  }
  await wait(100);
}
const arrived = contacts.get('crm-103')?.phone === phone;
console.log(`phone    ${arrived ? 'the same on both sides' : 'not here yet'}`);

await poll();
