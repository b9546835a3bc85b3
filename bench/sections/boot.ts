// Time from the start of a process to its first response that used the database.
import { functionNames } from '../../functions/manifest.ts';
import { median } from '../compare.ts';
import { importLine, startDeno } from '../deno.ts';
import type { Pace } from '../pace.ts';
import { printTable, type Ratio } from '../report.ts';
import type { Stage } from '../stage.ts';

const BARE = 'boot';

export async function measureBoot({ stack, dir }: Stage, { boots }: Pace): Promise<Ratio[]> {
  const names = [BARE, ...functionNames];
  const times = new Map<string, number[]>(names.map((name) => [name, []]));
  // The first start fills Deno's compilation cache, as a deployment does.
  for (let round = -1; round < boots; round++) {
    for (const name of round % 2 === 0 ? names : names.toReversed()) {
      const started = await startDeno({ name: `boot-${name}`, ...descriptionOf(name), env: stack.env, dir });
      await started.stop();
      if (round >= 0) times.get(name)?.push(started.bootMs);
    }
  }
  const medians = new Map([...times].map(([name, values]) => [name, median(values)]));
  const bareMs = medians.get(BARE) ?? Number.NaN;
  const ratios = functionNames.map((name) => ({
    name: `boot: ${name} / bare function`,
    value: (medians.get(name) ?? Number.NaN) / bareMs,
    atMost: 1.5,
  }));
  const rows = [...medians].map(([name, ms]) => [name === BARE ? 'bare function' : name, ms.toFixed(0)]);
  printTable('From start to the first successful health check', ['', 'median ms'], rows);
  return ratios;
}

function descriptionOf(name: string): { entry: string; health: string } {
  const entry =
    name === BARE
      ? `${importLine('bench/bare/boot.ts', 'app')}Deno.serve(app.fetch);\n`
      : importLine(`functions/${name}/index.ts`);
  return { entry, health: `/${name}/health` };
}
