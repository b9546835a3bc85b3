// `npm run demo`: calls the API of the local stack like a small company, so that every page of the console has data. Safe to
// repeat: a second run adds invoices and payouts, and does not change existing people and deals.
import postgres from 'postgres';
import { readStack, stackFolder } from '../local/environment.ts';
import { exitWithError } from '../local/start-error.ts';
import { createDemoData } from './demo/create-demo-data.ts';

async function main(): Promise<void> {
  const stack = readStack(stackFolder());
  const sql = postgres(stack.database_url, { max: 2, onnotice: () => {} });
  try {
    await createDemoData(stack, sql, (what) => console.log(`  ${what}`));
  } finally {
    await sql.end();
  }
  console.log(`Demo data created. Open the console: ${stack.base_url}`);
}

await main().catch(exitWithError);
