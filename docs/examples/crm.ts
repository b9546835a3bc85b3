// Two-way sync between a CRM and Placar: contacts are sent as leads with the CRM's own ids, and changes in Placar arrive by webhook, or
// by the event feed after downtime. Needs Node 20, no packages. The CRM is a map here; use your database instead.
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
  /** `merged_id` is the lead that was merged into this one. */
  data: Lead & { merged_id?: string };
  origin?: string;
}

interface Contact {
  name: string;
  email: string;
  phone: string | null;
  /** `updated_at` of the last synced state. */
  syncedAt?: string;
}

/** By the CRM's ids, which are the `external_id` of the leads. */
const contacts = new Map<string, Contact>([
  ['crm-101', { name: 'Ana Prado', email: 'ana.prado@crm.example', phone: '+55 11 4000-0001' }],
  ['crm-102', { name: 'Without address', email: 'not an address', phone: null }],
  ['crm-103', { name: 'Rui Costa', email: 'rui.costa@crm.example', phone: null }],
]);
/** Position in the event feed. Store it with the contacts. */
let cursor = '';
/** Ids of processed events. Keep them for at least a day: deliveries are retried for 15 hours. */
const seen = new Set<string>();
/** Deleted leads: an earlier event of one may arrive late. */
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

/** Sends a request and retries it on 429 and 5xx. The events that it causes contain `origin`. */
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

/** Creates or updates the contact's lead. If another lead has the email, it is linked to this contact. */
async function push(crmId: string, contact: Contact): Promise<string> {
  const { name, email, phone } = contact;
  let answer = await call('PUT', `/leads/external/${encodeURIComponent(crmId)}`, { name, email, phone });
  let outcome = answer.status === 201 ? 'created' : 'updated';
  if (answer.status === 409 && answer.error.existing_id) {
    outcome = 'linked';
    answer = await call('PATCH', `/leads/${answer.error.existing_id}`, { name, phone, external_id: crmId });
  }
  if (answer.error) throw new Error(JSON.stringify(answer.error.details ?? answer.error.message));
  contact.syncedAt = answer.data.updated_at;
  return outcome;
}

/** Stores the lead in the CRM unless the CRM has this or a later state. Placar's times can be compared as strings. */
async function store(lead: Lead): Promise<boolean> {
  const { external_id, name, email, phone, updated_at: syncedAt } = lead;
  const crmId = external_id ?? `crm-${randomUUID()}`;
  const contact = contacts.get(crmId);
  if (deleted.has(lead.id) || (contact?.syncedAt && syncedAt <= contact.syncedAt)) return false;
  contacts.set(crmId, { ...contact, name, email, phone, syncedAt });
  // The lead was created in Placar, so it gets the CRM's id. Setting it emits no event.
  if (external_id === null) await call('PATCH', `/leads/${lead.id}`, { external_id: crmId });
  return true;
}

/** Processes an event from a webhook or the feed, and returns the outcome. */
async function handle({ id, type, data, origin }: LeadEvent): Promise<string> {
  if (seen.has(id)) return 'seen';
  seen.add(id);
  if (data.merged_id !== undefined) deleted.add(data.merged_id);
  if (origin === ORIGIN) return 'own change';
  if (type !== 'lead.deleted') return (await store(data)) ? 'stored' : 'already up to date';
  deleted.add(data.id);
  if (data.external_id !== null) contacts.delete(data.external_id);
  return 'deleted';
}

/** Processes a webhook delivery. Call it after responding with a 2xx. */
async function receive(secret: string, signature: string, body: string): Promise<string | undefined> {
  const expected = Buffer.from(`sha256=${createHmac('sha256', secret).update(body).digest('hex')}`);
  const given = Buffer.from(signature);
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) return undefined;
  const event: LeadEvent = JSON.parse(body);
  const outcome = await handle(event);
  if (outcome !== 'seen') console.log(`webhook  ${event.type} ${event.data.email}: ${outcome}`);
  return outcome;
}

