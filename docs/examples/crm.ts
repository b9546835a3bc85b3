// A two-way sync between a CRM and Placar: contacts go out as leads by the CRM's own ids, what changes there comes back by
// webhook, and by the event feed what came while nobody listened. Node 20, no packages. The CRM is a map here; in earnest
// it is your database.
import { createHmac, randomBytes, randomUUID, timingSafeEqual } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';

const stack = JSON.parse(readFileSync(process.env.PLACAR_STACK ?? '.local/stack.json', 'utf8'));
const ORIGIN = 'crm-example';
const PER_PAGE = 100;
const HAPPENINGS = ['created', 'updated', 'status_changed', 'converted', 'merged', 'deleted'];
const EVENTS = HAPPENINGS.map((happening) => `lead.${happening}`);

interface Lead {
  id: string;
  external_id: string | null;
  name: string;
  email: string;
  phone: string | null;
  updated_at: string;
}

interface LeadEvent {
  id: string;
  type: string;
  /** `merged_id` is the lead that became a part of this one. */
  data: Lead & { merged_id?: string };
  origin?: string;
}

interface Contact {
  name: string;
  email: string;
  phone: string | null;
  /** `updated_at` of the state that both sides have. */
  syncedAt?: string;
}

/** By the CRM's ids, which the leads have as `external_id`. */
const contacts = new Map<string, Contact>([
  ['crm-101', { name: 'Ana Prado', email: 'ana.prado@crm.example', phone: '+55 11 4000-0001' }],
  ['crm-102', { name: 'Without address', email: 'not an address', phone: null }],
  ['crm-103', { name: 'Rui Costa', email: 'rui.costa@crm.example', phone: null }],
]);
/** Up to where the feed was read. To be kept with the contacts. */
let cursor = '';
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

/** Sends a contact: makes the lead of this id, or changes it. One that has the e-mail already becomes this contact's. */
async function push(crmId: string, contact: Contact): Promise<string> {
  const { name, email, phone } = contact;
  let answer = await call('PUT', `/leads/external/${encodeURIComponent(crmId)}`, { name, email, phone });
  let outcome = answer.status === 201 ? 'created' : 'there already';
  if (answer.status === 409 && answer.error.existing_id) {
    outcome = 'adopted';
    answer = await call('PATCH', `/leads/${answer.error.existing_id}`, { name, phone, external_id: crmId });
  }
  if (answer.error) throw new Error(JSON.stringify(answer.error.details ?? answer.error.message));
  contact.syncedAt = answer.data.updated_at;
  return outcome;
}

/** Takes a lead's state over unless the CRM has it, or a later one. Times of Placar have one length: text compares them. */
async function take(lead: Lead): Promise<boolean> {
  const { external_id, name, email, phone, updated_at: syncedAt } = lead;
  const crmId = external_id ?? `crm-${randomUUID()}`;
  const contact = contacts.get(crmId);
  if (deleted.has(lead.id) || (contact?.syncedAt && syncedAt <= contact.syncedAt)) return false;
  contacts.set(crmId, { ...contact, name, email, phone, syncedAt });
  // It began in Placar: from here on it has the CRM's id, too. That is no change, and no event says so.
  if (external_id === null) await call('PATCH', `/leads/${lead.id}`, { external_id: crmId });
  return true;
}

/** Deals with an event, by whichever way it came, and says how. */
async function handle({ id, type, data, origin }: LeadEvent): Promise<string> {
  if (seen.has(id)) return 'seen';
  seen.add(id);
  if (data.merged_id !== undefined) deleted.add(data.merged_id);
  if (origin === ORIGIN) return 'our own';
  if (type !== 'lead.deleted') return (await take(data)) ? 'taken' : 'known already';
  deleted.add(data.id);
  if (data.external_id !== null) contacts.delete(data.external_id);
  return 'deleted';
}

