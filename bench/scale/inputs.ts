// Inputs of the scale simulation, each with its source. docs/scale.md explains them.

/** Actions of one tenant on a working day. Assumed, not measured. Replace them by your own numbers. */
export interface Tenant {
  /** Share of all tenants. */
  share: number;
  /** Activity sync requests, and the activities in each. */
  syncs: number;
  activitiesInSync: number;
  leadsRead: number;
  listsRead: number;
  leadsCreated: number;
  leadsUpdated: number;
  dealsCreated: number;
  dealsUpdated: number;
  callsLogged: number;
  invoices: number;
  /** Average number of webhooks that receive an event. */
  webhooks: number;
  /** Redis commands per request: 2 for a worker's first request in a window, 1 for later ones, fewer with leases. */
  redisCommands: number;
}

export const tenants: Record<string, Tenant> = {
  small: {
    ...{
      share: 0.8,
      syncs: 40,
      activitiesInSync: 3,
      leadsRead: 60,
      listsRead: 60,
      leadsCreated: 10,
      leadsUpdated: 40,
    },
    ...{ dealsCreated: 4, dealsUpdated: 16, callsLogged: 30, invoices: 1, webhooks: 0.5, redisCommands: 2.7 },
  },
  medium: {
    ...{
      share: 0.18,
      syncs: 240,
      activitiesInSync: 4,
      leadsRead: 500,
      listsRead: 500,
      leadsCreated: 80,
      leadsUpdated: 350,
    },
    ...{
      dealsCreated: 30,
      dealsUpdated: 150,
      callsLogged: 250,
      invoices: 8,
      webhooks: 1,
      redisCommands: 2.2,
    },
  },
  large: {
    ...{
      share: 0.02,
      syncs: 1400,
      activitiesInSync: 10,
      leadsRead: 5000,
      listsRead: 5000,
      leadsCreated: 800,
      leadsUpdated: 3500,
    },
    ...{
      dealsCreated: 300,
      dealsUpdated: 1500,
      callsLogged: 2500,
      invoices: 80,
      webhooks: 2,
      redisCommands: 0.8,
    },
  },
};

/** Working days per month, and the share of a day's work in its busiest hour. Assumed. */
export const WORKING_DAYS = 22;
export const BUSIEST_HOUR = 0.15;

/** CPU milliseconds of the function and of Postgres, and QStash messages except those of deliveries. */
export interface Cost {
  functionMs: number;
  postgresMs: number;
  messages: number;
}

/** From docs/performance.md, "Cost". A delivery is part of a burst. */
export const costs: Record<'sync' | 'read' | 'list' | 'create' | 'update' | 'invoice' | 'delivery', Cost> = {
  sync: { functionMs: 1.03, postgresMs: 1.55, messages: 0 },
  read: { functionMs: 0.69, postgresMs: 0.3, messages: 0 },
  list: { functionMs: 1.07, postgresMs: 1.93, messages: 0 },
  create: { functionMs: 0.93, postgresMs: 0.84, messages: 0 },
  update: { functionMs: 0.96, postgresMs: 1.03, messages: 0 },
  invoice: { functionMs: 3.35, postgresMs: 6.39, messages: 1 },
  delivery: { functionMs: 0.95, postgresMs: 0.81, messages: 0 },
};
/** QStash messages per delivery: a single one, or one in a burst. */
export const MESSAGES_OF_DELIVERY = { single: 1, inBurst: 0.04 };
/** Share of deliveries in bursts. Assumed. */
export const SHARE_IN_BURSTS = 0.3;
/** One QStash message per minute for the sweep. */
export const SWEEPS_A_MONTH = 43_200;
/** Provider accounts per tenant. Assumed. */
export const ACCOUNTS = 1;
/** Checks of an account per day: `PROVIDER_CHECK_SECONDS` is 300. */
export const CHECKS_A_DAY = 86_400 / 300;
/** QStash messages per check with many accounts: the checks that are due in a minute share messages, eight each. */
export const MESSAGES_OF_CHECK = 1 / 8;
/** Rows of `callbacks` in the request log: one per QStash message, and one per notification of a provider. */
export const ROWS_PER_MESSAGE = 1;
export const NOTIFICATIONS_OF_INVOICE = 2;
/** Response time of webhook receivers in seconds, during which QStash waits. Assumed. */
export const RECEIVER_SECONDS = 0.3;

/** Bytes of log lines of the platform per call of a function: gateway, function and Postgres. Assumed. */
export const LOG_BYTES = 2000;

