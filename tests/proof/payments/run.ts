// `npm run proof:payments -- --provider asaas --seed 7 --count 1000`: a random history of an account at a provider's fake, against a
// separate stack. It prints its progress; the exit code is 1 if ledger, statement and balance differ at the end.
import { parseArgs } from 'node:util';
import { startVitest } from 'vitest/node';

const options = {
  provider: { type: 'string', default: 'asaas' },
  seed: { type: 'string', default: '1' },
  count: { type: 'string', default: '1000' },
} as const;
const { provider, seed, count } = parseArgs({ options }).values;
const PROVIDERS = ['asaas', 'wise', 'stripe'];
if (!PROVIDERS.includes(provider)) {
  console.error(`--provider must be one of ${PROVIDERS.join(', ')}`);
  process.exit(1);
}

const vitest = await startVitest('test', [], {
  config: false,
  watch: false,
  include: ['tests/proof/payments/long.ts'],
  globalSetup: ['tests/support/shared-stack.ts'],
  env: { PROOF_PROVIDER: provider, PROOF_SEED: seed, PROOF_COUNT: count },
  // No timeout.
  testTimeout: 0,
  disableConsoleIntercept: true,
});
await vitest.close();
