// An order of payments in a function of the test's own, stopped at the wire to its database at the exchange that is named.
import type postgres from 'postgres';
import { expect } from 'vitest';
import { noteUse, type Tenant } from '../database.ts';
import { startOwnFunction } from '../functions.ts';
import type { Reply } from '../gamification/sync.ts';
import { waitFor } from '../wait-for.ts';
import { wireToDatabase } from '../wire/network-waits.ts';
import type { Gates, PostgresWire } from '../wire/postgres-wire.ts';
import { createPayTenant } from './payment-flows.ts';
import { invoice, pay, pixPayout } from './payments.ts';

export type OrderKind = 'invoices' | 'payouts';

export const orderBody = (kind: OrderKind, amount = 10000) =>
  kind === 'invoices' ? invoice({ amount }) : pixPayout({ amount });

/** Exchanges of an order with the database, after its key's and the claim; the sandbox's memory is there too. */
export const PROVIDER = 3;
export const OUTCOME = 4;

export interface Stopped {
  tenant: Tenant;
  key: string;
  body: unknown;
  wire: PostgresWire;
  /** Its answer, or undefined when it was cut off. */
  sending: Promise<Reply | undefined>;
  crash(): void;
}

/** Sends to a function of the test's own and waits until it has come to the last exchange that its gates let it begin. */
async function stopAt(sql: postgres.Sql, kind: OrderKind, exchange: number, gates: Gates): Promise<Stopped> {
  const { wire, env } = await wireToDatabase();
  const { baseUrl, edge } = await startOwnFunction('payments', env);
  // Its connection is made and its statements are prepared, so that the exchanges are those named above.
  const { apiKey } = await createPayTenant(sql);
  expect((await pay(apiKey, `/${kind}`, orderBody(kind), { baseUrl })).status).toBe(201);

  const tenant = await createPayTenant(sql);
  await noteUse(sql, tenant);
  const [key, body] = [crypto.randomUUID(), orderBody(kind)];
  wire.watch(gates);
  const sending = pay(tenant.apiKey, `/${kind}`, body, { key, baseUrl }).catch(() => undefined);
  await waitFor(() => wire.asked() === exchange);
  return { tenant, key, body, wire, sending, crash: () => edge.crash() };
}

/** One that has not yet begun this exchange, and goes on when its wire is opened. */
export const stopBefore = (sql: postgres.Sql, kind: OrderKind, exchange: number) =>
  stopAt(sql, kind, exchange, { ask: (nth) => nth < exchange });

/** One whose exchange the database has been asked and answers, and which hears nothing of it. */
export const stopAnswer = (sql: postgres.Sql, kind: OrderKind, exchange: number) =>
  stopAt(sql, kind, exchange, { answer: (nth) => nth < exchange });