/** Reads the feed from the cursor to its end. If there are no new events, it waits up to 10 seconds for one. */
async function catchUp(): Promise<void> {
  for (let more = true; more; ) {
    const query = new URLSearchParams({ after: cursor, types: EVENTS.join(','), wait: '10' });
    const { data, meta, error } = await call('GET', `/events?${query}`);
    // After a 410, the cursor is older than 30 days: get a new cursor and compare all leads.
    if (error) throw new Error(error.code);
    for (const event of data) {
      const outcome = await handle(event);
      if (outcome !== 'seen') console.log(`feed     ${event.type} ${event.data.email}: ${outcome}`);
    }
    cursor = meta.next_cursor;
    more = meta.has_more;
  }
}

/** Reads all leads once, at the start. The feed contains later changes. */
async function readAll(): Promise<void> {
  let [after, stored] = ['1970-01-01T00:00:00Z', 0];
  for (let page = 1; ; ) {
    const query = { updated_after: after, sort: 'updated_at', per_page: `${PER_PAGE}`, page: `${page}` };
    const { data }: { data: Lead[] } = await call('GET', `/leads?${new URLSearchParams(query)}`);
    for (const lead of data) if (await store(lead)) stored += 1;
    if (data.length < PER_PAGE) break;
    // Continue by time, not by page: a lead that changes moves to the end, and the leads after it move up.
    const last = data.at(-1)?.updated_at ?? '';
    const before = data.findLast((lead) => lead.updated_at < last);
    if (before) after = before.updated_at;
    page = before ? 1 : page + 1;
  }
  console.log(`read     leads stored: ${stored}`);
}

/** Creates the webhook once. Store its secret in your settings; this example sets a new one on each run. */
async function subscribe(url: string, secret: string): Promise<void> {
  const { data } = await call('GET', `/webhooks?per_page=${PER_PAGE}`);
  const known = data.find((webhook: { url: string }) => webhook.url === url);
  if (known) await call('PATCH', `/webhooks/${known.id}`, { secret, events: EVENTS, active: true });
  else await call('POST', '/webhooks', { url, secret, events: EVENTS });
}

// Get the cursor before reading anything else, so that the feed contains everything that changes in the meantime.
cursor = (await call('GET', '/events?after=now')).meta.next_cursor;
const secret = `whsec_${randomBytes(24).toString('base64')}`;
await subscribe(`${stack.inbox_url}/${ORIGIN}`, secret);

for (const [crmId, contact] of contacts) {
  try {
    console.log(`pushed   ${contact.email}: ${await push(crmId, contact)}`);
  } catch (error) {
    // A contact that cannot be sent does not stop the others.
    console.log(`failed   ${contact.email}: ${(error as Error).message}`);
  }
}
await readAll();

/** A colleague changes Rui's phone in Placar. */
async function changeInPlacar(): Promise<string> {
  const phone = `+55 11 ${Date.now()}`;
  const { data } = await call('GET', '/leads/external/crm-103');
  await call('PATCH', `/leads/${data.id}`, { phone }, 'someone-else');
  return phone;
}

const phone = await changeInPlacar();
// The local stack's inbox receives the webhooks here. Your program runs its own server, as in docs/examples/verify-webhook.ts.
const outcomes = new Set<string | undefined>();
for (let tries = 0; tries < 100 && !(outcomes.has('own change') && outcomes.has('stored')); tries++) {
  const response = await fetch(stack.inbox_url);
  const received: { path: string; headers: Record<string, string>; body: string }[] = await response.json();
  for (const { path, headers, body } of received.reverse()) {
    if (path === `/${ORIGIN}`)
      outcomes.add(await receive(secret, headers['x-service-signature'] ?? '', body));
  }
  await wait(100);
}
console.log(
  `phone    ${contacts.get('crm-103')?.phone === phone ? 'the same on both sides' : 'not synced yet'}`,
);

// This change is read from the feed, which also contains the events that arrived by webhook.
const later = await changeInPlacar();
while (contacts.get('crm-103')?.phone !== later) await catchUp();
console.log('phone    the same on both sides again');
