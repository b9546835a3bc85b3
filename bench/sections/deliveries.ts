// Webhooks per second, from the event row to the receiver: QStash, claim, signature, delivery and outcome. Compared to posting
// the same number of bodies in a plain loop.
import { deliverBurst, startReceiver, subscribe } from '../bursts.ts';
import { median } from '../compare.ts';
import type { Pace } from '../pace.ts';
import { printTable, type Ratio } from '../report.ts';
import type { Stage } from '../stage.ts';

const PARALLEL = 4;

export async function measureDeliveries(stage: Stage, { rounds, deliveries }: Pace): Promise<Ratio[]> {
  const receiver = await startReceiver();
  await subscribe(stage, receiver);
  const deliver = async () => deliveries / (await deliverBurst(stage, receiver, deliveries));
  const post = async () => {
    const startedAt = performance.now();
    const worker = async () => {
      for (let i = 0; i < deliveries / PARALLEL; i++)
        await fetch(receiver.url, { method: 'POST', body: '{"type":"payout.paid"}' });
    };
    await Promise.all(Array.from({ length: PARALLEL }, worker));
    return deliveries / ((performance.now() - startedAt) / 1000);
  };

  const rates = { deliver: [] as number[], post: [] as number[] };
  for (let round = -1; round < rounds; round++) {
    const [delivered, posted] = [await deliver(), await post()];
    if (round < 0) continue;
    rates.deliver.push(delivered);
    rates.post.push(posted);
  }
  receiver.stop();
  const [delivered, posted] = [median(rates.deliver), median(rates.post)];
  const rows = [
    ['webhook deliveries', delivered.toFixed(0)],
    ['bare posts', posted.toFixed(0)],
  ];
  printTable('Webhooks to one endpoint', ['', 'per second'], rows);
  return [{ name: 'webhook deliveries / bare posts', value: delivered / posted }];
}
