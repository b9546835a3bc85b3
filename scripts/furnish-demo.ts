// `npm run demo`: calls the API of the local stack as a small company would, so that every page of the console has something
// to show. Safe to repeat: a second run adds invoices and payouts, and leaves the people and deals that are there.
import postgres from 'postgres';
import { Placar } from '../clients/typescript/src/index.ts';
import { readStack, stackFolder } from '../local/environment.ts';
import { exitBecause } from '../local/start-error.ts';
import { reportActivities } from './demo/activities.ts';
import { setUpGame } from './demo/game.ts';
import { moveMoney } from './demo/money.ts';
import { keepRecords } from './demo/records.ts';
import { subscribe } from './demo/webhooks.ts';

async function main(): Promise<void> {
  const stack = readStack(stackFolder());
  const sql = postgres(stack.database_url, { max: 2, onnotice: () => {} });
  const placar = new Placar({
    url: stack.base_url,
    apiKey: stack.api_key,
    clientId: stack.client_id,
    clientSecret: stack.client_secret,
  });
  const steps: [what: string, run: () => Promise<void>][] = [
    ['missions, tiers, badges, challenges', () => setUpGame(sql, stack.tenant_id)],
    ['webhooks', () => subscribe(placar, sql, stack)],
    ['collaborators and their activities', () => reportActivities(placar)],
    ['users, leads and deals', () => keepRecords(placar)],
    ['invoices and payouts', () => moveMoney(placar)],
  ];
  try {
    for (const [what, run] of steps) {
      console.log(`  ${what}`);
      await run();
    }
  } finally {
    await sql.end();
  }
  console.log(`Look at ${stack.base_url}`);
}

await main().catch(exitBecause);
