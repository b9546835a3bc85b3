// Renders the tables of docs/scale.md.
import * as input from './inputs.ts';
import * as scale from './simulate.ts';

const SIZES = [10, 1000, 100_000];
/** The limits include data stored after this time. */
const YEARS = 1;

/** Two significant digits, with a unit for large numbers. */
function short(value: number): string {
  if (value === 0) return '0';
  for (const [unit, size] of [
    ['G', 1e9],
    ['M', 1e6],
    ['k', 1e3],
  ] as const) {
    if (value >= size * 0.995) return `${Number((value / size).toPrecision(2))} ${unit}`;
  }
  return value < 0.1 ? value.toFixed(3) : String(Number(value.toPrecision(2)));
}

const inTb = (gigabytes: number) =>
  gigabytes >= 1000 ? `${short(gigabytes / 1000)} TB` : `${short(gigabytes)} GB`;
const dollars = (value: number) => (value >= 10_000 ? `$${short(value)}` : `$${Math.round(value)}`);
const percent = (value: number) => (value < 0.01 ? '<1 %' : `${short(value * 100)} %`);

const row = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
const table = (titles: readonly string[], rows: readonly (readonly string[])[]) =>
  [row(titles), row(titles.map(() => '---')), ...rows.map(row)].join('\n');

/** Costs per month of all projects, by part and in total, with the data of this many years. */
function moneyAfter(size: number, years: number) {
  const { count, each } = scale.projectsFor(size, years);
  const ofOne = Object.entries(scale.moneyOf(each, years));
  const money = new Map(ofOne.map(([part, amount]) => [part, count * amount]));
  const total = [...money.values()].reduce((sum, amount) => sum + amount, 0);
  return { count, each, money, total };
}

const sized = SIZES.map((size) => {
  const { count, each, money, total } = moneyAfter(size, YEARS);
  const walls = scale.wallsOf(each.day, each.compute, YEARS).sort((a, b) => b.used - a.used);
  return { size, day: scale.dayOfAll(size), count, each, fullest: walls[0], money, total };
});
type Sized = (typeof sized)[number];
const head = ['', ...SIZES.map((size) => `${size.toLocaleString('en')} tenants`)];
const line = (name: string, of: (one: Sized) => string) => [name, ...sized.map(of)];

const answer = () =>
  table(head, [
    line('requests per working day', ({ day }) => short(day.requests)),
    line('requests per second, busiest hour', ({ day }) => short(scale.inBusiestSecond(day.requests))),
    line('first limit', ({ each }) => each.because?.name ?? 'none: the smallest compute is enough'),
    line('required: projects, compute of each', ({ count, each }) => `${count}, ${each.compute.name}`),
    line('fullest resource then', ({ fullest }) => `${fullest?.name}, ${percent(fullest?.used ?? 0)}`),
    line('dollars per month', ({ total }) => dollars(total)),
    line('dollars per month and tenant', ({ total, size }) => `$${(total / size).toFixed(2)}`),
  ]);

const busy = (ms: number) => short(scale.inBusiestSecond(ms) / 1000);
const resources = () =>
  table(head, [
    line('Postgres CPUs in the busiest hour', ({ day }) => busy(day.postgresMs)),
    line('function CPUs in the busiest hour', ({ day }) => busy(day.functionMs)),
    line('workers', ({ each, count }) => short(count * scale.workersOf(each.day))),
    line('connections', ({ each, count }) => short(count * scale.connectionsOf(each.day))),
    line('Redis commands per month', ({ day }) => short(day.redisCommands * input.WORKING_DAYS)),
    line('webhook deliveries per day', ({ day }) => short(day.deliveries)),
    line('QStash messages per day', ({ day }) => short(day.messages)),
    line('storage after one year', ({ day }) => inTb(scale.gigabytes(day, 1))),
    line('storage after seven years', ({ day }) => inTb(scale.gigabytes(day, 7))),
  ]);

function rows(): string {
  const names = Object.keys(input.tables) as input.Table[]; // the keys of a constant
  const day = scale.dayOfAll(1000);
  const sorted = names.sort(
    (a, b) => scale.gigabytesOf(b, day.rows[b], 7) - scale.gigabytesOf(a, day.rows[a], 7),
  );
  return table(
    ['table', 'bytes per row', 'retention in days', 'rows per year', 'after one year', 'after seven years'],
    sorted.map((name) => {
      const { bytes, days } = input.tables[name];
      const inYear = day.rows[name] * 12 * input.WORKING_DAYS;
      const stored = [1, 7].map((years) => inTb(scale.gigabytesOf(name, day.rows[name], years)));
      return [`\`${name}\``, String(bytes), days === 0 ? 'forever' : String(days), short(inYear), ...stored];
    }),
  );
}

function walls(): string {
  const of = scale.wallsOf(scale.dayOfAll(1_000_000), input.computes.at(-1) ?? input.computes[0], YEARS);
  const standing = of.map((wall) => ({ ...wall, at: (1_000_000 * input.FULL_AT) / wall.used }));
  return table(
    ['limit', 'reached at (tenants)', 'how to raise it'],
    standing.sort((a, b) => a.at - b.at).map(({ name, at, moves }) => [name, short(at), moves]),
  );
}

const money = () =>
  table(
    head,
    [...(sized[0]?.money.keys() ?? [])].map((part) => line(part, (one) => dollars(one.money.get(part) ?? 0))),
  );

const later = () =>
  table(head, [
    ...[3, 7].flatMap((years) => [
      line(`projects and compute after ${years} years`, ({ size }) => {
        const { count, each } = moneyAfter(size, years);
        return `${count}, ${each.compute.name}`;
      }),
      line(`dollars per month after ${years} years`, ({ size }) => dollars(moneyAfter(size, years).total)),
    ]),
    line('point-in-time recovery, 7 days', ({ count }) => dollars(count * input.prices.recovery)),
    line('production packs of Redis and QStash', ({ count }) =>
      dollars(2 * count * input.prices.productionPack),
    ),
    line('logs per month', ({ day }) =>
      inTb(((day.requests + day.messages) * input.WORKING_DAYS * input.LOG_BYTES) / 1e9),
    ),
  ]);

/** By their names in docs/scale.md. */
export const scaleTables = (): Record<string, string> => ({
  answer: answer(),
  walls: walls(),
  resources: resources(),
  rows: rows(),
  money: money(),
  later: later(),
});
