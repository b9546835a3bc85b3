// Runs all steps of the demo in order.
import type postgres from 'postgres';
import { Placar } from '../../clients/typescript/src/index.ts';
import type { StackInfo } from '../../local/demo.ts';
import { reportActivities } from './activities.ts';
import { createDemoGamification } from './gamification.ts';
import { createDemoPayments } from './payments.ts';
import { createDemoRecords } from './records.ts';
import { subscribe } from './webhooks.ts';

type DemoTarget = Pick<
  StackInfo,
  'base_url' | 'tenant_id' | 'api_key' | 'client_id' | 'client_secret' | 'inbox_url'
>;

/** Calls the API like a small company. Calls `onDone` after each step, with what it created. */
export async function createDemoData(
  stack: DemoTarget,
  sql: postgres.Sql,
  onDone: (made: string) => void,
): Promise<void> {
  const placar = new Placar({
    url: stack.base_url,
    apiKey: stack.api_key,
    clientId: stack.client_id,
    clientSecret: stack.client_secret,
  });
  onDone(madeOf(await createDemoGamification(sql, stack.tenant_id)));
  onDone(madeOf(await subscribe(placar, sql, stack)));
  onDone(madeOf(await reportActivities(placar)));
  onDone(madeOf(await createDemoRecords(placar)));
  onDone(madeOf(await createDemoPayments(placar)));
}

/** Created records by their name in the plural. */
export type Made = Readonly<Record<string, number>>;

/** `created leads (12), deals (18); already there: users`. */
function madeOf(made: Made): string {
  const all = Object.entries(made);
  const created = all.filter(([, count]) => count > 0).map(([name, count]) => `${name} (${count})`);
  const known = all.filter(([, count]) => count === 0).map(([name]) => name);
  return [
    ...(created.length > 0 ? [`created ${created.join(', ')}`] : []),
    ...(known.length > 0 ? [`already there: ${known.join(', ')}`] : []),
  ].join('; ');
}
