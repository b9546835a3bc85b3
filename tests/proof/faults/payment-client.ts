// A finance system: invoices, payouts, and what is done to them, each request with its key until its outcome is clear.
import { setTimeout as pause } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import type postgres from 'postgres';
import { invoiceTransitions } from '../../../shared/payments/invoices/states.ts';
import { payoutTransitions } from '../../../shared/payments/payouts/states.ts';
import { invoice, pixPayout, transferPayout } from '../../support/payments.ts';
import { type Answer, type Caller, type Outcome, sendUntilClear, signed } from './call.ts';
import type { Random } from './random.ts';
import type { RunState } from './run-state.ts';
import type { ProofTenant } from './tenant.ts';

interface Done {
  path: string;
  key: string;
  body: unknown;
  answer: Answer;
}

/** What became of the requests of one kind for a resource: whether one succeeded, and whether one may have. */
interface Asked {
  ok: boolean;
  maybe: boolean;
}

export interface Thing {
  id: string;
  kind: 'invoices' | 'payouts';
  seen: string;
  /** It ends by itself in this state, unless something else is done to it. */
  ends: 'open' | 'failed' | 'paid';
  /** Requests other than reads that it got. */
  touched: number;
  pay: Asked;
  cancel: Asked;
}

type Transitions = Readonly<Record<string, readonly string[]>>;

function reaches(transitions: Transitions, from: string, to: string): boolean {
  return from === to || (transitions[from] ?? []).some((next) => reaches(transitions, next, to));
}
const life = { invoices: invoiceTransitions as Transitions, payouts: payoutTransitions as Transitions };

/** What the last two digits of an amount make the sandbox do: mostly nothing of note. */
const ENDINGS = [0, 0, 0, 0, 1, 17, 19, 19, 23, 27, 29];
const GIVES_UP = 0.04;
const NFSE = { type: 'nfse', service_code: '01.07' };

export class PaymentClient {
  readonly things: Thing[] = [];
  /** Keys of orders that were given up, and whether they may have done something. */
  readonly #givenUp: { key: string; kind: Thing['kind']; unclear: number; ends: Thing['ends'] }[] = [];
  readonly #done: Done[] = [];
  readonly #orders = new Map<string, string>();
  readonly #tenant: ProofTenant;
  readonly #caller: Caller;
  readonly #state: RunState;
  readonly #random: Random;

  constructor(tenant: ProofTenant, caller: Caller, state: RunState, random: Random) {
    this.#tenant = tenant;
    this.#caller = caller;
    this.#state = state;
    this.#random = random;
  }

  async one(): Promise<void> {
    const random = this.#random;
    const at = random.next();
    const recent = this.things.slice(-12);
    const thing = recent.length > 0 ? random.pick(recent) : undefined;
    if (at < 0.3 || !thing) await this.#order('invoices');
    else if (at < 0.45) await this.#order('payouts');
    else if (at < 0.75) await this.#touch(thing);
    else if (at < 0.85) await this.#look(thing);
    else if (at < 0.95) await this.#repeat();
    else await this.#reuse();
    await pause(random.between(30, 200));
  }

