// Webhooks per second, from the event's row to the receiver: QStash, claim, signature, delivery and outcome, against
// posting the same number of bodies from a loop that does nothing else.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { median } from '../compare.ts';
import type { Pace } from '../pace.ts';
import { printTable, type Ratio } from '../report.ts';
import type { Stage } from '../stage.ts';

const PARALLEL = 4;

export async function measureDeliveries({ sql, tenantId, stack }: Stage, pace: Pace): Promise<Ratio[]> {
  let received = 0;
  const receiver = createServer((request, response) => {
    request.resume();
    request.on('end', () => {
      received++;
      response.end('ok');
    });
  });
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`;
  await sql`select admin.create_payment_webhook(${tenantId}, ${url})`;

  const until = async (count: number) => {
    while (received < count) await new Promise((resolve) => setTimeout(resolve, 5));
  };
  const deliver = async (): Promise<number> => {
    received = 0;
    await sql`
      insert into public.events (tenant_id, interface, type, data)
      select ${tenantId}, 'payments', 'payout.paid', to_jsonb(p)
      from generate_series(1, ${pace.deliveries}), (select 1 as amount, '{}'::jsonb as beneficiary, now() as created) as p`;
    const startedAt = performance.now();
    // What a request does after its commit; here the events came by SQL.
    await fetch(`${stack.env.QSTASH_URL}/v2/publish/${stack.env.FUNCTIONS_URL}/callbacks/sweep`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${stack.env.QSTASH_TOKEN}`, 'Content-Type': 'application/json' },
      body: '{}',
    });
    await until(pace.deliveries);
    return pace.deliveries / ((performance.now() - startedAt) / 1000);
  };
  const post = async (): Promise<number> => {
    received = 0;
    const startedAt = performance.now();
    const worker = async () => {
      for (let i = 0; i < pace.deliveries / PARALLEL; i++)
        await fetch(url, { method: 'POST', body: '{"type":"payout.paid"}' });
    };
    await Promise.all(Array.from({ length: PARALLEL }, worker));
    return pace.deliveries / ((performance.now() - startedAt) / 1000);
  };

  const rates = { deliver: [] as number[], post: [] as number[] };
  for (let round = -1; round < pace.rounds; round++) {
    const [delivered, posted] = [await deliver(), await post()];
    if (round < 0) continue;
    rates.deliver.push(delivered);
    rates.post.push(posted);
  }
  receiver.close();
  const [delivered, posted] = [median(rates.deliver), median(rates.post)];
  const rows = [
    ['webhook deliveries', delivered.toFixed(0)],
    ['bare posts', posted.toFixed(0)],
  ];
  printTable('Webhooks to one endpoint', ['', 'a second'], rows);
  return [{ name: 'webhook deliveries / bare posts', value: delivered / posted }];
}
