// A records client's knowledge of its leads and deals, based on the responses.
import type postgres from 'postgres';
import type { RunState } from './run-state.ts';

/** An acknowledged value, and other values that may have been written. */
export class Kept<T> {
  sure: T;
  readonly maybe = new Set<T>();
  constructor(value: T) {
    this.sure = value;
  }
  allows = (value: T): boolean => value === this.sure || this.maybe.has(value);
  rest(value: T): void {
    this.sure = value;
    this.maybe.clear();
  }
}

export interface Item {
  kind: 'leads' | 'deals';
  id: string;
  company: Kept<string | null>;
  status: Kept<string>;
  gone: Kept<boolean>;
}

export const isSurely = (kept: Kept<string>, value: string) => kept.sure === value && kept.maybe.size === 0;

export const describe = ({ kind, id, company, status, gone }: Item): string =>
  `${kind} ${id} (${[company, status, gone].map((one) => `${one.sure}|${[...one.maybe]}`).join('; ')})`;

export class RecordModel {
  readonly items: Item[] = [];
  /** Minimum and maximum number of records that may exist by name. */
  readonly created: { kind: Item['kind']; name: string; least: number; most: number }[] = [];
  /** Email addresses of users, and delivery ids. */
  readonly invited: string[] = [];
  readonly tested: string[] = [];

  /** Compares with the database once no work is pending, and adopts its state. */
  /**
   * @param auths databases of Auth: an invitation sent before a move exists only at the source, and at both if the worker was killed
   *   before it recorded that it was sent
   */
  async checkAtRest(
    sql: postgres.Sql,
    tenantId: string,
    state: RunState,
    auths: readonly postgres.Sql[],
  ): Promise<void> {
    await this.#checkItems(sql, tenantId, state);
    await this.#checkCreated(sql, tenantId, state);
    for (const email of this.invited.splice(0)) {
      const users = await sql`select from users where tenant_id = ${tenantId} and email = ${email}`;
      const accounts = await Promise.all(
        auths.map((auth) => auth`select from auth.users where email = ${email}`),
      );
      const isThere =
        users.length === 1 &&
        accounts.some(({ length }) => length === 1) &&
        accounts.every(({ length }) => length < 2);
      state.check(
        isThere,
        () =>
          `${email} was invited: ${users.length} users, and ${accounts.map(({ length }) => length)} in Auth`,
      );
    }
    for (const id of this.tested.splice(0)) {
      const there = await sql`select from webhook_deliveries where tenant_id = ${tenantId} and id = ${id}`;
      state.check(there.length === 1, () => `the test ${id} of a webhook is not there`);
    }
  }

  async #checkItems(sql: postgres.Sql, tenantId: string, state: RunState): Promise<void> {
    const rows = await sql`
      select id::text, company, status from leads where tenant_id = ${tenantId}
      union all select id::text, company, status from deals where tenant_id = ${tenantId}`;
    const byId = new Map(rows.map((row) => [row.id as string, row]));
    for (const item of this.items.splice(0)) {
      const row = byId.get(item.id);
      const { gone, company, status } = item;
      state.check(gone.allows(row === undefined), () => `${describe(item)} is ${row ? 'there' : 'gone'}`);
      if (!row) continue;
      const right = company.allows(row.company) && status.allows(row.status);
      state.check(right, () => `${describe(item)} is ${JSON.stringify(row)}`);
      gone.rest(false);
      company.rest(row.company);
      status.rest(row.status);
      this.items.push(item);
    }
  }

  async #checkCreated(sql: postgres.Sql, tenantId: string, state: RunState): Promise<void> {
    const events = await sql`
      select type, data ->> 'name' as name, count(*)::integer as n from events
      where tenant_id = ${tenantId} and type in ('lead.created', 'deal.created') and data ->> 'lead_id' is null
      group by 1, 2`;
    const made = new Map(events.map(({ type, name, n }) => [`${type} ${name}`, n as number]));
    for (const { kind, name, least, most } of this.created.splice(0)) {
      const n = made.get(`${kind === 'leads' ? 'lead' : 'deal'}.created ${name}`) ?? 0;
      const right = n >= least && n <= most;
      state.check(right, () => `${kind} ${name} was made ${n} times, not ${least} to ${most}`);
    }
  }
}
