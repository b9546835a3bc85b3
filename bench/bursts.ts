// Bursts of webhooks, from the event rows to a receiver in its own process.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { Stage } from './stage.ts';

export interface Receiver {
  url: string;
  pid: number;
  /** Does the work, and waits until this many webhooks have arrived. */
  receive(number: number, work: () => Promise<unknown>): Promise<void>;
  stop(): void;
}

export async function startReceiver(): Promise<Receiver> {
  const child = fork(fileURLToPath(new URL('load/receiver.ts', import.meta.url)), {
    execArgv: ['--import', 'tsx'],
  });
  const [port] = await once(child, 'message');
  return {
    url: `http://127.0.0.1:${port}/`,
    pid: child.pid ?? 0,
    async receive(number, work) {
      const received = once(child, 'message');
      child.send(number);
      await work();
      await received;
    },
    stop: () => child.disconnect(),
  };
}

/** Subscribes the receiver to payment events. */
export async function subscribe({ sql, tenantId }: Stage, { url }: Receiver): Promise<void> {
  await sql`select admin.create_payment_webhook(${tenantId}, ${url})`;
}

/**
 * Inserts the events by SQL, which triggers their delivery. Waits until all are delivered and their outcomes are recorded.
 * Returns the seconds until the last one arrived.
 */
export async function deliverBurst(
  { sql, tenantId }: Stage,
  receiver: Receiver,
  events: number,
): Promise<number> {
  let startedAt = 0;
  await receiver.receive(events, async () => {
    startedAt = performance.now();
    await sql`
      insert into public.events (tenant_id, interface, type, data)
      select ${tenantId}, 'payments', 'payout.paid', to_jsonb(p)
      from generate_series(1, ${events}), (select 1 as amount, '{}'::jsonb as beneficiary, now() as created) as p`;
  });
  const seconds = (performance.now() - startedAt) / 1000;
  const pending = async () => {
    const [row] = await sql`
      select exists (select from public.webhook_deliveries where tenant_id = ${tenantId} and status = 'pending') as some`;
    return row?.some;
  };
  while (await pending()) await new Promise((resolve) => setTimeout(resolve, 20));
  return seconds;
}
