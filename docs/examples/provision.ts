// Sets up a workspace with the admin API. It can run again: records that already match stay unchanged. Needs no packages.
//   PLACAR_BASE_URL, PLACAR_AUTH_URL  https://<ref>.supabase.co/functions/v1; locally from npm run -s env
//   PLACAR_CLIENT_ID, PLACAR_CLIENT_SECRET  a client with admin, manage:access and manage:payments
import { env } from 'node:process';

interface Reply<Data> {
  status: number;
  body: { data: Data; meta: { summary: string }; error?: { existing_id?: string } };
}

interface Client {
  client_id: string;
  label: string;
  state: string;
  client_secret?: string;
}

const credentials = new URLSearchParams({
  grant_type: 'client_credentials',
  client_id: env.PLACAR_CLIENT_ID ?? '',
  client_secret: env.PLACAR_CLIENT_SECRET ?? '',
});
const granted = await fetch(`${env.PLACAR_AUTH_URL}/oauth/token`, { method: 'POST', body: credentials });
const { access_token: token } = (await granted.json()) as { access_token?: string };

async function call<Data = unknown>(method: string, path: string, sent?: object): Promise<Reply<Data>> {
  const response = await fetch(`${env.PLACAR_BASE_URL}/v1/admin${path}`, {
    method,
    headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
    ...(sent && { body: JSON.stringify(sent) }),
  });
  return { status: response.status, body: (await response.json()) as Reply<Data>['body'] };
}

/** Prints what was done and returns the record. Throws the error of a request that failed. */
function report<Data>(path: string, { status, body }: Reply<Data>): Data {
  if (status >= 400) throw new Error(`${path}: ${JSON.stringify(body.error)}`);
  console.log(`${path}: ${body.meta.summary}`);
  return body.data;
}

/** Creates a record, or changes the one that has its name. */
async function ensure(path: string, record: object): Promise<void> {
  const made = await call('POST', path, record);
  const existing = made.body.error?.existing_id;
  report(path, existing ? await call('PATCH', `${path}/${existing}`, record) : made);
}

/** The same for credentials, whose labels can repeat. Returns the secret if they are created. */
async function ensureClient(client: { label: string; scopes: string[] }): Promise<string | undefined> {
  const { body } = await call<Client[]>(
    'GET',
    `/clients?per_page=100&search=${encodeURIComponent(client.label)}`,
  );
  const found = body.data.find(({ label, state }) => label === client.label && state === 'active');
  const written = found
    ? await call<Client>('PATCH', `/clients/${found.client_id}`, client)
    : await call<Client>('POST', '/clients', client);
  return report('/clients', written).client_secret;
}

report('/settings', await call('PATCH', '/settings', { time_zone: 'America/Sao_Paulo' }));
await ensure('/missions', { name: 'Demo given', points: 50, codes: ['501', '502'] });
report(
  '/point-rules',
  await call('PUT', '/point-rules', { event: 'deal.won', points: 100, max_per_day: 20 }),
);
await ensure('/tiers', { name: 'Gold', min_points: 1000 });
await ensure('/badges', { name: 'Closer', metric: 'deals_won', threshold: 10 });
await ensure('/seasons', { name: '2027 Q1', starts_at: '2027-01-01', ends_at: '2027-04-01' });
await ensure('/automations', {
  name: 'Reward large deals',
  event: 'deal.won',
  conditions: [{ field: 'value', op: 'gt', value: 5000 }],
  actions: [{ type: 'award_points', points: 10 }],
});
report('/payout-approval-rules', await call('PUT', '/payout-approval-rules', { above_amount: 100_000 }));
const secret = await ensureClient({ label: 'Data warehouse', scopes: ['read:leads', 'read:deals'] });
// The secret is in this response only: store it.
if (secret) console.log('A client was created.');
