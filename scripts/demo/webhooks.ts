// Webhooks: to the inbox of the stack, and to an unreachable endpoint, so that the console shows failures.
import type postgres from 'postgres';
import type { Placar } from '../../clients/typescript/src/index.ts';
import type { StackInfo } from '../../local/demo.ts';

export async function subscribe(
  placar: Placar,
  sql: postgres.Sql,
  stack: Pick<StackInfo, 'inbox_url' | 'tenant_id'>,
): Promise<void> {
  const known = await placar.webhooks.list().toArray(1);
  if (known.length > 0) return;
  const secret = 'generate';
  await placar.webhooks.create({
    url: `${stack.inbox_url}/crm`,
    events: [
      'lead.created',
      'lead.converted',
      'deal.created',
      'deal.stage_changed',
      'deal.won',
      'badge.earned',
    ],
    description: 'The CRM',
    secret,
  });
  // Nothing listens on the discard port.
  await placar.webhooks.create({
    url: 'http://127.0.0.1:9/warehouse',
    events: ['deal.won'],
    description: 'An unreachable data warehouse',
    secret,
  });
  await sql`select admin.create_payment_webhook(${stack.tenant_id}, ${`${stack.inbox_url}/finance`})`;
}
