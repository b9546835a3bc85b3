// `npm run proof:faults -- --jobs`: kills payment jobs at each of their exchanges, against a separate stack.
import { startVitest } from 'vitest/node';

export async function runKilledJobs(): Promise<void> {
  const vitest = await startVitest('test', [], {
    config: false,
    watch: false,
    include: ['tests/proof/faults/killed-jobs.long.ts'],
    globalSetup: ['tests/support/shared-stack.ts'],
    // No timeout.
    testTimeout: 0,
    disableConsoleIntercept: true,
  });
  await vitest.close();
}
