import { defineConfig } from 'vitest/config';

/** What needs a browser: `npm run proof:pages`. */
const pages = ['tests/proof/pages/*.test.ts', 'tests/console/browser/*.test.ts'];

const inStack = (...names: string[]) => names.map((name) => `tests/stack/${name}.test.ts`);

/** Processes that die, services that fail, poolers, moves of tenants: `npm run proof:outages`. */
const outages = [
  ...inStack('backup', 'database-full', 'database-tls', 'faults', 'lifecycle', 'limits-under-load'),
  ...inStack('local-troubles', 'poolers', 'private-folder'),
  ...inStack('neighbors', 'payments-crashes', 'payments-crashes-after', 'postgres-lost', 'postgres-restart'),
  ...inStack('read-only-database', 'records-faults', 'slow-bodies', 'tenant-move-options', 'tenant-moves'),
  ...inStack('unknown-outcomes'),
  'tests/functions/connectors/{imports,limits,many-rows}.test.ts',
  'tests/functions/payments/asaas/killed{,-jobs}.test.ts',
  'tests/platform/backlog.test.ts',
];

/** Random changes compared with a model, and generated requests: `npm run proof:histories`. */
const histories = [
  'tests/database/{admission,point-days,point-histories,standings}.test.ts',
  'tests/functions/connectors/history.test.ts',
  'tests/functions/payments/random.test.ts',
  'tests/functions/payments/*/history.test.ts',
  'tests/functions/v1/lead-merge-{model,races}.test.ts',
  'tests/functions/webhooks/histories.test.ts',
  'tests/proof/requests/requests.test.ts',
  'tests/shared/platform/access/request-counter.test.ts',
];

/**
 * Everything that people paste, install, start or deploy with: `npm run proof:examples`. Commands are here if their tests start many
 * processes, half a second of a core each. What they print, their settings and exit codes are tested by the other files in their folders.
 */
const examples = [
  'tests/docs/{examples,guides,no-code,openapi-examples,sql-command,webhook-examples}.test.ts',
  'tests/clients/cli/{console-sign-in,doctor,invoices,listen,log-archive}.test.ts',
  'tests/clients/cli/{storage,sync,sync-records,trigger}.test.ts',
  'tests/clients/python/python-client.test.ts',
  'tests/clients/typescript/package.test.ts',
  'tests/repository/operator-commands.test.ts',
  'tests/shared/connectors/check-crm.test.ts',
  'tests/shared/payments/providers/check-provider.test.ts',
  ...inStack('demo-providers', 'deploy', 'deploying'),
];

/** Folders whose tests need nothing but this process: no stack, no database. */
const unit = ['repository', 'shared', 'local', 'console/sign-in'].map(
  (folder) => `tests/${folder}/**/*.test.ts`,
);

/** What `npm test` leaves to them. */
const proofs = [...pages, ...outages, ...histories, ...examples];

/** No test is that slow on any machine: waits are bounded by progress (tests/support/wait-for.ts), this ends a hang. */
const HANGS_AFTER_MS = 5 * 60_000;

const onStack = { isolate: false, unstubEnvs: true, globalSetup: ['tests/support/shared-stack.ts'] };

export default defineConfig({
  test: {
    projects: [
      // They share loaded modules, which are half of what they cost; a file that replaces a module loads it afresh.
      { extends: true, test: { name: 'unit', include: unit, exclude: proofs, isolate: false } },
      {
        extends: true,
        test: {
          name: 'stack',
          include: ['tests/**/*.test.ts'],
          exclude: [...unit, ...proofs],
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
