// Reads the event feed of records page by page, and compares it with the stored events: each event once, in feed order.
import { setTimeout as pause } from 'node:timers/promises';
import type postgres from 'postgres';
import { waitFor } from '../../support/wait-for.ts';
import type { Caller } from './call.ts';
import type { Random } from './random.ts';
import { RecordSession } from './record-session.ts';
import type { RunState } from './run-state.ts';
import type { ProofTenant } from './tenant.ts';

export class FeedClient {
  #cursor: string | undefined;
  readonly #read: string[] = [];
  readonly #tenant: ProofTenant;
  readonly #session: RecordSession;
  readonly #state: RunState;
  readonly #random: Random;

  constructor(tenant: ProofTenant, caller: Caller, state: RunState, random: Random) {
    this.#tenant = tenant;
    this.#session = new RecordSession(tenant, caller, state, random);
    this.#state = state;
    this.#random = random;
  }

  async one(): Promise<void> {
    await this.#readPage();
    await pause(this.#random.between(100, 1000));
  }

  /** Returns whether there are more events. */
  async #readPage(): Promise<boolean> {
    const after = this.#cursor === undefined ? '' : `&after=${encodeURIComponent(this.#cursor)}`;
    const { answer } = await this.#session.call(
      'GET',
      `/events?limit=${this.#random.between(1, 200)}${after}`,
    );
    const right = answer?.status === 200;
    this.#state.check(right, () => `GET /events: ${answer?.status} ${JSON.stringify(answer?.body)}`);
    if (!right) return false;
    const { data, meta } = answer.body;
    for (const { id } of data) this.#read.push(id);
    this.#cursor = meta.next_cursor ?? this.#cursor;
    return meta.has_more;
  }

  async checkAtRest(sql: postgres.Sql): Promise<void> {
    const [all] = await sql`
      select count(*)::integer as n from events
      where tenant_id = ${this.#tenant.id} and interface = 'records' and type <> 'webhook.test'`;
    // An event enters the feed once no older transaction of the database is open.
    const isRead = await waitFor(async () => {
      while (await this.#readPage());
      return this.#read.length >= all?.n;
    }).then(
      () => true,
      () => false,
    );
    this.#state.check(isRead, () => `of ${all?.n} events the feed gave ${this.#read.length}`);
    const rows = await sql`
      select e.id from event_positions p
      join events e on e.tenant_id = p.tenant_id and e.sequence = p.sequence
      where p.tenant_id = ${this.#tenant.id} and p.interface = 'records'
      order by p.position`;
    const differs = rows.findIndex(({ id }, index) => this.#read[index] !== id);
    this.#state.check(
      differs === -1 && rows.length === this.#read.length,
      () =>
        `event ${differs} of ${rows.length} in the feed is not the one that was read, of ${this.#read.length}`,
    );
  }
}
