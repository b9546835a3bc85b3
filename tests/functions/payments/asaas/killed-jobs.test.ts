// A callbacks function that is killed while it sends an approved payout, after each request that the database or Asaas has executed,
// before the job receives the response. `npm run proof:faults -- --jobs` kills every job, before and after every request.
import { test } from 'vitest';
import { connectForJobs, expectWithin, killAtEach } from '../../../proof/faults/killed-jobs.ts';

const connections = connectForJobs();

test('order-payout: nothing is lost, and nothing is done twice', async () => {
  expectWithin(await killAtEach('order-payout', connections, { side: 'answer', reads: false }));
});
