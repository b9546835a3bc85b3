// Receives and verifies webhooks from Placar. Needs Node 20 or newer, no packages.
import { createHmac, timingSafeEqual } from 'node:crypto';
import { createServer } from 'node:http';

const TOLERANCE_SECONDS = 300;

function equal(a: string, b: string): boolean {
  const [left, right] = [Buffer.from(a), Buffer.from(b)];
  return left.length === right.length && timingSafeEqual(left, right);
}

/** Whether the `X-Pay-Signature` of payments is valid for the body and recent. During a secret rotation it contains two signatures. */
export function verifyPayment(secret: string, signature: string, body: Buffer): boolean {
  const parts = signature.split(',').map((part) => part.split('='));
  const timestamp = parts.find(([name]) => name === 't')?.[1] ?? '';
  if (!(Math.abs(Date.now() / 1000 - Number(timestamp)) <= TOLERANCE_SECONDS)) return false;
  const expected = createHmac('sha256', secret).update(`${timestamp}.`).update(body).digest('hex');
  return parts.some(([name, value = '']) => name === 'v1' && equal(value, expected));
}

/** Whether the `X-Service-Signature` of records is valid for the body. */
export function verifyRecord(secret: string, signature: string, body: Buffer): boolean {
  return equal(signature, `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`);
}

const { WEBHOOK_SECRET = '', PORT = '4000' } = process.env;
// In production, use a table with a unique id and write it in the same transaction as your work.
const done = new Set<string>();

const server = createServer(async (request, response) => {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  // Verify the raw bytes: parsing and serializing the body again can change them.
  const body = Buffer.concat(chunks);
  const header = (name: string) => String(request.headers[name] ?? '');

  const verified = header('x-pay-event')
    ? verifyPayment(WEBHOOK_SECRET, header('x-pay-signature'), body)
    : verifyRecord(WEBHOOK_SECRET, header('x-service-signature'), body);
  if (!verified) return response.writeHead(401).end();

  const delivery = header('x-pay-delivery') || header('x-service-delivery');
  const repeated = done.has(delivery);
  done.add(delivery);
  // Respond first and process later: after 10 seconds without a response, the delivery fails.
  response.writeHead(204).end();
  const event = JSON.parse(body.toString());
  console.log(repeated ? 'again' : 'verified', event.type, event.id, delivery);
});
server.on('error', (error) => {
  console.error(`${error.message}. Choose another port: PORT=4001`);
  process.exit(1);
});
server.listen(Number(PORT), '127.0.0.1', () =>
  console.log('listening on', (server.address() as { port: number }).port),
);
