// Webhooks: to the inbox of the stack, and to an unreachable endpoint, so that the console shows failures.
import type postgres from 'postgres';
import type { Placar } from '../../clients/typescript/src/index.ts';
import type { StackInfo } from '../../local/demo.ts';
import type { Made } from './create-demo-data.ts';

export async function subscribe(
  placar: Placar,
  sql: postgres.Sql,
  stack: Pick<StackInfo, 'inbox_url' | 'tenant_id'>,
): Promise<Made> {
  const known = new Set((await placar.webhooks.list().toArray()).map(({ url }) => url));
  const secret = 'generate' as const;
  const crm = {
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
  } as const;
  // Nothing listens on the discard port.
  const warehouse = {
    url: 'http://127.0.0.1:9/warehouse',
    events: ['deal.won'],
    description: 'An unreachable data warehouse',
    secret,
  } as const;
  const missing = [crm, warehouse].filter(({ url }) => !known.has(url));
  for (const { events, ...webhook } of missing)
    await placar.webhooks.create({ ...webhook, events: [...events] });
  const finance = `${stack.inbox_url}/finance`;
  const forPayments = await sql`
    select admin.create_payment_webhook(${stack.tenant_id}, ${finance})
    where not exists (select from public.webhook_endpoints where tenant_id = ${stack.tenant_id} and url = ${finance})`;
  return { webhooks: missing.length + forPayments.count };
}
