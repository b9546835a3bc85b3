/** The emulator of Asaas as a test uses it: one account, calls with its key, and a server that its webhooks reach. */
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { saoPaulo } from '../../local/providers/asaas/calendar.ts';
import type { AccountOrder, CreatedAccount } from '../../local/providers/asaas/control.ts';
import { type Asaas, type AsaasOptions, startAsaas } from '../../local/providers/asaas/index.ts';
import { WEBHOOK_EVENTS } from '../../local/providers/asaas/webhook-events.ts';
import { addDays } from '../../local/providers/days.ts';

/** A body of the wire, of which a test looks at what it is about. */
// biome-ignore lint/suspicious/noExplicitAny: answers are checked by expectations
export type Json = any;

export interface Answer {
  status: number;
  headers: Headers;
  body: Json;
}

export interface AsaasClient {
  asaas: Asaas;
  account: CreatedAccount;
  call(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>;
  /** Calls, expects 200 and answers the body. */
  ok(method: string, path: string, body?: unknown): Promise<Json>;
  /** The day that it is in São Paulo, some days on. */
  day(daysOn?: number): Promise<string>;
  customer(details?: object): Promise<Json>;
  /** A charge of R$ 100 by Pix, due in five days. */
  charge(details?: object): Promise<Json>;
}

/** Its clock stands at noon of São Paulo and is moved by the test alone. */
export async function startAsaasForTest(
  options: AsaasOptions = {},
  order: AccountOrder = {},
): Promise<AsaasClient> {
  const asaas = await startAsaas(options);
  await asaas.control.stand(true);
  const tomorrow = addDays(saoPaulo.dayAt(Date.now()), 1);
  await asaas.control.advance({ to: `${tomorrow}T12:00:00-03:00` });
  return { asaas, ...(await asaasClient(asaas, order)) };
}

/** An account of its own at an emulator that runs. */
export async function asaasClient(
  asaas: Asaas,
  order: AccountOrder = {},
): Promise<Omit<AsaasClient, 'asaas'>> {
  const account = await asaas.control.createAccount(order);
  const call: AsaasClient['call'] = async (method, path, body, headers = {}) => {
    const response = await fetch(`${asaas.url}${path}`, {
      method,
      headers: {
        access_token: account.apiKey,
        'user-agent': 'placar-tests',
        'content-type': 'application/json',
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    return {
      status: response.status,
      headers: response.headers,
      body: text === '' ? undefined : JSON.parse(text),
    };
  };
  const ok: AsaasClient['ok'] = async (method, path, body) => {
    const answer = await call(method, path, body);
    if (answer.status !== 200)
      throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
    return answer.body;
  };
  const day = async (daysOn = 0) => {
    const now = await asaas.control.now();
    return addDays(saoPaulo.dayAt(now.getTime()), daysOn);
  };
  let customerId: string | undefined;
  const customer = (details: object = {}) =>
    ok('POST', '/customers', { name: 'Ana Lima', cpfCnpj: '24971563792', ...details });
  return {
    account,
    call,
    ok,
    day,
    customer,
    async charge(details = {}) {
      customerId ??= (await customer()).id as string;
      const order = {
        customer: customerId,
        billingType: 'PIX',
        value: 100,
        dueDate: await day(5),
        ...details,
      };
      return ok('POST', '/payments', order);
    },
  };
}

export interface Received {
  path: string;
  headers: IncomingMessage['headers'];
  /** As it came: what a signature is of. */
  raw: string;
  body: Json;
}

export interface Receiver {
  url: string;
  received: Received[];
  /** What is answered from here on; the default is 200. */
  answer: (request: Received) => { status: number; body?: unknown; headers?: Record<string, string> };
  events(): string[];
  close(): void;
}

export async function startReceiver(): Promise<Receiver> {
  const received: Received[] = [];
  const receiver: Receiver = {
    url: '',
    received,
    answer: () => ({ status: 200 }),
    events: () => received.map(({ body }) => body.event as string),
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const raw = Buffer.concat(chunks).toString();
      const taken = { path: request.url ?? '', headers: request.headers, raw, body: JSON.parse(raw) };
      received.push(taken);
      const { status, body: answer, headers } = receiver.answer(taken);
      response.writeHead(status, { 'content-type': 'application/json', ...headers });
      response.end(answer === undefined ? '' : JSON.stringify(answer));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()));
  // A server that listens on a port has this form of address.
  receiver.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return receiver;
}

/** A token as long as Asaas wants it. */
export const TOKEN = 'whk_0123456789abcdef0123456789abcdef';

export const webhookOrder = (url: string, change: object = {}) => ({
  name: 'Placar',
  url,
  email: 'ops@demo.example',
  enabled: true,
  interrupted: false,
  apiVersion: 3,
  authToken: TOKEN,
  sendType: 'SEQUENTIALLY',
  events: [...WEBHOOK_EVENTS],
  ...change,
});
