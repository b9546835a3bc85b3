/** Shared services of the emulator: clock, ids, balances and statements. */
import { generateKeyPairSync } from 'node:crypto';
import type { ProviderKit } from '../old/provider-server.ts';
import { notFound, problem } from './errors.ts';
import { emitBalanceChange } from './events.ts';
import type { Account, Balance, Entry, Profile } from './state.ts';

/** First id of each kind, so that ids of different kinds never match. Transfer ids need more than 31 bits. */
const FIRST_IDS = {
  user: 5_000_000,
  profile: 30_000_000,
  balance: 64_000_000,
  recipient: 700_000_000,
  payment: 900_000_000,
  transfer: 2_200_000_000,
};

export type NewEntry = Pick<Entry, 'amount' | 'type' | 'description' | 'referenceNumber'> &
  Partial<Pick<Entry, 'fee' | 'recipient' | 'paymentReference' | 'exchange'>>;

export interface WiseServices {
  kit: ProviderKit<Account>;
  now(): number;
  newId(kind: keyof typeof FIRST_IDS): number;
  accountOf(id: string): Account;
  /** Adds an entry to the statement of a balance and sends its event. */
  enter(account: Account, profile: Profile, balance: Balance, entry: NewEntry): Entry;
  /** PEM of the event signing keys. */
  keys(): { privateKey: string; publicKey: string };
}

/** The balance in minor units. */
export const amountOf = ({ entries }: Balance): number => entries.at(-1)?.running ?? 0;

export const balanceIn = ({ balances }: Profile, currency: string): Balance | undefined =>
  balances.find((balance) => balance.currency === currency);

export function profileOf(account: Account, id: number): Profile {
  const profile = account.profiles.find((candidate) => candidate.id === id);
  if (profile === undefined) throw problem(404, 'profile.not-found', 'Profile not found');
  return profile;
}

export function createWiseServices(kit: ProviderKit<Account>): WiseServices {
  const now = () => kit.scheduler.now();
  const services: WiseServices = {
    kit,
    now,
    newId: (kind) => FIRST_IDS[kind] + kit.nextNumber(),
    accountOf(id) {
      const account = kit.state.accounts[id];
      if (account === undefined) throw notFound('account.not-found', 'Account not found');
      return account;
    },
    enter(account, profile, balance, { amount, ...entry }) {
      const entered: Entry = {
        fee: 0,
        recipient: null,
        paymentReference: null,
        exchange: null,
        ...entry,
        number: kit.nextNumber(),
        atMs: now(),
        amount,
        running: amountOf(balance) + amount,
      };
      balance.entries.push(entered);
      emitBalanceChange(services, account, profile, balance, entered);
      return entered;
    },
    keys() {
      const { keys } = kit.state;
      if (keys.public === undefined || keys.private === undefined) {
        const pair = generateKeyPairSync('rsa', {
          modulusLength: 2048,
          publicKeyEncoding: { type: 'spki', format: 'pem' },
          privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
        });
        keys.public = pair.publicKey;
        keys.private = pair.privateKey;
      }
      return { publicKey: keys.public, privateKey: keys.private };
    },
  };
  return services;
}

/** Opens a balance unless the profile has one in the currency. */
export function openBalance(services: WiseServices, profile: Profile, currency: string): Balance {
  const known = balanceIn(profile, currency);
  if (known !== undefined) return known;
  const balance: Balance = {
    id: services.newId('balance'),
    currency,
    createdAtMs: services.now(),
    entries: [],
  };
  profile.balances.push(balance);
  return balance;
}

/** Adds money from outside. */
export function addMoney(
  services: WiseServices,
  account: Account,
  profile: Profile,
  currency: string,
  amount: number,
) {
  const balance = openBalance(services, profile, currency);
  const entry = services.enter(account, profile, balance, {
    amount,
    type: 'MONEY_ADDED',
    description: 'Topped up account',
    referenceNumber: `TRANSFER-${services.newId('transfer')}`,
  });
  return { balance, entry };
}
