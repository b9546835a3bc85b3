// `npm run demo`: calls the API of the local stack as a small company would, so that every page of the console has something
// to show. Safe to repeat: a second run adds invoices and payouts, and leaves the people and deals that are there.
import postgres from 'postgres';
import { readStack, stackFolder } from '../local/environment.ts';
import { exitBecause } from '../local/start-error.ts';
import { furnish } from './demo/furnish.ts';

async function main(): Promise<void> {
  const stack = readStack(stackFolder());
  const sql = postgres(stack.database_url, { max: 2, onnotice: () => {} });
  try {
    await furnish(stack, sql, (what) => console.log(`  ${what}`));
  } finally {
    await sql.end();
  }
  console.log(`Look at ${stack.base_url}`);
}

await main().catch(exitBecause);
