// A request to a separate payments function, stopped at a given exchange with its database.
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

/** Exchanges of a request with the database, after those of its API key and the claim. The memory of the sandbox is in the database too. */
export const PROVIDER = 3;
export const OUTCOME = 4;

export interface Stopped {
  tenant: Tenant;
  key: string;
  body: unknown;
  wire: PostgresWire;
  /** Its response, or undefined if the connection was closed. */
  sending: Promise<Reply | undefined>;
  crash(): void;
}

/** Sends a request to the function and waits until it reaches the last exchange that its gates allow. */
async function stopAt(sql: postgres.Sql, kind: OrderKind, exchange: number, gates: Gates): Promise<Stopped> {
  const { wire, env } = await wireToDatabase();
  const { baseUrl, edge } = await startOwnFunction('payments', env);
  // The connection exists and the statements are prepared, so that the exchanges are those named above.
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

/** Stops before this exchange, and continues when its proxy is opened. */
export const stopBefore = (sql: postgres.Sql, kind: OrderKind, exchange: number) =>
  stopAt(sql, kind, exchange, { ask: (nth) => nth < exchange });

/** Stops when the database has executed this exchange, before the function receives the response. */
export const stopAnswer = (sql: postgres.Sql, kind: OrderKind, exchange: number) =>
  stopAt(sql, kind, exchange, { answer: (nth) => nth < exchange });
