// Requests per second: Placar compared to the bare handler, and to only its SQL.
import { alternate, ratioOf } from '../compare.ts';
import { type Parts, postgresProcesses, watchCpu } from '../cpu.ts';
import { importLine, startDeno } from '../deno.ts';
import type { LoadProcess } from '../load/client.ts';
import type { Load, Target } from '../load/load.ts';
import type { Pace } from '../pace.ts';
import { printRates, type Ratio } from '../report.ts';
import { MAPPED_CODES, placar, placarBehindGateway, type Stage, UNMAPPED_CODES } from '../stage.ts';

const BATCH = 1000;

export async function measureThroughput(stage: Stage, load: LoadProcess, pace: Pace): Promise<Ratio[]> {
  const { stack, dir, apiKey } = stage;
  const bare = await startDeno({
    name: 'bare',
    entry: `${importLine('bench/bare/app.ts', 'app')}Deno.serve(app.fetch);\n`,
    health: '/bare/health',
    env: { SUPABASE_DB_URL: stack.env.SUPABASE_DB_URL ?? '' },
    dir,
  });
  try {
    const targets = {
      'through the gateway': placarBehindGateway(stage),
      placar: placar(stage),
      bare: { kind: 'http', url: `http://127.0.0.1:${bare.port}/bare`, apiKey },
    } satisfies Record<string, Target>;
    const sql: Target = { kind: 'sql', databaseUrl: stack.info.database_url, apiKey };
    const make = (activities: number) => (target: Target) => loadOf(target, activities, MAPPED_CODES, pace);
    const parts: Parts = {
      'the function': () => [stack.functions.get('default-integration')?.pid() ?? 0],
      'the bare handler': () => [bare.pid],
      Postgres: await postgresProcesses(stage.sql),
      'Redis and gateway': () => [process.pid],
      'the load': () => [load.pid],
    };

    const small = await alternate(load, mapValues(targets, make(1)), pace.rounds);
    printRates('Syncs of 1 activity', 1, small);
    await watchLoad(load, make(1)(targets.placar), parts, 'Syncs of 1 activity by Placar: CPU use');
    await watchLoad(load, make(1)(targets.bare), parts, 'Syncs of 1 activity by the bare handler: CPU use');

    const batch = await alternate(load, mapValues({ ...targets, 'only SQL': sql }, make(BATCH)), pace.rounds);
    printRates(`Syncs of ${BATCH} activities`, BATCH, batch);
    await watchLoad(load, make(BATCH)(targets.placar), parts, `Syncs of ${BATCH} by Placar: CPU use`);

    const codes = await alternate(
      load,
      {
        'mapped codes': loadOf(targets.placar, BATCH, MAPPED_CODES, pace),
        'unmapped codes': loadOf(targets.placar, BATCH, UNMAPPED_CODES, pace),
      },
      pace.rounds,
    );
    printRates(`Syncs of ${BATCH} activities, with and without completed missions`, BATCH, codes);

    return [
      { name: '1 activity: Placar / bare handler', value: ratioOf(small.placar, small.bare), atLeast: 0.8 },
      {
        name: `${BATCH} activities: Placar / bare handler`,
        value: ratioOf(batch.placar, batch.bare),
        atLeast: 0.8,
      },
      {
        name: `${BATCH} activities: Placar / only SQL`,
        value: ratioOf(batch.placar, batch['only SQL']),
        atLeast: 0.95,
      },
      {
        name: '1 activity: through the gateway / direct',
        value: ratioOf(small['through the gateway'], small.placar),
      },
      {
        name: `${BATCH} activities: mapped codes and badges / unmapped codes`,
        value: ratioOf(codes['mapped codes'], codes['unmapped codes']),
        atLeast: 0.67,
      },
    ];
  } finally {
    await bare.stop();
  }
}

const loadOf = (target: Target, activities: number, codes: string[], { seconds }: Pace): Load => ({
  target,
  activities,
  codes,
  concurrency: 8,
  until: { seconds },
});

const watchLoad = (load: LoadProcess, what: Load, parts: Parts, title: string) =>
  watchCpu(title, parts, () => load.run(what));

function mapValues<K extends string, V, W>(values: Record<K, V>, map: (value: V) => W): Record<K, W> {
  return Object.fromEntries(Object.entries<V>(values).map(([key, value]) => [key, map(value)])) as Record<
    K,
    W
  >;
}
