// A finance system: creates and changes invoices and payouts, and repeats each request with its key until the outcome is clear.

import { setTimeout as pause } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import type postgres from 'postgres';
import { invoice, pixPayout, TAX_CODES, transferPayout } from '../../support/payments/payments.ts';
import { type Answer, type Caller, type Outcome, sendUntilClear, signed } from './call.ts';
import { life, PaymentModel, reaches, type Thing } from './payment-model.ts';
import type { Random } from './random.ts';
import type { RunState } from './run-state.ts';
import type { ProofTenant } from './tenant.ts';

interface Done {
  path: string;
  key: string;
  body: unknown;
  answer: Answer;
}

/** How the sandbox reacts to the last two digits of an amount: usually normally. */
const ENDINGS = [0, 0, 0, 0, 1, 17, 19, 19, 23, 27, 29];
const GIVES_UP = 0.04;
const NFSE = { type: 'nfse', service_code: '01.07', taxes: TAX_CODES };

export class PaymentClient {
  readonly #model = new PaymentModel();
  readonly #done: Done[] = [];
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
    const recent = this.#model.things.slice(-12);
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
    const [first, second] = await Promise.all(twice ? [send(), send()] : [send()]);
    if (!first?.answer) {
      this.#model.giveUp({ key, kind, unclear: first?.unclear ?? 0, ends });
      return;
    }
    const { answer } = first;
    const right = answer.status === 201 && life[kind][answer.body?.status] !== undefined;
    this.#state.check(right, () => `POST /${kind}: ${tell(answer)}`);
    this.#state.check(
      !second?.answer || this.#isSame(second.answer, answer),
      () => `one key, two answers: ${tell(answer)} and ${second?.answer && tell(second.answer)}`,
    );
    if (!right) return;
    const { id, status } = answer.body;
    const thing = this.#model.add(key, { id, kind, seen: status, ends });
    if (this.#random.chance(0.3)) await this.#look(thing);
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

  /** `only`: no other process changes the state, so the first request must succeed. */
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
    // A response to a concurrent request may be older than a state seen since.
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
    this.#state.check(
      answer !== undefined &&
        this.#isSame(answer, before) &&
        answer.headers.get('idempotent-replay') === 'true',
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

  /** Links begin with the called address, which changes after a move. Another version may show other members. */
  #isSame(one: Answer, other: Answer): boolean {
    const body = JSON.parse(JSON.stringify(other.body).replaceAll(other.functionsUrl, one.functionsUrl));
    const [first, second] = this.#state.spansVersions
      ? [sharedMembers(one.body, body), sharedMembers(body, one.body)]
      : [one.body, body];
    return one.status === other.status && isDeepStrictEqual(first, second);
  }

  checkAtRest = (sql: postgres.Sql): Promise<void> =>
    this.#model.checkAtRest(sql, this.#tenant.id, this.#state);
}

/** The members that both bodies have, in all depths. */
function sharedMembers(one: unknown, other: unknown): unknown {
  if (!isObject(one) || !isObject(other)) return one;
  const shared = Object.keys(one).filter((name) => name in other);
  return Object.fromEntries(shared.map((name) => [name, sharedMembers(one[name], other[name])]));
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const tell = ({ status, body }: Answer): string => `${status} ${JSON.stringify(body)?.slice(0, 400)}`;
