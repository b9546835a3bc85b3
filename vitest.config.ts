import { defineConfig } from 'vitest/config';

/** What needs a browser: `npm run proof:pages`. */
const pages = ['tests/proof/pages/*.test.ts', 'tests/console/browser/*.test.ts'];

const inStack = (...names: string[]) => names.map((name) => `tests/stack/${name}.test.ts`);

/** Processes that die, services that fail, moves of tenants: `npm run proof:outages`. */
const outages = [
  ...inStack('backup', 'database-full', 'database-tls', 'faults', 'lifecycle', 'limits-under-load'),
  ...inStack('local-troubles', 'private-folder'),
  ...inStack('neighbors', 'payments-crashes', 'payments-crashes-after', 'postgres-lost', 'postgres-restart'),
  ...inStack('read-only-database', 'records-faults', 'slow-bodies', 'tenant-move-options', 'tenant-moves'),
  ...inStack('unknown-outcomes'),
  'tests/functions/connectors/{imports,limits,many-rows}.test.ts',
  'tests/functions/payments/asaas/killed{,-jobs}.test.ts',
  'tests/platform/backlog.test.ts',
];

/** Random changes compared with a model, and generated requests: `npm run proof:histories`. */
const histories = [
  'tests/database/{point-days,point-histories,standings}.test.ts',
  'tests/functions/connectors/history.test.ts',
  'tests/functions/payments/random.test.ts',
  'tests/functions/payments/*/history.test.ts',
  'tests/functions/v1/lead-merge-{model,races}.test.ts',
  'tests/functions/webhooks/histories.test.ts',
  'tests/proof/requests/requests.test.ts',
];

/** Everything that people paste, install or deploy with: `npm run proof:examples`. */
const examples = [
  'tests/docs/{examples,guides,no-code,openapi-examples}.test.ts',
  'tests/clients/cli/{doctor,trigger}.test.ts',
  'tests/clients/python/python-client.test.ts',
  'tests/clients/typescript/package.test.ts',
  ...inStack('deploy', 'deploying'),
];

/** Folders whose tests need nothing but this process: no stack, no database. */
const unit = ['repository', 'shared', 'local', 'console/sign-in'].map(
  (folder) => `tests/${folder}/**/*.test.ts`,
);

/** No test is that slow on any machine: waits are bounded by progress (tests/support/wait-for.ts), this ends a hang. */
const HANGS_AFTER_MS = 5 * 60_000;

const onStack = { isolate: false, unstubEnvs: true, globalSetup: ['tests/support/shared-stack.ts'] };

export default defineConfig({
  test: {
    projects: [
      // They share loaded modules, which are half of what they cost; a file that replaces a module loads it afresh.
      { extends: true, test: { name: 'unit', include: unit, isolate: false } },
      {
        extends: true,
        test: {
          name: 'stack',
          include: ['tests/**/*.test.ts'],
          exclude: [...unit, ...pages, ...outages, ...histories, ...examples],
          ...onStack,
        },
      },
      // They run each night, and on every push beside `npm test`.
      { extends: true, test: { name: 'outages', include: outages, ...onStack } },
      { extends: true, test: { name: 'histories', include: histories, ...onStack } },
      { extends: true, test: { name: 'examples', include: examples, ...onStack } },
      { extends: true, test: { name: 'pages', include: pages, ...onStack } },
    ],
    reporters: ['./tests/support/progress-reporter.ts'],
    testTimeout: HANGS_AFTER_MS,
    hookTimeout: HANGS_AFTER_MS,
    // Clients print what they were refused; only that of a failing test is worth reading.
    silent: 'passed-only',
    // Tests wait about as long as they compute: five workers keep two cores busy.
    maxWorkers: 5,
  },
});
