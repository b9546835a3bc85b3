// The TypeScript client verifies webhook signatures in all three forms, with the old and the new secret.
import { inspect } from 'node:util';
import { expect, inject, test } from 'vitest';
import {
  OptionsError,
  verifyWebhook,
  WebhookVerificationError,
} from '../../../clients/typescript/src/webhooks.ts';
import {
  asymmetricSignature,
  generateSecret,
  generateSigningKey,
  paySignature,
  serviceSignature,
  standardSignature,
} from '../../../shared/webhooks/delivery/signed-request.ts';
import { connect, createCredentials } from '../../support/clients/client.ts';
import { connectDatabase } from '../../support/database.ts';
import { waitFor } from '../../support/wait-for.ts';

const sql = connectDatabase();
const [old, fresh, wrong] = [generateSecret(), 'a secret of one’s own', generateSecret()];
const text = JSON.stringify({
  id: 'evt_1',
  type: 'lead.created',
  created_at: '',
  data: { email: 'é@x.example' },
});
const body = new TextEncoder().encode(text);
const now = () => Math.floor(Date.now() / 1000);

type Sign = (secrets: string[], at?: number) => Record<string, string>;
const pay: Sign = (secrets, at = now()) => ({ 'X-Pay-Signature': paySignature(secrets, at, body) });
const service: Sign = ([secret = '']) => ({ 'X-Service-Signature': serviceSignature(secret, body) });
const standard: Sign = (secrets, at = now()) => ({
  'webhook-id': 'whd_1',
  'webhook-timestamp': String(at),
  'webhook-signature': standardSignature(secrets, 'whd_1', at, body),
});

const request = (headers: Record<string, string>) =>
  new Request('http://x.example', { method: 'POST', headers, body });

const refusal = (headers: Record<string, string>, secret: string | string[], options = {}) =>
  verifyWebhook(request(headers), secret, options).then(
    () => 'taken',
    (error: unknown) => (error instanceof WebhookVerificationError ? error.code : error),
  );

test.each<[string, Sign]>([
  ['X-Pay-Signature', pay],
  ['X-Service-Signature', service],
  ['webhook-signature', standard],
])('%s, with either secret', async (name, sign) => {
  const untimed = { requireTimestamp: sign !== service };
  for (const secret of [old, fresh]) {
    expect(await verifyWebhook(request(sign([secret])), [old, fresh], untimed)).toMatchObject({
      id: 'evt_1',
    });
    // As Node provides them.
    const headers = Object.fromEntries(
      Object.entries(sign([secret])).map(([key, value]) => [key.toLowerCase(), value]),
    );
    for (const raw of [text, body, body.buffer]) {
      expect(await verifyWebhook({ headers, body: raw }, secret, untimed)).toMatchObject({
        type: 'lead.created',
      });
    }
  }
  expect(await refusal(sign([wrong]), [old, fresh], untimed)).toBe('signature_invalid');
  expect(await refusal({ ...sign([old]), [name]: 'x' }, old, untimed)).toBe('signature_invalid');
  const changed = { headers: sign([old]), body: text.replace('evt_1', 'evt_2') };
  await expect(verifyWebhook(changed, old, untimed)).rejects.toMatchObject({ code: 'signature_invalid' });
});

test('both secrets sign during a rotation, and each is sufficient', async () => {
  for (const sign of [pay, standard]) {
    for (const secret of [old, fresh]) {
      expect(await verifyWebhook(request(sign([fresh, old])), secret)).toMatchObject({ id: 'evt_1' });
    }
  }
});

test('rejects a stale, missing or changed timestamp', async () => {
  for (const sign of [pay, standard]) {
    for (const at of [now() - 310, now() + 310])
      expect(await refusal(sign([old], at), old)).toBe('timestamp_stale');
    expect(await refusal(sign([old], now() - 310), old, { toleranceSeconds: 600 })).toBe('taken');
  }
  const stale = standard([old], now() - 1000);
  expect(await refusal({ ...stale, 'webhook-timestamp': String(now()) }, old)).toBe('signature_invalid');
  // An attacker who replays an old delivery removes the headers that show its age.
  expect(await refusal(service([old]), old)).toBe('signature_missing');
  expect(await refusal({ ...service([old]), ...pay([old]) }, old)).toBe('taken');
});

