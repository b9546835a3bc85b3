// `npm run bench:trees -- <folder>...`: the same requests to this checkout and to others, each on its own stack, in turns. Shows
// what a change costs, for example against a worktree of the commit before it that has its own node_modules.
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { placarRequests } from './contenders.ts';
import { type Contender, measureCosts, printCosts } from './costs.ts';
import { postgresProcesses } from './cpu.ts';
import { type LoadProcess, startLoadProcess } from './load/client.ts';
import { loadOf } from './operation.ts';
import { type Pace, paces } from './pace.ts';
import { type Operation, operations } from './peers/requests.ts';
import type * as records from './records.ts';
import type * as stages from './stage.ts';

const LEADS = 20_000;

interface Tree {
  contenderOf(operation: Operation): Contender;
  postgres(): number[];
  stop(): Promise<void>;
}

const importFrom = (folder: string, path: string): Promise<unknown> =>
  import(pathToFileURL(join(folder, 'bench', path)).href);

/** Starts the stack of a checkout, with that checkout's own code. */
async function startTree(folder: string, load: LoadProcess, pace: Pace): Promise<Tree> {
  const { startStage } = (await importFrom(folder, 'stage.ts')) as typeof stages;
  const { fillRecords, recordsClient } = (await importFrom(folder, 'records.ts')) as typeof records;
  const stage = await startStage();
  const client = await recordsClient(stage);
  await fillRecords(stage, client, LEADS);
  const edge = stage.stack.functions.get('v1');
  const requests = placarRequests(stage, client, client.token);
  return {
    contenderOf: (operation) => {
      const target = { kind: 'plain', url: client.url, request: requests[operation] } as const;
      return {
        warmUp: () => load.run(loadOf(target, { requests: pace.warmUp })),
        run: () => load.run(loadOf(target, { seconds: pace.seconds })),
        processes: () => [edge?.pid() ?? 0],
      };
    },
    postgres: await postgresProcesses(stage.sql),
    stop: stage.stop,
  };
}

async function main(folders: string[], pace: Pace): Promise<void> {
  const load = startLoadProcess();
  const trees = new Map<string, Tree>();
  try {
    for (const folder of folders) trees.set(folder, await startTree(folder, load, pace));
    const running = [...trees.values()];
    const shared = {
      postgres: () => running.flatMap((tree) => tree.postgres()),
      standIns: () => [process.pid],
    };
    for (const operation of operations) {
      const contenders = Object.fromEntries(
        [...trees].map(([name, tree]) => [name, tree.contenderOf(operation)]),
      );
      printCosts(`lead ${operation}`, await measureCosts(contenders, shared, pace.rounds));
    }
  } finally {
    load.stop();
    for (const tree of trees.values()) await tree.stop();
  }
}

const others = process.argv.slice(2).filter((argument) => argument !== '--quick');
if (others.length === 0) {
  console.error('Usage: npm run bench:trees -- [--quick] <folder of another checkout>...');
  process.exitCode = 2;
} else {
  await main(
    [process.cwd(), ...others.map((folder) => resolve(folder))],
    process.argv.includes('--quick') ? paces.quick : paces.full,
  );
}
