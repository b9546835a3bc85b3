// A program that writes leads and deals. It checks the state before it repeats a request with an unclear outcome.
import { setTimeout as pause } from 'node:timers/promises';
import type postgres from 'postgres';
import type { Answer, Caller, Outcome } from './call.ts';
import type { Random } from './random.ts';
import { describe, type Item, isSurely, Kept, RecordModel } from './record-model.ts';
import { RecordSession } from './record-session.ts';
import type { RunState } from './run-state.ts';
import type { ProofTenant } from './tenant.ts';

const GIVES_UP = 0.05;

export class RecordClient {
  readonly #model = new RecordModel();
  #webhook: string | undefined;
  #stages: string[] = [];
  #made = 0;
  readonly #name: string;
  readonly #tenant: ProofTenant;
  readonly #session: RecordSession;
  readonly #state: RunState;
  readonly #random: Random;

  constructor(name: string, tenant: ProofTenant, caller: Caller, state: RunState, random: Random) {
    this.#name = name;
    this.#tenant = tenant;
    this.#session = new RecordSession(tenant, caller, state, random);
    this.#state = state;
    this.#random = random;
  }

  /** @param webhook creates the tenant's webhook, for the one client that does */
  async setUp(webhook?: object): Promise<void> {
    const { answer } = await this.#call('GET', '/stages');
    this.#stages = answer?.body?.data?.map(({ id }: { id: string }) => id);
    if (!webhook) return;
    const made = await this.#call('POST', '/webhooks', webhook);
    if (made.answer?.status !== 201) throw new Error('no webhook');
    this.#webhook = made.answer.body.data.id;
  }

  async one(): Promise<void> {
    const random = this.#random;
    const at = random.next();
    const recent = this.#model.items.filter(({ gone }) => !gone.sure && gone.maybe.size === 0).slice(-12);
    const item = recent.length > 0 ? random.pick(recent) : undefined;
    if (at < 0.2 || !item) await this.#create('leads');
    else if (at < 0.4) await this.#create('deals');
    else if (at < 0.6) await this.#change(item);
    else if (at < 0.75) await this.#moveOn(item);
    else if (at < 0.82) await this.#delete(item);
    else if (at < 0.91) await this.#look(item);
    else if (at < 0.94) await this.#invite();
    else if (at < 0.97 && this.#webhook) await this.#test(this.#webhook);
    else await this.#list(item);
    await pause(random.between(30, 200));
  }

  async #create(kind: Item['kind']): Promise<void> {
    const name = `${this.#name}-${this.#made++}`;
    const body = kind === 'leads' ? { name, email: `${name}@example.com` } : { name, value: 100 };
    const outcome = await this.#call('POST', `/${kind}`, body, GIVES_UP);
    const { answer, unclear } = outcome;
    // A duplicate deal is not rejected: each unclear attempt may have created one.
    const attempts = (answer ? 1 : 0) + unclear;
    const most = kind === 'leads' ? Math.min(1, attempts) : attempts;
    this.#model.created.push({ kind, name, least: answer ? 1 : 0, most });
    if (!answer) return;
    const known = kind === 'leads' && unclear > 0 && answer.status === 409;
    this.#state.check(
      answer.status === 201 || known,
      () => `POST /${kind} after ${unclear}: ${tell(answer)}`,
    );
    const id = answer.status === 201 ? answer.body?.data?.id : existingId(answer);
    this.#state.check(typeof id === 'string', () => `POST /${kind}: no id in ${tell(answer)}`);
    if (typeof id !== 'string') return;
    const status = new Kept(kind === 'leads' ? 'new' : 'open');
    const item = { kind, id, company: new Kept<string | null>(null), status, gone: new Kept(false) };
    this.#model.items.push(item);
    if (this.#random.chance(0.3)) await this.#look(item);
  }