/** A webhook. To be called after the answer 2xx. */
async function receive(secret: string, signature: string, body: string): Promise<string | undefined> {
  const expected = Buffer.from(`sha256=${createHmac('sha256', secret).update(body).digest('hex')}`);
  const given = Buffer.from(signature);
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) return undefined;
  const event: LeadEvent = JSON.parse(body);
  const outcome = await handle(event);
  if (outcome !== 'seen') console.log(`webhook  ${event.type} ${event.data.email}: ${outcome}`);
  return outcome;
}

/** Reads the feed from where it was left to the present end; where there is nothing yet, it waits for some seconds. */
async function catchUp(): Promise<void> {
  for (let more = true; more; ) {
    const query = new URLSearchParams({ after: cursor, types: EVENTS.join(','), wait: '10' });
    const { data, meta, error } = await call('GET', `/events?${query}`);
    // 410: nobody looked for a month. Then take the present cursor, and read and compare all.
    if (error) throw new Error(error.code);
    for (const event of data) {
      const outcome = await handle(event);
      if (outcome !== 'seen') console.log(`feed     ${event.type} ${event.data.email}: ${outcome}`);
    }
    cursor = meta.next_cursor;
    more = meta.has_more;
  }
}

/** All leads: once, in the beginning. What changes meanwhile is in the feed. */
async function readAll(): Promise<void> {
  let [after, taken] = ['1970-01-01T00:00:00Z', 0];
  for (let page = 1; ; ) {
    const query = { updated_after: after, sort: 'updated_at', per_page: `${PER_PAGE}`, page: `${page}` };
    const { data }: { data: Lead[] } = await call('GET', `/leads?${new URLSearchParams(query)}`);
    for (const lead of data) if (await take(lead)) taken += 1;
    if (data.length < PER_PAGE) break;
    // From here on, not from the next page: a lead that changes meanwhile moves to the end, and others move up a page.
    const last = data.at(-1)?.updated_at ?? '';
    const before = data.findLast((lead) => lead.updated_at < last);
    if (before) after = before.updated_at;
    page = before ? 1 : page + 1;
  }
  console.log(`read     ${taken} taken`);
}

/** The webhook, made once. Its secret belongs with the program's settings; here each run sets another one. */
async function subscribe(url: string, secret: string): Promise<void> {
  const { data } = await call('GET', `/webhooks?per_page=${PER_PAGE}`);
  const known = data.find((webhook: { url: string }) => webhook.url === url);
  if (known) await call('PATCH', `/webhooks/${known.id}`, { secret, events: EVENTS, active: true });
  else await call('POST', '/webhooks', { url, secret, events: EVENTS });
}

// The present end of the feed comes first: what happens while all else is read comes after it.
cursor = (await call('GET', '/events?after=now')).meta.next_cursor;
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
await readAll();

/** A colleague changes Rui's phone in Placar. */
async function changeInPlacar(): Promise<string> {
  const phone = `+55 11 ${Date.now()}`;
  const { data } = await call('GET', '/leads/external/crm-103');
  await call('PATCH', `/leads/${data.id}`, { phone }, 'somebody-else');
  return phone;
}

const phone = await changeInPlacar();
// Locally the inbox receives; a program of yours listens itself, as docs/examples/verify-webhook.ts does.
const outcomes = new Set<string | undefined>();
for (let tries = 0; tries < 100 && !(outcomes.has('our own') && outcomes.has('taken')); tries++) {
  const response = await fetch(stack.inbox_url);
  const received: { path: string; headers: Record<string, string>; body: string }[] = await response.json();
  for (const { path, headers, body } of received.reverse()) {
    if (path === `/${ORIGIN}`)
      outcomes.add(await receive(secret, headers['x-service-signature'] ?? '', body));
  }
  await wait(100);
}
console.log(
  `phone    ${contacts.get('crm-103')?.phone === phone ? 'the same on both sides' : 'not here yet'}`,
);

// Another change, while nobody looks at the inbox. The feed has it, beside all that came by webhook.
const later = await changeInPlacar();
while (contacts.get('crm-103')?.phone !== later) await catchUp();
console.log('phone    the same again');
