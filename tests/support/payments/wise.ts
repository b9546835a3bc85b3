/** The Wise emulator in tests: one account, requests with its token, and the steps of a payout. */
import { randomUUID } from 'node:crypto';
import type { AccountOrder, CreatedAccount } from '../../../local/providers/wise/control.ts';
import { startWise, type Wise, type WiseOptions } from '../../../local/providers/wise/index.ts';
import type { Answer } from './asaas.ts';
import type { Json } from './vendor-receiver.ts';

/** The API version of requests whose path has none. */
export const QUARTER = '/2026Q3';

export interface WiseClient {
  wise: Wise;
  account: CreatedAccount;
  /** Paths begin with a version, or with the part after `/2026Q3`. */
  call(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>;
  /** Sends a request, expects a 2xx and returns the body. */
  ok(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Json>;
  /** A quote of the business profile. Default: EUR 100 to EUR, for the beneficiary. */
  quote(details?: object): Promise<Json>;
  recipient(order?: object): Promise<Json>;
  patch(quote: string, change: object): Promise<Answer>;
  /** A transfer that is not funded yet, of a quote that pays from the balance. */
  transfer(details?: { quote?: object; recipient?: object; order?: object }): Promise<Json>;
  fund(transfer: number): Promise<Answer>;
  state(transfer: number): Promise<string>;
  /** The balance in units of its currency. */
  balance(currency: string): Promise<number>;
}

/** Its clock is set to noon tomorrow, and only the test advances it. */
export async function startWiseForTest(
  options: WiseOptions = {},
  order: AccountOrder = {},
): Promise<WiseClient> {
  const wise = await startWise(options);
  await wise.control.setFrozen(true);
  const tomorrow = new Date(Date.now() + 24 * 60 * 60_000).toISOString().slice(0, 10);
  await wise.control.advance({ to: `${tomorrow}T12:00:00Z` });
  return { wise, ...(await wiseClient(wise, order)) };
}

/** Valid recipients by type. */
export const RECIPIENTS = {
  EUR: {
    accountHolderName: 'Ann Lee',
    currency: 'EUR',
    type: 'iban',
    details: { legalType: 'PRIVATE', IBAN: 'DE89370400440532013000' },
  },
  GBP: {
    accountHolderName: 'Ann Lee',
    currency: 'GBP',
    type: 'sort_code',
    details: { legalType: 'PRIVATE', sortCode: '231470', accountNumber: '28821822' },
  },
  GBP_IBAN: {
    accountHolderName: 'Ann Lee',
    currency: 'GBP',
    type: 'iban',
    details: { legalType: 'PRIVATE', IBAN: 'GB33BUKB20201555555555' },
  },
  USD: {
    accountHolderName: 'Ann Lee',
    currency: 'USD',
    type: 'aba',
    details: {
      legalType: 'PRIVATE',
      abartn: '111000025',
      accountNumber: '12345678',
      accountType: 'CHECKING',
      address: {
        country: 'US',
        city: 'Phoenix',
        state: 'AZ',
        firstLine: '45 Sunflower Ave',
        postCode: '10025',
      },
    },
  },
  USD_SWIFT: {
    accountHolderName: 'Ann Lee',
    currency: 'USD',
    type: 'swift_code',
    details: {
      legalType: 'PRIVATE',
      swiftCode: 'BUKBGB22',
      accountNumber: 'GB33BUKB20201555555555',
      address: { country: 'GB', city: 'London', firstLine: '1 High Street', postCode: 'E1 6AN' },
    },
  },
  BRL: {
    accountHolderName: 'Ana Lima',
    currency: 'BRL',
    type: 'brazil',
    details: {
      legalType: 'PRIVATE',
      bankCode: '218',
      branchCode: '1234',
      accountNumber: '12345678-9',
      accountType: 'CHECKING',
      cpf: '249.715.637-92',
      phoneNumber: '+55 21 5555 5555',
    },
  },
  CAD: {
    accountHolderName: 'Ann Lee',
    currency: 'CAD',
    type: 'canadian',
    details: {
      legalType: 'PRIVATE',
      institutionNumber: '006',
      transitNumber: '04841',
      accountNumber: '3456712',
      accountType: 'Checking',
    },
  },
  AUD: {
    accountHolderName: 'Acme',
    currency: 'AUD',
    type: 'australian',
    details: {
      legalType: 'BUSINESS',
      bsbCode: '023604',
      accountNumber: '123456789',
      businessNumber: '12 345 678 91',
    },
  },
  MXN: {
    accountHolderName: 'Ana Lima',
    currency: 'MXN',
    type: 'mexican',
    details: { legalType: 'PRIVATE', clabe: '032180000118359719' },
  },
  INR: {
    accountHolderName: 'Asha Rao',
    currency: 'INR',
    type: 'indian',
    details: { legalType: 'PRIVATE', ifscCode: 'YESB0236041', accountNumber: '678911234567891' },
  },
  JPY: {
    accountHolderName: 'Aiko Sato',
    currency: 'JPY',
    type: 'japanese',
    details: {
      legalType: 'PRIVATE',
      bankCode: '0005',
      branchCode: '084',
      accountNumber: '1234567',
      accountType: 'SAVING',
    },
  },
} as const;

/** Creates an account in a running emulator. */
export async function wiseClient(wise: Wise, order: AccountOrder = {}): Promise<Omit<WiseClient, 'wise'>> {
  const account = await wise.control.createAccount(order);
  const call: WiseClient['call'] = async (method, path, body, headers = {}) => {
    const versioned = /^\/(v\d|20\d\dQ\d)\//.test(path) ? path : `${QUARTER}${path}`;
    const response = await fetch(`${wise.url}${versioned}`, {
      method,
      headers: { authorization: `Bearer ${account.token}`, 'content-type': 'application/json', ...headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    return {
      status: response.status,
      headers: response.headers,
      body: text === '' ? undefined : JSON.parse(text),
    };
  };
  const ok: WiseClient['ok'] = async (method, path, body, headers) => {
    const answer = await call(method, path, body, headers);
    if (answer.status > 299)
      throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
    return answer.body;
  };
  const profile = `/profiles/${account.profile}`;
  const quote = (details: object = {}) =>
    ok('POST', `${profile}/quotes`, {
      sourceCurrency: 'EUR',
      targetCurrency: 'EUR',
      ...('sourceAmount' in details ? {} : { targetAmount: 100 }),
      preferredPayIn: 'BALANCE',
      ...details,
    });
  const recipient = (details: object = RECIPIENTS.EUR) =>
    ok('POST', '/accounts', { profile: account.profile, ...details });
  const patch = (id: string, change: object) =>
    call('PATCH', `${profile}/quotes/${id}`, change, { 'content-type': 'application/merge-patch+json' });
  return {
    account,
    call,
    ok,
    quote,
    recipient,
    patch,
    async transfer({ quote: quoteDetails = {}, recipient: recipientOrder, order: details = {} } = {}) {
      const { id: targetAccount } = await recipient(recipientOrder);
      const { id } = await quote(quoteDetails);
      const patched = await patch(id, { targetAccount });
      if (patched.status !== 200) throw new Error(`the quote answered ${JSON.stringify(patched.body)}`);
      return ok('POST', '/transfers', {
        targetAccount,
        quoteUuid: id,
        customerTransactionId: randomUUID(),
        details: { reference: 'PO 1' },
        ...details,
      });
    },
    fund: (transfer) => call('POST', `${profile}/transfers/${transfer}/payments`, { type: 'BALANCE' }),
    state: async (transfer) => (await ok('GET', `/transfers/${transfer}`)).status,
    async balance(currency) {
      const balances: Json[] = await ok('GET', `${profile}/balances?types=STANDARD`);
      return balances.find((balance) => balance.currency === currency)?.amount.value;
    },
  };
}

/** The payment option of a quote for its pay-in method. */
export const optionOf = (quote: Json, payIn: 'BALANCE' | 'BANK_TRANSFER' = 'BALANCE'): Json =>
  quote.paymentOptions.find((option: Json) => option.payIn === payIn && option.payOut === quote.payOut);
