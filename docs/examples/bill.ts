// Creates a PIX invoice on the local stack, pays it, and shows its ledger entry and webhook. Needs Node 20, no packages.
import { createHash, createHmac, randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';

const stack = JSON.parse(readFileSync(process.env.PLACAR_STACK ?? '.local/stack.json', 'utf8'));

async function call(method: string, path: string, body?: unknown) {
  const target = `/payments${path}`;
  const text = body === undefined ? '' : JSON.stringify(body);
  const timestamp = Math.floor(Date.now() / 1000).toString();
  const digest = createHash('sha256').update(text).digest('hex');
  const message = [timestamp, method, target, digest].join('\n');
  const signature = createHmac('sha256', stack.api_key).update(message).digest('hex');
  const response = await fetch(`${stack.base_url}/functions/v1${target}`, {
    method,
    headers: {
      Authorization: `SVC-SIGN-V1 ${stack.api_key}:${timestamp}:${signature}`,
      ...(method === 'POST' && { 'Content-Type': 'application/json', 'Idempotency-Key': randomUUID() }),
    },
    ...(text && { body: text }),
  });
  const answer = await response.json();
  if (!response.ok) throw new Error(JSON.stringify(answer));
  return answer;
}

// One-time setup of the webhook. The response contains the signing secret: store it in your program's settings.
const url = `${stack.inbox_url}/bill-example`;
const { data: webhooks } = await call('GET', '/webhooks?limit=100');
if (!webhooks.some((webhook: { url: string }) => webhook.url === url))
  await call('POST', '/webhooks', { url });

const invoice = await call('POST', '/invoices', {
  customer: { country: 'BR', tax_id: '52998224725', name: 'Maria Silva', email: 'maria@example.com' },
  amount: 12345,
  currency: 'BRL',
  description: 'Consulting, May',
  payment_method: { type: 'pix' },
});
console.log(
  `${invoice.our_number} is ${invoice.status}; the payer pastes\n  ${invoice.payment_method.pix.qr_code}`,
);

const paid = await call('POST', `/sandbox/invoices/${invoice.id}/pay`, {});
console.log(`${paid.our_number} is ${paid.status}`);

const { data: entries } = await call('GET', `/balance-transactions?source=${invoice.id}`);
console.log('Ledger:', entries[0]);

for (let tries = 0; tries < 100; tries++) {
  const received = await (await fetch(stack.inbox_url)).json();
  const webhook = received.find(({ body }: { body: string }) => body.includes(invoice.id));
  if (webhook) {
    const { type, data } = JSON.parse(webhook.body);
    console.log(
      `Webhook: ${type}, ${data.id} is ${data.status}, signed ${webhook.headers['x-pay-signature']}`,
    );
    break;
  }
  await new Promise((resolve) => setTimeout(resolve, 100));
}