/** Bytes of `trace_id` and `waited_ms` in a row of the request log, as if every caller sent a trace. */
const TRACE_BYTES = 16 + 8;

/** Bytes per row with indexes, from `npm run bench:scale rows`, and retention in days (`admin.retention`); 0 means forever. */
export const tables = {
  request_log: { bytes: 367 + TRACE_BYTES, days: 7 * 365 },
  events: { bytes: 827, days: 400 },
  webhook_deliveries: { bytes: 1109, days: 90 },
  webhook_attempts: { bytes: 266, days: 90 },
  jobs: { bytes: 858, days: 7 },
  leads: { bytes: 1916, days: 0 },
  deals: { bytes: 1867, days: 0 },
  deal_activities: { bytes: 706, days: 0 },
  activities: { bytes: 437, days: 0 },
  point_entries: { bytes: 374, days: 0 },
  invoices: { bytes: 1632, days: 0 },
  balance_transactions: { bytes: 1109, days: 0 },
} as const;
export type Table = keyof typeof tables;

/** `DATABASE_POOL_SIZE`. */
export const CONNECTIONS_OF_WORKER = 4;
/** CPU seconds per second of a worker before the platform starts another one. Assumed: it is not published. */
export const WORKER_SHARE = 0.25;
/** Number of functions. Each has at least one worker. */
export const FUNCTIONS = 5;

/** A resource counts as full at this share of its capacity. */
export const FULL_AT = 0.7;

/** Supabase compute sizes: dollars per month, CPUs, connections, pooler clients (supabase.com/docs, compute and disk). */
export const computes = [
  { name: 'Micro', dollars: 10, cores: 2, connections: 60, poolerClients: 200, gigabytes: 10 },
  { name: 'Small', dollars: 15, cores: 2, connections: 90, poolerClients: 400, gigabytes: 50 },
  { name: 'Medium', dollars: 60, cores: 2, connections: 120, poolerClients: 600, gigabytes: 100 },
  { name: 'Large', dollars: 110, cores: 2, connections: 160, poolerClients: 800, gigabytes: 200 },
  { name: 'XL', dollars: 210, cores: 4, connections: 240, poolerClients: 1000, gigabytes: 500 },
  { name: '2XL', dollars: 410, cores: 8, connections: 380, poolerClients: 1500, gigabytes: 1000 },
  { name: '4XL', dollars: 960, cores: 16, connections: 480, poolerClients: 3000, gigabytes: 2000 },
  { name: '8XL', dollars: 1870, cores: 32, connections: 490, poolerClients: 6000, gigabytes: 4000 },
  { name: '12XL', dollars: 2800, cores: 48, connections: 500, poolerClients: 9000, gigabytes: 6000 },
  { name: '16XL', dollars: 3730, cores: 64, connections: 500, poolerClients: 12_000, gigabytes: 10_000 },
] as const;

export const prices = {
  /** Pro plan, including 10 dollars of compute, 8 GB of disk, 2 million invocations and 250 GB of egress. */
  plan: 25,
  computeIncluded: 10,
  diskGigabyte: 0.125,
  diskIncluded: 8,
  millionCalls: 2,
  callsIncluded: 2,
  egressGigabyte: 0.09,
  egressIncluded: 250,
  /** Point-in-time recovery of 7 days, per project. */
  recovery: 100,
  /** Upstash's production pack, for Redis or QStash. */
  productionPack: 200,
  /** Upstash Redis: pay as you go, or fixed plans by gigabytes of traffic per month. */
  redisMillionCommands: 2,
  redisFixed: [
    { gigabytes: 100, dollars: 20 },
    { gigabytes: 500, dollars: 100 },
    { gigabytes: 1000, dollars: 200 },
    { gigabytes: 5000, dollars: 400 },
  ],
  /** QStash: pay as you go, or fixed plans by million messages per day. */
  qstashMillionMessages: 10,
  qstashFixed: [
    { millionsADay: 1, dollars: 180 },
    { millionsADay: 10, dollars: 420 },
  ],
} as const;
/** Egress bytes of a response or webhook, and bytes of a Redis command and its reply. Assumed. */
export const EGRESS_BYTES = 2500;
export const REDIS_BYTES = 300;

/** Limits of the largest plans that are available without contacting sales. */
export const most = {
  redisCommandsASecond: 10_000,
  qstashMessagesADay: 10_000_000,
  qstashAtOnce: 1000,
  gp3Gigabytes: 16_000,
};
