// A callbacks function that is killed within a job, whenever the database has answered or Asaas has done something, and before the job
// hears of it. `npm run proof:faults -- --jobs` kills before and after every word with either of them.
import { test } from 'vitest';
import { jobCases } from '../../../proof/faults/job-cases.ts';
import { connectForJobs, expectWithin, killAtEach } from '../../../proof/faults/killed-jobs.ts';

const connections = connectForJobs();

test.each(Object.keys(jobCases))('%s: nothing is lost, and nothing is done twice', async (name) => {
  expectWithin(await killAtEach(name, connections, { side: 'answer', reads: false }));
});
