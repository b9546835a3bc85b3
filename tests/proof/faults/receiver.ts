// A webhook receiver of a tenant: stores requests, checks signatures, and responds as configured.
import { createHmac, timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { Webhook } from 'standardwebhooks';
import { LOOPBACK, listen } from '../../../local/ports.ts';

export interface Arrival {
  /** Delivery id. */
  delivery: string;
  event: string;
  body: string;
}

export interface Receiver {
  url: string;
  mode: 'fine' | 'slow' | 'failing' | 'hanging up' | 'breaking off';
  /** Secrets by path. */
  secrets: Map<string, string>;
  /** Received requests, and those that got 200, by delivery. */
  arrivals: Map<string, Arrival>;
  accepted: Set<string>;
  /** Total number of requests, including retries. */
  requests: number;
  /** Errors in requests. */
  faults: string[];
  close(): void;
}

const isEqual = (a: string, b: string) =>
  a.length === b.length && timingSafeEqual(Buffer.from(a), Buffer.from(b));

function checkSignatures(secret: string, headers: IncomingHttpHeaders, body: string): string | undefined {
  const own = headers['x-pay-signature'] ?? headers['x-service-signature'] ?? '';
  const hmac = (text: string) => createHmac('sha256', secret).update(text).digest('hex');
  const [, t = '', v1 = ''] = /^t=(\d+),v1=([0-9a-f]{64})$/.exec(String(own)) ?? [];
  const right = v1 ? isEqual(v1, hmac(`${t}.${body}`)) : isEqual(String(own), `sha256=${hmac(body)}`);
  if (!right) return `the signature ${own} is wrong`;
  try {
    new Webhook(secret).verify(body, headers as Record<string, string>);
  } catch (error) {
    return String(error);
  }
  return undefined;
}

export async function startReceiver(): Promise<Receiver> {
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    try {
      for await (const chunk of request) chunks.push(chunk);
    } catch {
      return;
    }
    receiver.requests++;
    const body = Buffer.concat(chunks).toString();
    const length = Number(request.headers['content-length'] ?? -1);
    // The request was cut off; a real receiver would never see it.
    if (length >= 0 && length !== Buffer.byteLength(body)) return void response.destroy();
    if (receiver.mode === 'hanging up') return void response.destroy();
    const delivery = keep(request.url ?? '', request.headers, body);
    if (receiver.mode === 'failing') return void response.writeHead(500).end('no');
    if (receiver.mode === 'breaking off') {
      response.writeHead(200, { 'content-length': '100' });
      response.write('x');
      await pause(20);
      return void response.destroy();
    }
    if (receiver.mode === 'slow') await pause(3000);
    receiver.accepted.add(delivery);
    response.end('ok');
  });
  const keep = (path: string, headers: IncomingHttpHeaders, body: string) => {
    const secret = receiver.secrets.get(path);
    const wrong = secret === undefined ? `nobody is at ${path}` : checkSignatures(secret, headers, body);
    const delivery = String(headers['webhook-id']);
    const { id: event } = JSON.parse(body) as { id: string };
    const before = receiver.arrivals.get(delivery);
    if (wrong) receiver.faults.push(`${delivery}: ${wrong}`);
    if (before && before.body !== body) receiver.faults.push(`${delivery} came with two bodies`);
    receiver.arrivals.set(delivery, { delivery, event, body });
    return delivery;
  };
  const receiver: Receiver = {
    url: `http://${LOOPBACK}:${await listen(server)}`,
    mode: 'fine',
    secrets: new Map(),
    arrivals: new Map(),
    accepted: new Set(),
    requests: 0,
    faults: [],
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
  return receiver;
}
