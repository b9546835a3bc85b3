// `npm run proof:faults -- --jobs`: payment jobs killed at each of their exchanges, against a stack of its own.
import { startVitest } from 'vitest/node';

export async function runKilledJobs(): Promise<void> {
  const vitest = await startVitest('test', [], {
    config: false,
    watch: false,
    include: ['tests/proof/faults/killed-jobs.long.ts'],
    globalSetup: ['tests/support/shared-stack.ts'],
    // As long as it takes.
    testTimeout: 0,
    disableConsoleIntercept: true,
  });
  await vitest.close();
}