  async #order(kind: Thing['kind']): Promise<void> {
    const { body, ends } = kind === 'invoices' ? this.#invoice() : this.#payout();
    const key = this.#key();
    const twice = this.#random.chance(0.1);
    const send = () => this.#post(`/${kind}`, key, body, twice ? 0 : GIVES_UP);
    const outcomes = await Promise.all(twice ? [send(), send()] : [send()]);
    const [first, second] = outcomes;
    if (!first?.answer) {
      this.#givenUp.push({ key, kind, unclear: first?.unclear ?? 0, ends });
      return;
    }
    const { answer } = first;
    const right = answer.status === 201 && life[kind][answer.body?.status] !== undefined;
    this.#state.check(right, () => `POST /${kind}: ${tell(answer)}`);
    this.#state.check(
      !second || isDeepStrictEqual(second.answer?.body, answer.body),
      () => `one key, two answers: ${tell(answer)} and ${second?.answer && tell(second.answer)}`,
    );
    if (!right) return;
    const { id, status } = answer.body;
    const none = () => ({ ok: false, maybe: false });
    this.things.push({ id, kind, seen: status, ends, touched: 0, pay: none(), cancel: none() });
    this.#orders.set(key, id);
    if (this.#random.chance(0.3)) await this.#look(this.things.at(-1));
  }

  #invoice(): { body: unknown; ends: Thing['ends'] } {
    const random = this.#random;
    const type = random.pick(['pix', 'pix', 'boleto', 'card']);
    const ending = random.pick(ENDINGS);
    const expires = type === 'pix' && random.chance(0.08);
    const body = invoice({
      amount: random.between(10, 900) * 100 + ending,
      payment_method: { type, ...(expires && { expires_in_seconds: 3 }) },
      ...(random.chance(0.15) && { tax_document: { ...NFSE, auto_issue: true } }),
    });
    return { body, ends: expires || (type === 'card' && ending === 17) ? 'failed' : 'open' };
  }

  #payout(): { body: unknown; ends: Thing['ends'] } {
    const ending = this.#random.pick(ENDINGS);
    const amount = this.#random.between(10, 900) * 100 + ending;
    const body = this.#random.chance(0.5) ? pixPayout({ amount }) : transferPayout({ amount });
    return { body, ends: ending === 17 ? 'failed' : 'paid' };
  }

  async #touch(thing: Thing): Promise<void> {
    if (thing.kind === 'payouts') return this.#cancel(thing);
    const what = this.#random.next();
    if (what < 0.5) return this.#pay(thing);
    if (what < 0.7) return this.#cancel(thing);
    if (what < 0.85) {
      await Promise.all([this.#pay(thing), this.#cancel(thing)]);
      return;
    }
    const path = `/invoices/${thing.id}/tax-documents`;
    const { answer } = await this.#post(path, this.#key(), NFSE);
    const right = !answer || [202, 409].includes(answer.status);
    this.#state.check(right, () => `POST ${path}: ${answer && tell(answer)}`);
  }

  async #pay(thing: Thing): Promise<void> {
    await this.#ask(thing, 'pay', `/sandbox/invoices/${thing.id}/pay`, 'paid', thing.ends === 'open');
  }

  async #cancel(thing: Thing): Promise<void> {
    const path = `/${thing.kind}/${thing.id}/cancel`;
    await this.#ask(thing, 'cancel', path, 'canceled', thing.ends === 'open');
  }

  /** `only`: nothing but a request changes its state, so that the first one has to succeed. */
  async #ask(thing: Thing, what: 'pay' | 'cancel', path: string, to: string, only: boolean): Promise<void> {
    const first = thing.touched++ === 0;
    const outcome = await this.#post(path, this.#key(), {}, GIVES_UP);
    const { answer, unclear } = outcome;
    const alone = only && first && thing.touched === 1;
    if (!answer) {
      if (unclear > 0) thing[what].maybe = true;
      return;
    }
    const { status, body } = answer;
    const right = status === 200 ? body?.status === to && body?.id === thing.id : status === 409 && !alone;
    this.#state.check(
      right,
      () => `${path} (alone: ${alone}, after ${JSON.stringify(thing)}): ${tell(answer)}`,
    );
    if (status !== 200) return;
    thing[what].ok = true;
    this.#state.check(!(thing.pay.ok && thing.cancel.ok), () => `${thing.id} was paid and canceled`);
    // An answer that was given before, of another request of its own race, may be older than what was seen since.
    if (reaches(life[thing.kind], thing.seen, to)) thing.seen = to;
  }

  async #look(thing: Thing | undefined): Promise<void> {
    if (!thing) return;
    const path = `/${thing.kind}/${thing.id}`;
    const { answer } = await this.#get(path);
    const status = answer?.body?.status;
    const legal = answer?.status === 200 && reaches(life[thing.kind], thing.seen, status);
    this.#state.check(legal, () => `GET ${path} after ${thing.seen}: ${answer && tell(answer)}`);
    if (legal) thing.seen = status;
  }

  async #repeat(): Promise<void> {
    const done = this.#done.slice(-40);
    if (done.length === 0) return;
    const { path, key, body, answer: before } = this.#random.pick(done);
    const { answer } = await this.#post(path, key, body);
    const same = answer?.status === before.status && isDeepStrictEqual(answer.body, before.body);
    this.#state.check(
      same && answer?.headers.get('idempotent-replay') === 'true',
      () => `the key of ${path} gave ${tell(before)}, then ${answer && tell(answer)}`,
    );
  }

  async #reuse(): Promise<void> {
    const done = this.#done.slice(-40);
    if (done.length === 0) return;
    const { path, key } = this.#random.pick(done);
    const { answer } = await this.#post(path, key, invoice({ amount: 7777 }), 0, false);
    const refused = answer?.status === 409 || answer?.status === 422;
    this.#state.check(refused, () => `another body with the key of ${path}: ${answer && tell(answer)}`);
  }

  async #post(path: string, key: string, body: unknown, givesUp = 0, keep = true): Promise<Outcome> {
    const text = JSON.stringify(body);
    const target = `/payments${path}`;
    const request = () => ({
      door: 'payments' as const,
      method: 'POST',
      target,
      body: text,
      headers: { ...signed(this.#tenant.apiKey, 'POST', target, text), 'Idempotency-Key': key },
    });
    const outcome = await sendUntilClear(this.#caller, request, this.#random, givesUp);
    if (outcome.answer && keep) this.#done.push({ path, key, body, answer: outcome.answer });
    return outcome;
  }

  #get(path: string): Promise<Outcome> {
    const target = `/payments${path}`;
    const { apiKey } = this.#tenant;
    const request = () => ({
      door: 'payments' as const,
      method: 'GET',
      target,
      headers: signed(apiKey, 'GET', target, undefined),
    });
    return sendUntilClear(this.#caller, request, this.#random, 0);
  }

  #key = (): string => crypto.randomUUID();

  /** Compares what was answered with the database, once everything has come to rest. */
  async checkAtRest(sql: postgres.Sql): Promise<void> {
    const { id: tenantId } = this.#tenant;
    for (const { key, kind, unclear, ends } of this.#givenUp.splice(0)) {
      const [row] = await sql`
        select resource_id, response_status from idempotency_keys where tenant_id = ${tenantId} and key = ${key}`;
      this.#state.check(
        unclear > 0 || row === undefined,
        () => `"nothing was done" with ${key}, and it was begun`,
      );
      if (row?.response_status !== 201) continue;
      const none = () => ({ ok: false, maybe: false });
      this.things.push({
        id: row.resource_id,
        kind,
        seen: firstOf(kind),
        ends,
        touched: 1,
        pay: none(),
        cancel: none(),
      });
    }
    for (const [key, id] of this.#orders) {
      const [row] = await sql`
        select resource_id, response_status from idempotency_keys where tenant_id = ${tenantId} and key = ${key}`;
      this.#state.check(
        row?.resource_id === id && row?.response_status === 201,
        () => `the key of ${id} has ${JSON.stringify(row)}`,
      );
    }
    this.#orders.clear();
    const rows = await sql`
      select id, status from invoices where tenant_id = ${tenantId}
      union all select id, status from payouts where tenant_id = ${tenantId}`;
    const statuses = new Map(rows.map(({ id, status }) => [id, status]));
    for (const thing of this.things) {
      const status = statuses.get(thing.id);
      this.#state.check(allowed(thing).includes(status), () => `${status} now: ${JSON.stringify(thing)}`);
      const legal = status !== undefined && reaches(life[thing.kind], thing.seen, status);
      this.#state.check(legal, () => `seen ${thing.seen}, ${status} now: ${thing.id}`);
    }
  }
}

const firstOf = (kind: Thing['kind']): string => (kind === 'invoices' ? 'open' : 'created');

/** In which states it may be once everything has come to rest. */
function allowed({ ends, pay, cancel }: Thing): string[] {
  if (pay.ok) return ['paid'];
  if (cancel.ok) return ['canceled'];
  return [ends, ...(pay.maybe ? ['paid'] : []), ...(cancel.maybe ? ['canceled'] : [])];
}

const tell = ({ status, body }: Answer): string => `${status} ${JSON.stringify(body)?.slice(0, 400)}`;
