// Simulates growth with the number of tenants: requests, rows, CPU time, connections, commands, messages and costs. Everything
// is proportional, so the load of one average tenant determines where each limit is reached.
import * as input from './inputs.ts';

const GIGABYTE = 1e9;
const DAYS_OF_YEAR = 12 * input.WORKING_DAYS;

/** The load of one average tenant on a working day. */
export interface Day {
  requests: number;
  deliveries: number;
  functionMs: number;
  postgresMs: number;
  redisCommands: number;
  messages: number;
  rows: Record<input.Table, number>;
}

export function dayOf(tenant: input.Tenant): Day {
  const t = tenant;
  const { costs } = input;
  const counts: [number, input.Cost][] = [
    [t.syncs, costs.sync],
    [t.leadsRead, costs.read],
    [t.listsRead, costs.list],
    [t.leadsCreated + t.dealsCreated + t.callsLogged, costs.create],
    [t.leadsUpdated + t.dealsUpdated, costs.update],
    [t.invoices, costs.invoice],
  ];
  const requests = counts.reduce((sum, [count]) => sum + count, 0);
  // Each invoice is created and paid.
  const events = t.leadsCreated + t.leadsUpdated + t.dealsCreated + t.dealsUpdated + 2 * t.invoices;
  const deliveries = events * t.webhooks;
  const checks = input.ACCOUNTS * input.CHECKS_A_DAY;
  // A check costs about as much as a delivery. Assumed.
  const all: [number, input.Cost][] = [...counts, [deliveries + checks, costs.delivery]];
  const sum = (of: keyof input.Cost) => all.reduce((total, [count, cost]) => total + count * cost[of], 0);
  const { single, inBurst } = input.MESSAGES_OF_DELIVERY;
  const ofDelivery = input.SHARE_IN_BURSTS * inBurst + (1 - input.SHARE_IN_BURSTS) * single;
  const activities = t.syncs * t.activitiesInSync;
  const messages = sum('messages') + deliveries * ofDelivery + checks * input.MESSAGES_OF_CHECK;
  const callbacks = input.ROWS_PER_MESSAGE * messages + input.NOTIFICATIONS_OF_INVOICE * t.invoices;
  return {
    requests,
    deliveries,
    functionMs: sum('functionMs'),
    postgresMs: sum('postgresMs'),
    redisCommands: requests * t.redisCommands,
    messages,
    rows: {
      request_log: requests + callbacks,
      events,
      webhook_deliveries: deliveries,
      webhook_attempts: deliveries,
      jobs: deliveries + 2 * t.invoices,
      leads: t.leadsCreated,
      deals: t.dealsCreated,
      deal_activities: t.callsLogged,
      activities,
      point_entries: activities + t.callsLogged,
      invoices: t.invoices,
      balance_transactions: t.invoices,
    },
  };
}

/** The load of this many tenants of all kinds on a working day. */
export function dayOfAll(count: number): Day {
  const days = Object.values(input.tenants).map((tenant) => ({
    day: dayOf(tenant),
    times: count * tenant.share,
  }));
  const sum = (of: (day: Day) => number) =>
    days.reduce((total, { day, times }) => total + times * of(day), 0);
  const names = Object.keys(input.tables) as input.Table[]; // the keys of a constant
  const rows = names.map((name) => [name, sum((day) => day.rows[name])]);
  return {
    requests: sum((day) => day.requests),
    deliveries: sum((day) => day.deliveries),
    functionMs: sum((day) => day.functionMs),
    postgresMs: sum((day) => day.postgresMs),
    redisCommands: sum((day) => day.redisCommands),
    messages: sum((day) => day.messages),
    rows: Object.fromEntries(rows) as Day['rows'], // has all names
  };
}

/** Size of a table in gigabytes after this many years. */
export function gigabytesOf(table: input.Table, rowsADay: number, years: number): number {
  const { bytes, days } = input.tables[table];
  const kept = days === 0 ? years : Math.min(years, days / 365);
  return (rowsADay * DAYS_OF_YEAR * kept * bytes) / GIGABYTE;
}

const names = Object.keys(input.tables) as input.Table[]; // the keys of a constant
export const gigabytes = (day: Day, years: number): number =>
  names.reduce((sum, name) => sum + gigabytesOf(name, day.rows[name], years), 0);

/** Load per second in the busiest hour. */
export const inBusiestSecond = (ofDay: number): number => (ofDay * input.BUSIEST_HOUR) / 3600;

export function workersOf({ functionMs }: Day): number {
  return Math.max(input.FUNCTIONS, Math.ceil(inBusiestSecond(functionMs) / 1000 / input.WORKER_SHARE));
}

export const connectionsOf = (day: Day): number => workersOf(day) * input.CONNECTIONS_OF_WORKER;

export interface Wall {
  name: string;
  /** Share of the capacity. */
  used: number;
  moves: string;
}

