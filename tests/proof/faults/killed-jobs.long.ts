// Kills jobs before and after every exchange with the database and the provider; `run.ts` starts it.
import { test } from 'vitest';
import { jobCases } from './job-cases.ts';
import { connectForJobs, expectWithin, killAtEach } from './killed-jobs.ts';

const connections = connectForJobs();
const onProgress = (line: string) => console.log(line);
const sides = ['ask', 'answer'] as const;
const each = Object.keys(jobCases).flatMap((name) => sides.map((side) => [name, side] as const));

test.each(each)('%s, at each %s', async (name, side) => {
  expectWithin(await killAtEach(name, connections, { side, reads: true, onProgress }));
});
