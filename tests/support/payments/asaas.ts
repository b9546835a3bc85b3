/** The fake of Asaas in tests: one account, and requests with its key. */
import { saoPaulo } from '../../../local/providers/asaas/desk.ts';
import { type AccountOrder, type Asaas, startAsaas } from '../../../local/providers/asaas/index.ts';
import { WEBHOOK_EVENTS } from '../../../local/providers/asaas/webhooks.ts';
import { addDays } from '../../../local/providers/days.ts';
import type { Json } from './vendor-receiver.ts';

export interface Answer {
  status: number;
  headers: Headers;
  body: Json;
}

export interface AsaasClient {
  asaas: Asaas;
  account: { id: string; apiKey: string };
  call(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>;
  /** Sends a request, expects 200 and returns the body. */
  ok(method: string, path: string, body?: unknown): Promise<Json>;
  /** The date in São Paulo, this many days from now. */
  day(daysOn?: number): Promise<string>;
  customer(details?: object): Promise<Json>;
  /** A charge of R$ 100 by Pix, due in five days. */
  charge(details?: object): Promise<Json>;
}

/** Its clock is set to noon in São Paulo, and only the test advances it. */
export async function startAsaasForTest(order: AccountOrder = {}): Promise<AsaasClient> {
  const asaas = await startAsaas();
  await asaas.control.setFrozen(true);
  const tomorrow = addDays(saoPaulo.dayAt(Date.now()), 1);
  await asaas.control.advance({ to: `${tomorrow}T12:00:00-03:00` });
  return { asaas, ...(await asaasClient(asaas, order)) };
}

/** Creates an account in a running fake. */
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
    return addDays(saoPaulo.dayAt(Date.parse(now)), daysOn);
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

/** A token of the length that Asaas requires. */
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
