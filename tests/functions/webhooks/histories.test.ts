// Random histories of one webhook: its receiver fails and works, it is paused, resumed, deactivated, activated and replayed, and its filters
// change, while events occur, some of them silent, and time passes. The deliveries must match a model. For others: `HISTORY_SEED`, `HISTORY_OPERATIONS`.
import { expect, test } from 'vitest';
import { paymentsEventFilters } from '../../../shared/payments/webhooks/event-filters.ts';
import { eventFiltersOf } from '../../../shared/webhooks/management/event-filters.ts';
import { createChance } from '../../proof/requests/random.ts';
import { connectDatabase, createTenant } from '../../support/database.ts';
import { waitFor } from '../../support/wait-for.ts';
import {
  createWebhook,
  emit,
  passTime as passTimeOf,
  replay,
  startDeliverer,
  startEndpoint,
} from '../../support/webhooks/webhooks.ts';

const sql = connectDatabase();
const OPERATIONS = Number(process.env.HISTORY_OPERATIONS ?? 25);
const SEED = Number(process.env.HISTORY_SEED ?? 20_261_121);

type Mode = 'active' | 'paused' | 'deactivated';

/** The members that filters use. */
interface Happened {
  amount: number;
  changed: string[];
}

/** The model: a list of waiting deliveries and a list of received ones. */
interface Model {
  mode: Mode;
  waiting: Set<string>;
  arrived: string[];
  lost: Set<string>;
  /** Events that it was not sent, because it was deactivated or its filters excluded them. */
  missed: Set<string>;
  events: Map<string, Happened>;
  /** The event of each delivery. */
  eventOf: Map<string, string>;
  /** Whether the filters of the webhook include such an event. */
  wants: (event: Happened) => boolean;
}

async function start() {
  const { id: tenantId } = await createTenant(sql);
  const receiver = { works: true };
  const endpoint = await startEndpoint((response) => response.writeHead(receiver.works ? 200 : 500).end());
  const { id } = await createWebhook(sql, tenantId, endpoint.url);
  const lane = `webhook-${id}`;
  const { publish } = await startDeliverer({
    minSpanSeconds: 86_400,
    // More than a history has: no delivery fails for good.
    schedule: Array<number>(500).fill(3600),
  });

  /** Runs all due deliveries. */
  const settle = () =>
    waitFor(async () => {
      const [job] = await sql`
        select j.id as "jobId", j.lane, j.key as id, j.locked_until > now() as busy from jobs j
        where j.lane = ${lane} and j.finished_at is null and j.due_at <= now() + interval '5 s'
        order by busy desc limit 1`;
      if (job && !job.busy) await publish({ id: job.id, jobId: job.jobId, lane });
      return !job;
    });

  /** The API call. The jobs are published here. Returns the deliveries by event. */
  async function replayAll(failed: boolean): Promise<{ total: number; deliveries: Map<string, string> }> {
    const replayed = await sql.begin(async (tx) => {
      await tx`select set_config('app.tenant_id', ${tenantId}, true), set_config('role', 'payments', true)`;
      const since = failed ? null : '2000-01-01';
      const [call] = await tx`select app.replay_webhook(${id}, ${since}, ${failed}, null) as record`;
      await tx`reset role`;
      await tx`update jobs set published_at = '2999-01-01' where lane = ${lane}`;
      return call?.record;
    });
    const rows = await sql`select id, event_id from webhook_deliveries where endpoint_id = ${id}`;
    return { total: replayed.total, deliveries: new Map(rows.map((one) => [one.event_id, one.id])) };
  }
  const row = async () =>
    (
      await sql`
        select app.webhook_status(w) as status, w.consecutive_failures as failures from webhook_endpoints w
        where id = ${id}`
    )[0];
  const ids = async (status: string) =>
    (
      await sql`select id from webhook_deliveries where endpoint_id = ${id} and status = ${status} order by id`
    ).map((one) => one.id as string);
  const passTime = () => passTimeOf(sql, id);
  return { tenantId, id, receiver, endpoint, settle, passTime, replayAll, row, ids };
}

