// `npm run demo`: calls the API of the local stack like a small company, so that every page of the console has data. Safe to
// repeat: a second run adds what is missing, and further invoices and payouts.
import postgres from 'postgres';
import { readStack, stackFolder } from '../local/environment.ts';
import { exitWithError } from '../local/start-error.ts';
import { createDemoData } from './demo/create-demo-data.ts';

async function main(): Promise<void> {
  const stack = readStack(stackFolder());
  const sql = postgres(stack.database_url, { max: 2, onnotice: () => {} });
  try {
    await createDemoData(stack, sql, (made) => console.log(`  ${made}`));
  } finally {
    await sql.end();
  }
  console.log(`The demo company is complete. Open the console: ${stack.base_url}`);
}

await main().catch(exitWithError);
