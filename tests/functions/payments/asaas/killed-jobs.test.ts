// A callbacks function that is killed during a job, after each request that the database or Asaas has executed, before the job
// receives the response. `npm run proof:faults -- --jobs` kills before and after every request.
import { test } from 'vitest';
import { jobCases } from '../../../proof/faults/job-cases.ts';
import { connectForJobs, expectWithin, killAtEach } from '../../../proof/faults/killed-jobs.ts';

const connections = connectForJobs();

test.each(Object.keys(jobCases))('%s: nothing is lost, and nothing is done twice', async (name) => {
  expectWithin(await killAtEach(name, connections, { side: 'answer', reads: false }));
});
