// Runs all steps of the demo in order.
import type postgres from 'postgres';
import { Placar } from '../../clients/typescript/src/index.ts';
import type { StackInfo } from '../../local/demo.ts';
import { reportActivities } from './activities.ts';
import { createDemoGamification } from './gamification.ts';
import { createDemoPayments } from './payments.ts';
import { createDemoRecords } from './records.ts';
import { subscribe } from './webhooks.ts';

export type DemoTarget = Pick<
  StackInfo,
  'base_url' | 'tenant_id' | 'api_key' | 'client_id' | 'client_secret' | 'inbox_url'
>;

/** Calls the API like a small company. Calls `onStep` at the beginning of each step. */
export async function createDemoData(
  stack: DemoTarget,
  sql: postgres.Sql,
  onStep: (what: string) => void,
): Promise<void> {
  const placar = new Placar({
    url: stack.base_url,
    apiKey: stack.api_key,
    clientId: stack.client_id,
    clientSecret: stack.client_secret,
  });
  const steps: [what: string, run: () => Promise<void>][] = [
    ['missions, tiers, badges, challenges', () => createDemoGamification(sql, stack.tenant_id)],
    ['webhooks', () => subscribe(placar, sql, stack)],
    ['collaborators and their activities', () => reportActivities(placar)],
    ['users, leads and deals', () => createDemoRecords(placar)],
    ['invoices and payouts', () => createDemoPayments(placar)],
  ];
  for (const [what, run] of steps) {
    onStep(what);
    await run();
  }
}
