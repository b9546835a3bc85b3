// The orders of the sandbox: taking one, as its amount says, and moving it from state to state.
import { type Database, WORKER_SESSION } from '../../../platform/db/database.ts';
import type { Queue } from '../../../platform/jobs/publish.ts';
import { collectNewJobs } from '../../../platform/jobs/transaction-with-jobs.ts';
import type { Logger } from '../../../platform/logging/logger.ts';
import { waitUntil } from '../../../platform/wait-until.ts';
import { ProviderRefusal, ProviderSilence } from '../provider.ts';
import {
  acceptOrder,
  changeOrder,
  findCheckout,
  findOrder,
  type NewOrder,
  type OrderKind,
  type OrderRow,
  type Settling,
  scheduleSettling,
} from './queries.ts';
import { hasRule } from './rules.ts';

const SLOW_MS = 3000;

export interface SandboxDependencies {
  database: Database;
  /** Publishes what the sandbox will do later. */
  queue: Queue;
  log: Logger;
}

export interface SandboxOrders {
  /** Takes an order by the rules of its amount, and schedules what will become of it. */
  place(order: NewOrder, settlings: readonly Settling[]): Promise<OrderRow>;
  /** Takes an order, whatever its amount. */
  record(order: NewOrder): Promise<void>;
  find(kind: OrderKind, reference: string): Promise<OrderRow | undefined>;
  /** Gives the order when it was in one of the states. With `tellAfterSeconds` it is told of then, whoever dies until then. */
  change(
    kind: OrderKind,
    reference: string,
    from: readonly string[],
    to: string,
    tellAfterSeconds?: number,
  ): Promise<OrderRow | undefined>;
  /** Whether there is a card charge by this id of the sandbox's own. */
  hasCheckout(providerId: string): Promise<boolean>;
}

export function createSandboxOrders({ database, queue, log }: SandboxDependencies): SandboxOrders {
  return {
    async place(order, settlings) {
      const { amountMinor } = order;
      if (hasRule(amountMinor, 'refuse'))
        throw new ProviderRefusal('The sandbox refuses amounts ending in 13.');
      if (hasRule(amountMinor, 'slowBefore')) await pause();
      const { rows, jobs } = await collectNewJobs(
        (build) => database.transaction(WORKER_SESSION, build),
        (sql) => ({
          order: acceptOrder(sql, order),
          settlings: settlings.map((one) => scheduleSettling(sql, order, one)),
        }),
      );
      waitUntil(() => queue.publish(jobs, log));
      const [row] = rows.order;
      if (!row) throw new ProviderSilence('The sandbox lost an order.');
      if (row.is_new && hasRule(amountMinor, 'silentOnce'))
        throw new ProviderSilence('The sandbox took the order and said nothing.');
      if (row.is_new && hasRule(amountMinor, 'slowAfter')) await pause();
      return row;
    },
    async record(order) {
      await database.transaction(WORKER_SESSION, (sql) => acceptOrder(sql, order));
    },
    async find(kind, reference) {
      const [row] = await database.transaction(WORKER_SESSION, (sql) => findOrder(sql, kind, reference));
      return row;
    },
    async change(kind, reference, from, to, tellAfterSeconds) {
      const told = tellAfterSeconds === undefined ? [] : [{ to, afterSeconds: tellAfterSeconds }];
      const changed = await database.transaction(WORKER_SESSION, (sql) => ({
        order: changeOrder(sql, kind, reference, from, to),
        settlings: told.map((one) => scheduleSettling(sql, { kind, reference }, one)),
      }));
      return changed.order[0];
    },
    async hasCheckout(providerId) {
      const [row] = await database.transaction(WORKER_SESSION, (sql) => findCheckout(sql, providerId));
      return row?.found ?? false;
    },
  };
}

const pause = () => new Promise((resolve) => setTimeout(resolve, SLOW_MS));