test(`the deliveries after ${OPERATIONS} random operations match a model`, {
  timeout: 3_600_000,
}, async () => {
  const seed = SEED;
  const dice = createChance(seed);
  const { tenantId, id, receiver, endpoint, settle, passTime, replayAll, row, ids } = await start();
  const model: Model = {
    mode: 'active',
    waiting: new Set(),
    arrived: [],
    lost: new Set(),
    missed: new Set(),
    events: new Map(),
    eventOf: new Map(),
    wants: () => true,
  };
  const wanted = (delivery: string): boolean => {
    const event = model.events.get(model.eventOf.get(delivery) ?? '');
    return event !== undefined && model.wants(event);
  };
  const history: string[] = [];

  const lastEvent = async (): Promise<string> => {
    const [event] = await sql`
      select id from events where tenant_id = ${tenantId} and not silent order by sequence desc limit 1`;
    return event?.id;
  };
  const operations: Record<string, () => Promise<void>> = {
    async emit() {
      for (let n = dice.below(6); n >= 0; n--) {
        const happened = {
          amount: dice.below(9),
          changed: ['amount', 'status'].filter(() => dice.below(2) === 0),
        };
        const data = {
          id: 'po_1',
          status: 'paid',
          created: '2026-01-01T00:00:00.000Z',
          amount: happened.amount,
        };
        const made = await emit(sql, tenantId, { data, changed: happened.changed });
        expect(made).toHaveLength(model.mode === 'deactivated' || !model.wants(happened) ? 0 : 1);
        const event = await lastEvent();
        model.events.set(event, happened);
        for (const { id: delivery } of made) {
          model.waiting.add(delivery);
          model.eventOf.set(delivery, event);
        }
        if (made.length === 0) model.missed.add(event);
      }
      // Imported silently: it is never sent, even on request.
      await sql`
        insert into events (tenant_id, interface, type, data, silent)
        values (${tenantId}, 'payments', 'payout.paid', '{"id": "po_silent"}', true)`;
    },
    async replaySince() {
      if (model.mode === 'deactivated') return;
      const { total, deliveries } = await replayAll(false);
      const asked = [...model.events].filter(([, happened]) => model.wants(happened));
      expect(total).toBe(asked.length);
      for (const [event] of asked) {
        const delivery = deliveries.get(event) ?? 'none';
        model.waiting.add(delivery);
        model.eventOf.set(delivery, event);
        model.lost.delete(delivery);
        model.missed.delete(event);
      }
    },
    async replayFailed() {
      if (model.mode === 'deactivated') return;
      const { total } = await replayAll(true);
      const asked = [...model.lost].filter(wanted);
      expect(total).toBe(asked.length);
      for (const one of asked) {
        model.waiting.add(one);
        model.lost.delete(one);
      }
    },
    async filter() {
      const least = dice.below(2) === 0 ? null : dice.below(9);
      const member = dice.below(2) === 0 ? null : dice.of(['amount', 'status']);
      const narrowing = {
        filters: least === null ? null : [{ field: 'amount', op: 'gt' as const, value: least }],
        changed: member === null ? null : [member],
      };
      const rules = { ...narrowing, ...eventFiltersOf(narrowing, paymentsEventFilters) };
      await sql`
        update webhook_endpoints w set (filters, changed, filter_rules, changed_rules) = (
          select r.filters, r.changed, r.filter_rules, r.changed_rules
          from jsonb_populate_record(null::webhook_endpoints, ${JSON.stringify(rules)}::text::jsonb) as r)
        where id = ${id}`;
      // An event without changed members is about a created or deleted record.
      model.wants = ({ amount, changed }) =>
        (least === null || amount > least) &&
        (member === null || changed.length === 0 || changed.includes(member));
    },
    async fail() {
      receiver.works = false;
    },
    async work() {
      receiver.works = true;
    },
    passTime,
    async pause() {
      await sql`select admin.pause_webhook(${id})`;
      if (model.mode === 'active') model.mode = 'paused';
    },
    async resume() {
      if (model.mode === 'deactivated') return;
      await sql`select admin.resume_webhook(${id})`;
      model.mode = 'active';
    },
    async deactivate() {
      await sql`select admin.deactivate_webhook(${id})`;
      model.mode = 'deactivated';
      // Deliveries that wait for a retry fail when they are due.
      await passTime();
      for (const delivery of model.waiting) model.lost.add(delivery);
      model.waiting.clear();
    },
    async activate() {
      await sql`select admin.reactivate_webhook(${id})`;
      model.mode = 'active';
    },
    async replay() {
      const ended = [...model.lost, ...model.arrived];
      if (ended.length === 0 || model.mode === 'deactivated') return;
      const again = dice.of(ended);
      await replay(sql, again);
      model.lost.delete(again);
      model.waiting.add(again);
    },
  };
  const often = ['emit', 'emit', 'emit', 'passTime', 'fail', 'work', 'pause', 'resume', 'resume', 'replay'];
  const names = [
    ...often,
    'filter',
    'filter',
    'deactivate',
    'activate',
    'activate',
    'replaySince',
    'replayFailed',
  ];

  const check = async () => {
    const before = endpoint.received.length;
    const suspended = (await row())?.status === 'suspended';
    const held = suspended && history.at(-1) !== 'passTime';
    // After the end of a suspension, one of them is tried.
    const tried = suspended && !held && !receiver.works ? Math.min(1, model.waiting.size) : undefined;
    await settle();
    const requests = endpoint.received.slice(before);
    const scene = JSON.stringify({ seed, history: history.slice(-12), requests: requests.length });
    if (model.mode !== 'active' || held) expect(requests.length, scene).toBe(0);
    if (tried !== undefined) expect(requests.length, scene).toBe(tried);
    // Exactly those that received a success are delivered by now.
    const pending = await ids('pending');
    const arrived = [...model.waiting].filter((delivery) => !pending.includes(delivery));
    for (const delivery of arrived) {
      model.waiting.delete(delivery);
      model.arrived.push(delivery);
    }
    expect([...model.waiting].sort(), scene).toEqual(pending);
    expect(
      [...new Set(model.arrived)].filter((one) => !model.waiting.has(one) && !model.lost.has(one)).sort(),
      scene,
    ).toEqual(await ids('delivered'));
    expect([...model.lost].sort(), scene).toEqual(await ids('failed'));
    const { status, failures } = (await row()) ?? {};
    const active = failures >= 5 ? 'suspended' : 'active';
    expect(status, scene).toBe(model.mode === 'active' ? active : model.mode);
  };

  const successes: string[] = [];
  for (let n = 0; n < OPERATIONS; n++) {
    const name = dice.of(names);
    history.push(name);
    const [before, works] = [endpoint.received.length, receiver.works];
    await operations[name]?.();
    await check();
    const sent = endpoint.received.slice(before).map(({ headers }) => String(headers['webhook-id']));
    if (receiver.works) successes.push(...sent);
    // A change of the receiver while nothing is due sends nothing.
    if (works !== receiver.works) expect(sent).toEqual([]);
  }
  history.push('end');
  await operations.activate?.();
  receiver.works = true;
  const before = endpoint.received.length;
  await passTime();
  await check();
  await passTime();
  await check();
  successes.push(...endpoint.received.slice(before).map(({ headers }) => String(headers['webhook-id'])));
  expect(model.waiting.size).toBe(0);
  // Each as often as it arrived, including replays.
  expect(successes.sort()).toEqual(model.arrived.sort());
});
