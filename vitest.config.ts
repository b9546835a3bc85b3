import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['tests/**/*.test.ts'],
    globalSetup: ['tests/support/shared-stack.ts'],
    testTimeout: 30_000,
    hookTimeout: 60_000,
    // Clients print what they were refused; only that of a failing test is worth reading.
    silent: 'passed-only',
    // The parts of the stack share two cores with the tests.
    maxWorkers: 2,
  },
});