  async #change(item: Item): Promise<void> {
    const company = `c${this.#made++}`;
    const outcome = await this.#call('PATCH', `/${item.kind}/${item.id}`, { company }, GIVES_UP);
    this.#keep(item.company, company, outcome, () => outcome.answer?.status === 200);
    if (outcome.answer?.status === 200 && item.company.maybe.size === 0)
      this.#state.check(
        outcome.answer.body?.data?.company === company,
        () => `PATCH gave ${outcome.answer && tell(outcome.answer)}`,
      );
  }

  /** Closes or moves a deal; converts a lead or changes its status. */
  async #moveOn(item: Item): Promise<void> {
    if (this.#random.chance(0.5)) {
      const other = this.#random.pick(['contacted', 'qualified', 'unqualified']);
      const open = item.status.sure !== 'converted' && item.status.maybe.size === 0 && item.kind === 'leads';
      if (open) {
        const outcome = await this.#call('PATCH', `/leads/${item.id}`, { status: other }, GIVES_UP);
        this.#keep(item.status, other, outcome, () => outcome.answer?.status === 200);
      } else if (item.kind === 'deals') {
        const { answer } = await this.#call('POST', `/deals/${item.id}/move`, {
          stage_id: this.#random.pick(this.#stages),
        });
        const right = answer?.status === 200 || (answer?.status === 409 && !isSurely(item.status, 'open'));
        this.#state.check(right, () => `move of ${JSON.stringify(item.status)}: ${answer && tell(answer)}`);
      }
      return;
    }
    const [to, path, body] =
      item.kind === 'leads'
        ? (['converted', 'convert', {}] as const)
        : this.#random.pick([
            ['won', 'close', { result: 'won', final_value: 50 }] as const,
            ['lost', 'close', { result: 'lost', loss_reason: 'price' }] as const,
          ]);
    const final = ['converted', 'won', 'lost'];
    const wasOpen =
      !final.includes(item.status.sure) && ![...item.status.maybe].some((one) => final.includes(one));
    const outcome = await this.#call('POST', `/${item.kind}/${item.id}/${path}`, body, GIVES_UP);
    const { answer, unclear } = outcome;
    if (!answer) {
      if (unclear > 0) item.status.maybe.add(to);
      return;
    }
    const repeated = answer.status === 409 && (unclear > 0 || !wasOpen);
    this.#state.check(
      (answer.status === 200 && !final.includes(item.status.sure)) || repeated,
      () => `${path} of ${JSON.stringify(item.status)} after ${unclear}: ${tell(answer)}`,
    );
    if (answer.status === 200 || (repeated && wasOpen)) item.status.rest(to);
  }

  async #delete(item: Item): Promise<void> {
    const { answer, unclear } = await this.#call('DELETE', `/${item.kind}/${item.id}`, undefined, GIVES_UP);
    if (!answer) {
      if (unclear > 0) item.gone.maybe.add(true);
      return;
    }
    const right = answer.status === 204 || (answer.status === 404 && unclear > 0);
    this.#state.check(right, () => `DELETE after ${unclear}: ${tell(answer)}`);
    item.gone.rest(true);
    if (this.#random.chance(0.5)) {
      const { answer: after } = await this.#call('GET', `/${item.kind}/${item.id}`);
      this.#state.check(after?.status === 404, () => `GET of a deleted one: ${after && tell(after)}`);
    }
  }

  async #look(item: Item): Promise<void> {
    const { answer } = await this.#call('GET', `/${item.kind}/${item.id}`);
    const { company, status } = answer?.body?.data ?? {};
    const right = answer?.status === 200 && item.company.allows(company) && item.status.allows(status);
    this.#state.check(right, () => `GET of ${describe(item)}: ${answer && tell(answer)}`);
  }

  async #list(item: Item): Promise<void> {
    const { answer } = await this.#call('GET', `/${item.kind}?per_page=100&sort=-created_at`);
    this.#state.check(answer?.status === 200, () => `a list: ${answer && tell(answer)}`);
  }

  async #invite(): Promise<void> {
    const name = `${this.#name}-u${this.#made++}`;
    const body = { name, email: `${name}@example.com`, role: 'sales_rep' };
    const { answer, unclear } = await this.#call('POST', '/users', body);
    const right = answer?.status === 201 || (answer?.status === 409 && unclear > 0);
    this.#state.check(right, () => `POST /users after ${unclear}: ${answer && tell(answer)}`);
    if (right) this.#model.invited.push(body.email);
  }

  async #test(webhook: string): Promise<void> {
    const { answer } = await this.#call('POST', `/webhooks/${webhook}/test`, {});
    const id = answer?.body?.data?.delivery_id;
    this.#state.check(answer?.status === 202 && id, () => `test of a webhook: ${answer && tell(answer)}`);
    if (id) this.#model.tested.push(id);
  }

  #keep<T>(kept: Kept<T>, value: T, { answer, unclear }: Outcome, done: () => boolean): void {
    if (answer) this.#state.check(done(), () => `a change of ${JSON.stringify(kept.sure)}: ${tell(answer)}`);
    // An unclear write may happen after a later acknowledged one. Only then is the older value gone.
    if (unclear > 0) kept.maybe.add(value);
    if (answer && done()) kept.sure = value;
  }

  #call(method: string, path: string, body?: unknown, givesUp = 0): Promise<Outcome> {
    return this.#session.call(method, path, body, givesUp);
  }

  checkAtRest = (sql: postgres.Sql, auths: readonly postgres.Sql[] = [sql]): Promise<void> =>
    this.#model.checkAtRest(sql, this.#tenant.id, this.#state, auths);
}

function existingId({ body }: Answer): unknown {
  return body?.error?.existing_id ?? body?.existing_id;
}

const tell = ({ status, body }: Answer): string => `${status} ${JSON.stringify(body)?.slice(0, 400)}`;
