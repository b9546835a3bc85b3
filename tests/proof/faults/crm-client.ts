// People at a company's Pipedrive and admins of its tenant, who change the same contacts and deals while webhooks are lost, answers are
// cut off and limits are hit. At
// rest, both sides must be equal, and nothing may have happened twice.
import { setTimeout as pause } from 'node:timers/promises';
import type postgres from 'postgres';
import type { Pipedrive } from '../../../local/crms/pipedrive/index.ts';
import { waitFor } from '../../support/wait-for.ts';
import type { Random } from './random.ts';
import type { RunState } from './run-state.ts';

const STAGES = ['Prospecting', 'Proposal', 'Negotiation'];

/** After the last fault: the claim of a killed worker, and a minute until the sweep. */
const REST_MS = 120_000;

export class CrmClient {
  readonly #name: string;
  readonly #pipedrive: Pipedrive['control'];
  readonly #sql: postgres.Sql;
  readonly #state: RunState;
  readonly #random: Random;
  readonly #persons: number[] = [];
  readonly #deals: number[] = [];
  #tenantId = '';
  #vendorId = '';
  #accountId = '';
  #stages: number[] = [];
  #made = 0;

  constructor(
    name: string,
    {
      pipedrive,
      sql,
      state,
      random,
    }: { pipedrive: Pipedrive; sql: postgres.Sql; state: RunState; random: Random },
  ) {
    this.#name = name;
    this.#pipedrive = pipedrive.control;
    this.#sql = sql;
    this.#state = state;
    this.#random = random;
  }

