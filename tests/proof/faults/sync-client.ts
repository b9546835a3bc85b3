// A CRM that reports activities: batches with duplicates, each sent until its outcome is known.
import { setTimeout as pause } from 'node:timers/promises';
import type postgres from 'postgres';
import { activity, collaborator } from '../../support/gamification/sync.ts';
import { type Answer, type Caller, sendUntilClear, signed } from './call.ts';
import type { Random } from './random.ts';
import type { RunState } from './run-state.ts';
import type { ProofTenant } from './tenant.ts';

const TARGET = '/default-integration';
const PEOPLE = 5;

export class SyncClient {
  /** Recorded ids, from acknowledged batches; an abandoned batch is recorded completely or not at all. */
  readonly #recorded = new Set<string>();
  readonly #uncertain: string[][] = [];
  readonly #never: string[] = [];
  readonly #names = new Map<string, Set<string>>();
  #made = 0;
  readonly #name: string;
  readonly #tenant: ProofTenant;
  readonly #caller: Caller;
  readonly #state: RunState;
  readonly #random: Random;

  constructor(name: string, tenant: ProofTenant, caller: Caller, state: RunState, random: Random) {
    this.#name = name;
    this.#tenant = tenant;
    this.#caller = caller;
    this.#state = state;
    this.#random = random;
  }

  async setUp(): Promise<void> {
    const outcome = await this.#send({
      action: 'sync_collaborators',
      collaborators: Array.from({ length: PEOPLE }, (_, i) => collaborator(this.#person(i))),
    });
    if (outcome.answer?.status !== 200) throw new Error('no collaborators');
  }

  async one(): Promise<void> {
    await (this.#random.chance(0.15) ? this.#rename() : this.#report());
    await pause(this.#random.between(50, 250));
  }

  async #report(): Promise<void> {
    const random = this.#random;
    const fresh = Array.from({ length: random.between(1, 25) }, () => `${this.#name}-${this.#made++}`);
    const known = [...this.#recorded].slice(-50);
    const again =
      known.length > 0 ? Array.from({ length: random.between(0, 5) }, () => random.pick(known)) : [];
    const activities = [...fresh, ...again].map((id) =>
      activity(id, `${this.#person(Number(id.split('-').at(-1)) % PEOPLE)}@example.com`, {
        // The data of an id does not change when it is sent again.
        activity_code: Number(id.split('-').at(-1)) % 4 === 0 ? '002' : '001',
      }),
    );
    const { answer, unclear } = await this.#send({ action: 'sync_activities', activities }, 0.08);
    if (!answer) {
      if (unclear > 0) this.#uncertain.push(fresh);
      else this.#never.push(...fresh);
      return;
    }
    const told = answer.body?.data ?? {};
    const { processed, duplicates, skipped, total } = told;
    const whole = processed === fresh.length && duplicates === again.length;
    const before = unclear > 0 && processed === 0 && duplicates === fresh.length + again.length;
    this.#state.check(
      answer.status === 200 && (whole || before) && skipped === 0 && total === activities.length,
      () => `sync of ${fresh.length}+${again.length} after ${unclear} unclear: ${this.#tell(answer)}`,
    );
    for (const id of fresh) this.#recorded.add(id);
  }

  async #rename(): Promise<void> {
    const person = this.#person(this.#random.between(0, PEOPLE - 1));
    const name = `${person} ${this.#made++}`;
    const item = { ...collaborator(person), name };
    const { answer, unclear } = await this.#send(
      { action: 'sync_collaborators', collaborators: [item] },
      0.05,
    );
    const may = this.#names.get(person) ?? new Set([person]);
    if (answer) {
      this.#state.check(answer.status === 200 && answer.body?.data?.existing === 1, () => this.#tell(answer));
      if (unclear === 0) may.clear();
    }
    if (answer || unclear > 0) may.add(name);
    this.#names.set(person, may);
  }

  #send(body: unknown, givesUp = 0) {
    const text = JSON.stringify(body);
    const request = () => ({
      door: 'sync' as const,
      method: 'POST',
      target: TARGET,
      body: text,
      headers: this.#random.chance(0.3)
        ? { Authorization: `Bearer ${this.#tenant.apiKey}` }
        : signed(this.#tenant.apiKey, 'POST', TARGET, text),
    });
    return sendUntilClear(this.#caller, request, this.#random, givesUp);
  }

  /** Compares with the database once no work is pending. */
  async checkAtRest(sql: postgres.Sql): Promise<void> {
    const rows = await sql`
      select external_id from activities where tenant_id = ${this.#tenant.id} and external_id like ${`${this.#name}-%`}`;
    const stored = new Set(rows.map(({ external_id: id }) => id as string));
    const missing = [...this.#recorded].filter((id) => !stored.has(id));
    this.#state.check(missing.length === 0, () => `acknowledged activities are lost: ${missing.slice(0, 5)}`);
    for (const batch of this.#uncertain.splice(0)) {
      const there = batch.filter((id) => stored.has(id));
      this.#state.check(
        there.length === 0 || there.length === batch.length,
        () => `of a batch of ${batch.length} there are ${there.length}`,
      );
      for (const id of there) this.#recorded.add(id);
    }
    const untrue = this.#never.filter((id) => stored.has(id));
    this.#state.check(untrue.length === 0, () => `"nothing was done", and it was: ${untrue.slice(0, 5)}`);
    this.#state.check(
      stored.size === this.#recorded.size,
      () => `${this.#name}: more activities than were sent`,
    );
    for (const [person, may] of this.#names) {
      const [row] = await sql`
        select name from collaborators where tenant_id = ${this.#tenant.id} and email = ${`${person}@example.com`}`;
      this.#state.check(may.has(row?.name), () => `${person} is called ${row?.name}, of ${[...may]}`);
      this.#names.set(person, new Set([row?.name]));
    }
  }

  #person = (i: number): string => `${this.#name}-p${i}`;
  #tell = ({ status, body }: Answer): string => `${status} ${JSON.stringify(body)}`;
}