type Compute = (typeof input.computes)[number];

/** Limits of a project with this compute, after this many years. */
export function wallsOf(day: Day, compute: Compute, years: number): Wall[] {
  const { most } = input;
  const connections = connectionsOf(day);
  return [
    {
      name: 'Postgres CPU',
      used: inBusiestSecond(day.postgresMs) / 1000 / compute.cores,
      moves: 'larger compute; then separate projects for groups of tenants',
    },
    {
      name: 'direct connections',
      used: connections / compute.connections,
      moves:
        'the pooler: `DATABASE_URL`, in transaction mode for more than a few hundred; `DATABASE_POOL_SIZE` 2',
    },
    {
      name: 'pooler clients',
      used: connections / compute.poolerClients,
      moves: 'larger compute',
    },
    {
      name: 'recommended database size for the compute',
      used: gigabytes(day, years) / compute.gigabytes,
      moves: 'larger compute; archive the request log; shorter retention of events',
    },
    {
      name: 'disk (gp3)',
      used: gigabytes(day, years) / most.gp3Gigabytes,
      moves: 'archive the request log; shorter retention of events; an io2 disk with 60 TB',
    },
    {
      name: 'Redis commands per second',
      used: inBusiestSecond(day.redisCommands) / most.redisCommandsASecond,
      moves: 'a Redis per project',
    },
    {
      name: 'QStash messages per day, largest fixed plan',
      used: day.messages / most.qstashMessagesADay,
      moves:
        'bursts that share a message; a longer `PROVIDER_CHECK_SECONDS`; pay as you go, which has no daily limit, but 100 in parallel; an Enterprise plan',
    },
    {
      name: 'parallel QStash messages, largest fixed plan',
      used: (inBusiestSecond(day.messages) * input.RECEIVER_SECONDS) / most.qstashAtOnce,
      moves: 'an Enterprise plan; receivers that respond faster',
    },
  ];
}

const choosing = new Set(['Postgres CPU', 'pooler clients', 'recommended database size for the compute']);

/** A share of the tenants in its own project. */
export interface Project {
  day: Day;
  compute: Compute;
  /** The limit that rules out the next smaller compute. */
  because: Wall | undefined;
}

/** The smallest sufficient compute; undefined if even the largest is not sufficient. */
function projectOf(day: Day, years: number): Project | undefined {
  let because: Wall | undefined;
  for (const compute of input.computes) {
    const full = wallsOf(day, compute, years)
      .filter(({ name, used }) => choosing.has(name) && used > input.FULL_AT)
      .sort((a, b) => b.used - a.used)[0];
    if (!full) return { day, compute, because };
    because = full;
  }
  return undefined;
}

/** The smallest sufficient number of projects, each with the same share of the tenants. */
export function projectsFor(tenants: number, years: number): { count: number; each: Project } {
  for (let count = 1; ; count++) {
    const each = projectOf(dayOfAll(tenants / count), years);
    if (each) return { count, each };
  }
}

export interface Money {
  compute: number;
  disk: number;
  calls: number;
  egress: number;
  redis: number;
  qstash: number;
}

const cheapest = (asOneGoes: number, plans: readonly { dollars: number }[]) =>
  Math.min(asOneGoes, ...plans.map(({ dollars }) => dollars));

/** Costs of a project in dollars per month. */
export function moneyOf({ day, compute }: Project, years: number): Money {
  const { prices } = input;
  const month = input.WORKING_DAYS;
  const millionCalls = (day.requests + day.messages) * (month / 1e6) + input.SWEEPS_A_MONTH / 1e6;
  const egress = ((day.requests + day.deliveries) * month * input.EGRESS_BYTES) / GIGABYTE;
  const millionMessages = (day.messages * month + input.SWEEPS_A_MONTH) / 1e6;
  const qstashPlans = prices.qstashFixed.filter(({ millionsADay }) => day.messages / 1e6 <= millionsADay);
  const redisGigabytes = (day.redisCommands * month * input.REDIS_BYTES) / GIGABYTE;
  const redisPlans = prices.redisFixed.filter(({ gigabytes: most }) => redisGigabytes <= most);
  const beyond = (used: number, included: number, price: number) => Math.max(0, used - included) * price;
  return {
    compute: prices.plan + compute.dollars - prices.computeIncluded,
    disk: beyond(gigabytes(day, years), prices.diskIncluded, prices.diskGigabyte),
    calls: beyond(Math.ceil(millionCalls), prices.callsIncluded, prices.millionCalls),
    egress: beyond(egress, prices.egressIncluded, prices.egressGigabyte),
    redis: cheapest(((day.redisCommands * month) / 1e6) * prices.redisMillionCommands, redisPlans),
    qstash: cheapest(millionMessages * prices.qstashMillionMessages, qstashPlans),
  };
}
