// Controls the load process.
import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { Load, Measured, Reply } from './load.ts';

export interface LoadProcess {
  pid: number;
  /** Runs one load. Throws if any of its requests failed, since such a measurement is meaningless. */
  run(load: Load): Promise<Measured>;
  stop(): void;
}

export function startLoadProcess(): LoadProcess {
  const child = fork(fileURLToPath(new URL('process.ts', import.meta.url)), {
    execArgv: ['--import', 'tsx'],
  });
  return {
    pid: child.pid ?? 0,
    async run(load) {
      const reply = await new Promise<Reply>((resolve, reject) => {
        const onExit = () => reject(new Error('the load process exited'));
        child.once('exit', onExit);
        child.once('message', (message) => {
          child.off('exit', onExit);
          resolve(message as Reply);
        });
        child.send(load);
      });
      if ('error' in reply) throw new Error(reply.error);
      const { failed, failure } = reply.measured;
      if (failed > 0) throw new Error(`${failed} requests of a load failed, for example: ${failure}`);
      return reply.measured;
    },
    stop: () => child.disconnect(),
  };
}
