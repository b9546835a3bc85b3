// Kills a job at one exchange after another and checks that nothing is lost or done twice.
import { expect } from 'vitest';
import { connectDatabase } from '../../support/database.ts';
import { connectAdmin } from '../../support/payments/connected-tenant.ts';
import { type KillPoint, startKillableWorkers } from '../../support/payments/killable-workers.ts';
import { type Connections, jobCases } from './job-cases.ts';

export const connectForJobs = (): Connections => ({ admin: connectAdmin(), silent: connectDatabase() });

export interface Grid extends Omit<KillPoint, 'nth'> {
  onProgress?: (line: string) => void;
}

/** Kills a new job at each relevant exchange, until a job finishes before it is killed. Returns the number of kills. */
export async function killAtEach(
  name: string,
  connections: Connections,
  { onProgress, ...where }: Grid,
): Promise<number> {
  const workers = await startKillableWorkers(connections.silent);
  for (let nth = 1; ; nth++) {
    const one = await jobCases[name]?.(connections);
    if (!one) throw new Error(`no job ${name}`);
    try {
      const killed = await workers.killWithin(one.job, { ...where, nth }, one.isOver);
      await one.expectOnce();
      if (!killed) return nth - 1;
    } catch (error) {
      throw new Error(`${name}, killed at the ${where.side} of exchange ${nth}`, { cause: error });
    }
    onProgress?.(`${name}: killed at the ${where.side} of exchange ${nth}`);
  }
}

/** At least some exchanges belong to the job's own work, between its claim and the record of its outcome. */
export const expectWithin = (kills: number): void => expect(kills).toBeGreaterThan(3);