  /** Connects a tenant of its own, both ways, and imports what the company has. */
  async setUp(): Promise<void> {
    const [tenant] = await this
      .#sql`select admin.create_tenant(${`Tenant ${this.#name}`}, ${this.#name}, 'proof') as id`;
    this.#tenantId = tenant?.id;
    const users = [{ name: 'Ana', email: `${this.#name}-ana@example.com` }];
    const { id, domain, apiToken } = await this.#pipedrive.createAccount({
      users,
      pipelines: [{ name: 'Sales', stages: STAGES }],
    });
    this.#vendorId = id;
    const { rows } = await this.#pipedrive.account(id, 'rows');
    this.#stages = rows.stages.map((stage) => stage.id);
    await this.#addPerson();
    await this.#addDeal();
    const credentials = JSON.stringify({ domain, api_token: apiToken });
    const [row] = await this.#sql`
      select admin.connect_crm(${this.#tenantId}, 'pipedrive', ${credentials}, '{"direction": "both", "create_out": true, "on_delete": "delete"}') as id`;
    this.#accountId = row?.id;
    await waitFor(async () => {
      const [account] = await this.#sql`select status from admin.crm_accounts where id = ${this.#accountId}`;
      return account?.status === 'active';
    });
    const [run] = await this.#sql`select admin.import_crm(${this.#accountId}) as id`;
    await waitFor(async () => {
      const [found] = await this.#sql`select status from admin.crm_runs where id = ${run?.id}`;
      return found?.status === 'done';
    });
  }

  async one(): Promise<void> {
    const random = this.#random;
    const act = random.pick([
      () => this.#addPerson(),
      () => this.#addDeal(),
      () => this.#changeThere(),
      () => this.#changeThere(),
      () => this.#changeHere(),
      () => this.#winOrLose(),
      () => this.#createHere(),
      () => this.#removeThere(),
    ]);
    const account = this.#vendorId;
    if (random.chance(0.1))
      await this.#pipedrive.webhookFault({
        account,
        kind: random.pick(['lost', 'duplicated', 'reordered']),
        times: random.between(1, 5),
      });
    if (random.chance(0.1))
      await this.#pipedrive.fault({
        account,
        kind: random.pick(['rate_limited', 'cut_before', 'cut_after', 'error_after']),
        times: random.between(1, 3),
      });
    await act();
    await pause(random.between(300, 1500));
  }

  async #addPerson(): Promise<void> {
    const label = `${this.#name}-${this.#made++}`;
    const person = await this.#pipedrive.add(this.#vendorId, 'persons', {
      name: `Person ${label}`,
      emails: [{ value: `${label}@client.example`, primary: true, label: 'work' }],
    });
    this.#persons.push(person.id);
  }

  async #addDeal(): Promise<void> {
    const deal = await this.#pipedrive.add(this.#vendorId, 'deals', {
      title: `Deal ${this.#name}-${this.#made++}`,
      value: this.#random.between(1, 9999),
      currency: 'BRL',
      stage_id: this.#stages[0],
      ...(this.#persons.length > 0 && { person_id: this.#random.pick(this.#persons) }),
    });
    this.#deals.push(deal.id);
  }

  async #changeThere(): Promise<void> {
    if (this.#deals.length === 0) return;
    await this.#pipedrive.patch(this.#vendorId, 'deals', this.#random.pick(this.#deals), {
      value: this.#random.between(1, 9999),
      ...(this.#random.chance(0.5) && { stage_id: this.#random.pick(this.#stages) }),
    });
  }

  /** As an admin does it in Studio: its changes are sent to the CRM. */
  async #changeHere(): Promise<void> {
    await this.#sql`
      update leads set phone = ${`+55 11 9${this.#random.between(1000, 9999)}-${this.#made++}`}
      where tenant_id = ${this.#tenantId} and id = (
        select l.placar_id::uuid from crm_links l where l.account_id = ${this.#accountId} and l.kind = 'lead' and l.state = 'linked'
        order by random() limit 1)`;
  }

  async #createHere(): Promise<void> {
    const label = `${this.#name}-${this.#made++}`;
    await this.#sql`
      insert into leads (tenant_id, name, email) values (${this.#tenantId}, ${`Here ${label}`}, ${`${label}@here.example`})`;
  }

  async #winOrLose(): Promise<void> {
    const [deal] = this.#deals.splice(this.#random.between(0, Math.max(0, this.#deals.length - 1)), 1);
    if (deal === undefined) return;
    await this.#pipedrive.patch(
      this.#vendorId,
      'deals',
      deal,
      this.#random.chance(0.7) ? { status: 'won' } : { status: 'lost', lost_reason: 'Price' },
    );
  }

  async #removeThere(): Promise<void> {
    if (!this.#random.chance(0.3) || this.#persons.length < 3) return;
    const [person] = this.#persons.splice(0, 1);
    if (person !== undefined) await this.#pipedrive.remove(this.#vendorId, 'persons', person);
  }

  /** Reads what was lost, as each hour and each day, and compares both sides. */
  async checkAtRest(sql: postgres.Sql): Promise<void> {
    await this.#pipedrive.clearFaults();
    await this.#pipedrive.clearWebhookFaults();
    await this.#pipedrive.releaseEvents();
    // As if the time had passed: after many failures in a row, an account waits for minutes.
    await sql`update crm_accounts set waiting_until = null where id = ${this.#accountId}`;
    for (const kind of ['reconcile', 'compare'] as const) await this.#finish(sql, kind);
    const [account] = await sql`select status, reason from admin.crm_accounts where id = ${this.#accountId}`;
    this.#state.check(account?.status === 'active', () => `CRM ${this.#name}: ${JSON.stringify(account)}`);
    const { rows } = await this.#pipedrive.account(this.#vendorId, 'rows');
    const stageNames = new Map(rows.stages.map((stage) => [stage.id, String(stage.name)]));
    const persons = rows.persons.filter(({ is_deleted: isDeleted }) => isDeleted !== true);
    const deals = rows.deals.filter(({ is_deleted: isDeleted }) => isDeleted !== true);
    const addressOf = (person: object) =>
      (person as { emails?: { value: string }[] }).emails?.[0]?.value ?? '';
    const phoneOf = (person: object) =>
      (person as { phones?: { value: string }[] }).phones?.[0]?.value ?? null;
    const theirs = {
      leads: persons.map((person) => [addressOf(person), String(person.name), phoneOf(person)]).sort(),
      deals: deals
        .map((deal) => [
          String(deal.title),
          Number(deal.value),
          String(deal.status),
          deal.status === 'open' && stageNames.get(Number(deal.stage_id)),
        ])
        .sort(),
    };
    const leads = await sql`
      select l.email, l.name, l.phone from leads l where l.tenant_id = ${this.#tenantId} order by 1`;
    const ours = await sql`
      select d.name, d.value, d.status, case when d.status = 'open' then s.name end as stage
      from deals d join pipeline_stages s on s.tenant_id = d.tenant_id and s.id = d.stage_id
      where d.tenant_id = ${this.#tenantId} order by 1`;
    const here = {
      leads: leads.map(({ email, name, phone }) => [email, name, phone]).sort(),
      deals: ours.map(({ name, value, status, stage }) => [name, value, status, stage ?? false]).sort(),
    };
    for (const kind of ['leads', 'deals'] as const)
      this.#state.check(JSON.stringify(here[kind]) === JSON.stringify(theirs[kind]), () => {
        const differing = (a: unknown[], b: unknown[]) =>
          a.filter((one) => !b.some((other) => JSON.stringify(one) === JSON.stringify(other))).slice(0, 5);
        return `CRM ${this.#name}: ${kind} differ: here ${JSON.stringify(differing(here[kind], theirs[kind]))}, there ${JSON.stringify(differing(theirs[kind], here[kind]))}`;
      });
    const twice = await sql`
      select type, data ->> 'id' as id, count(*) from events
      where tenant_id = ${this.#tenantId} and type in ('deal.won', 'deal.created', 'lead.created') and origin = 'crm:pipedrive'
      group by 1, 2 having count(*) > 1`;
    this.#state.check(
      twice.length === 0,
      () => `CRM ${this.#name}: twice ${JSON.stringify(twice.slice(0, 5))}`,
    );
  }

  async #finish(sql: postgres.Sql, kind: 'reconcile' | 'compare'): Promise<void> {
    const [row] = await sql`select ${sql(`admin.${kind}_crm`)}(${this.#accountId}) as id`;
    await waitFor(
      async () => {
        const [left] = await sql`
          select (select count(*) from crm_runs where id = ${row?.id} and finished_at is null)
               + (select count(*) from private.crm_pending where account_id = ${this.#accountId}) as count`;
        return Number(left?.count) === 0;
      },
      { limitMs: REST_MS },
    );
  }
}