test('every signature that is present must be valid, and at least one is required', async () => {
  expect(await refusal({ ...standard([old]), ...service([wrong]) }, old)).toBe('signature_invalid');
  expect(await refusal({}, old)).toBe('signature_missing');
  const error = await verifyWebhook(request(pay([wrong])), old).catch((failure: unknown) => failure);
  expect(inspect(error, { showHidden: true })).not.toContain(old);
});

test('throws instead of returning 401 for mistakes of the program: no secret, a parsed body', async () => {
  for (const secret of ['', [], [''], undefined as never]) {
    expect(await refusal(pay([old]), secret)).toBeInstanceOf(OptionsError);
  }
  for (const parsed of [JSON.parse(text), undefined]) {
    const call = verifyWebhook({ headers: service([old]), body: parsed }, old);
    await expect(call).rejects.toThrow(/^body must be the raw bytes/);
  }
});

test('with the public key, with and without the secret', async () => {
  const [key, other] = [generateSigningKey(), generateSigningKey()];
  const signed = (at = now()) => {
    const headers = standard([old], at);
    const v1a = asymmetricSignature(key.privateKey, 'whd_1', at, body);
    return { ...headers, 'webhook-signature': `${headers['webhook-signature']} ${v1a}` };
  };
  const unsigned = {
    ...signed(),
    'webhook-signature': asymmetricSignature(key.privateKey, 'whd_1', now(), body),
  };
  for (const given of [key.publicKey, [key.publicKey, other.publicKey]]) {
    for (const headers of [signed(), unsigned, { ...signed(), ...service([wrong]) }]) {
      expect(await verifyWebhook(request(headers), given)).toMatchObject({ id: 'evt_1' });
    }
  }
  expect(await refusal(signed(), [old, key.publicKey])).toBe('taken');
  expect(await refusal(signed(), old)).toBe('taken');
  // Every signature that a form verifies must be valid.
  for (const given of [
    other.publicKey,
    [old, other.publicKey],
    [wrong, key.publicKey],
    'whpk_',
    'whpk_AAAA',
    'whpk_x',
  ]) {
    expect(await refusal(signed(), given)).toBe('signature_invalid');
  }
  expect(await refusal(unsigned, [old, key.publicKey])).toBe('signature_invalid');
  expect(await refusal(standard([old]), key.publicKey)).toBe('signature_invalid');
  expect(await refusal({ ...pay([old]), ...service([old]) }, key.publicKey)).toBe('signature_missing');
  expect(await refusal(signed(now() - 310), key.publicKey)).toBe('timestamp_stale');
  const changed = { headers: signed(), body: text.replace('evt_1', 'evt_2') };
  await expect(verifyWebhook(changed, key.publicKey)).rejects.toMatchObject({ code: 'signature_invalid' });
});

interface Received {
  path: string;
  headers: Record<string, string>;
  body: string;
}

test('accepts deliveries of both interfaces from the stack', async () => {
  const credentials = await createCredentials(sql);
  const placar = connect(credentials);
  const path = `/client-${credentials.tenantId}`;
  const url = inject('stack').inbox_url + path;
  const received = async (type: string) => {
    const all: Received[] = await (await fetch(inject('stack').inbox_url)).json();
    return all.find((one) => one.path === path && one.body.includes(`"${type}"`));
  };
  const { secret = '' } = await placar.webhooks.create({ url, events: ['lead.created'], secret: 'generate' });
  await placar.leads.create({ name: 'Nina', email: 'nina@shop.example' }, { origin: 'crm' });
  const lead = await verifyWebhook(await waitFor(() => received('lead.created')), secret);
  if (lead.type !== 'lead.created') throw new Error(lead.type);
  expect([lead.data.email, lead.origin]).toEqual(['nina@shop.example', 'crm']);

  const [webhook] = await sql`
    select secret from admin.create_payment_webhook(${credentials.tenantId}, ${`${url}`}, array['invoice.paid'])`;
  const invoice = await placar.invoices.create({
    customer: { country: 'BR', name: 'Maria Silva', email: 'maria@example.com' },
    amount: 100,
    currency: 'BRL',
    description: 'x',
    payment_method: { type: 'pix' },
  });
  await placar.invoices.payInSandbox(invoice.id);
  const paid = await verifyWebhook(await waitFor(() => received('invoice.paid')), webhook?.secret);
  if (paid.type !== 'invoice.paid') throw new Error(paid.type);
  expect(paid.data.id).toBe(invoice.id);
});
