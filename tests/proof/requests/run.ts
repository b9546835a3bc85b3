// `npm run proof:requests -- --seed 1 --count 100000`: generated requests against a separate stack. It prints its
// progress, and at the end the responses and the faults.
import { parseArgs } from 'node:util';
import { startVitest } from 'vitest/node';

const options = {
  seed: { type: 'string', default: '1' },
  count: { type: 'string', default: '2000' },
} as const;
const { seed, count } = parseArgs({ options }).values;

// Requests to Redis are kept for ten times as long, which would look like growing memory.
process.env.REDIS_TIMEOUT_MS ??= '3000';

const vitest = await startVitest('test', [], {
  config: false,
  watch: false,
  include: ['tests/proof/requests/long.ts'],
  globalSetup: ['tests/support/shared-stack.ts'],
  env: { PROOF_SEED: seed, PROOF_COUNT: count },
  // No timeout.
  testTimeout: 0,
  disableConsoleIntercept: true,
});
await vitest.close();
