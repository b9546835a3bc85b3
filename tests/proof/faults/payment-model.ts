// A payments client's knowledge of its invoices and payouts, based on the responses.
import type postgres from 'postgres';
import { invoiceTransitions } from '../../../shared/payments/invoices/states.ts';
import { payoutTransitions } from '../../../shared/payments/payouts/states.ts';
import type { RunState } from './run-state.ts';

/** Outcome of the requests of one kind for a resource: whether one succeeded, and whether one may have succeeded. */
interface Asked {
  ok: boolean;
  maybe: boolean;
}

export interface Thing {
  id: string;
  kind: 'invoices' | 'payouts';
  /** The last state that the client saw. */
  seen: string;
  /** The final state if no request changes the resource. */
  ends: 'open' | 'failed' | 'paid';
  /** Requests to the resource, except reads. */
  touched: number;
  pay: Asked;
  cancel: Asked;
}

type Known = Pick<Thing, 'id' | 'kind' | 'seen' | 'ends'>;

/** An order that its client abandoned; `unclear` attempts may have had an effect. */
interface GivenUp extends Pick<Thing, 'kind' | 'ends'> {
  key: string;
  unclear: number;
}

type Transitions = Readonly<Record<string, readonly string[]>>;

export const life: Readonly<Record<Thing['kind'], Transitions>> = {
  invoices: invoiceTransitions,
  payouts: payoutTransitions,
};

/** Whether a resource can get from one state to the other. */
export function reaches(transitions: Transitions, from: string, to: string): boolean {
  return from === to || (transitions[from] ?? []).some((next) => reaches(transitions, next, to));
}

export class PaymentModel {
  readonly things: Thing[] = [];
  readonly #givenUp: GivenUp[] = [];
  /** Ids by the keys that created them, since the last check. */
  readonly #orders = new Map<string, string>();

  add(key: string, known: Known): Thing {
    const none = () => ({ ok: false, maybe: false });
    const thing = { ...known, touched: 0, pay: none(), cancel: none() };
    this.things.push(thing);
    this.#orders.set(key, known.id);
    return thing;
  }

  giveUp(order: GivenUp): void {
    this.#givenUp.push(order);
  }

  /** Compares with the database once no work is pending, and adopts its state. */
  async checkAtRest(sql: postgres.Sql, tenantId: string, state: RunState): Promise<void> {
    const keyed = async (key: string) =>
      (
        await sql`
          select resource_id as id, response_status as status from idempotency_keys
          where tenant_id = ${tenantId} and key = ${key}`
      )[0];
    for (const { key, kind, unclear, ends } of this.#givenUp.splice(0)) {
      const row = await keyed(key);
      state.check(unclear > 0 || !row, () => `"nothing was done" with ${key}, but it was started`);
      // Orders that were created despite an unclear outcome are tracked from here on.
      const seen = kind === 'invoices' ? 'open' : 'created';
      if (row?.status === 201) this.add(key, { id: row.id, kind, seen, ends });
    }
    for (const [key, id] of this.#orders) {
      const row = await keyed(key);
      const right = row?.id === id && row?.status === 201;
      state.check(right, () => `the key of ${id} has ${JSON.stringify(row)}`);
    }
    this.#orders.clear();
    const rows = await sql`
      select id, status from invoices where tenant_id = ${tenantId}
      union all select id, status from payouts where tenant_id = ${tenantId}`;
    const statuses = new Map(rows.map(({ id, status }) => [id, status as string]));
    for (const thing of this.things) {
      const status = statuses.get(thing.id) ?? 'gone';
      state.check(allowed(thing).includes(status), () => `${status} now: ${JSON.stringify(thing)}`);
      const legal = reaches(life[thing.kind], thing.seen, status);
      state.check(legal, () => `seen ${thing.seen}, ${status} now: ${thing.id}`);
      const { pay, cancel, ends } = thing;
      pay.ok ||= pay.maybe && status === 'paid' && ends !== 'paid';
      cancel.ok ||= cancel.maybe && status === 'canceled';
      [pay.maybe, cancel.maybe] = [false, false];
    }
  }
}

/** The possible states once no work is pending. */
function allowed({ ends, pay, cancel }: Thing): string[] {
  if (pay.ok) return ['paid'];
  if (cancel.ok) return ['canceled'];
  return [ends, ...(pay.maybe ? ['paid'] : []), ...(cancel.maybe ? ['canceled'] : [])];
}
