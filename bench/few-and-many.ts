// Compares reads of a tenant with few rows to those of a tenant with many rows. The loads alternate.
import { alternate, ratioOf } from './compare.ts';
import type { LoadProcess } from './load/client.ts';
import type { Load, PlainRequest } from './load/load.ts';
import type { Pace } from './pace.ts';
import type { RecordsClient } from './records.ts';
import { printRates, type Ratio } from './report.ts';

interface Tenants {
  few: RecordsClient;
  many: RecordsClient;
  /** Labels of both sizes in tables. */
  sizes: Record<'few' | 'many', string>;
}

/** Paths of the reads by their label. */
export type Reads = Record<string, (client: RecordsClient) => string>;

/** Reads with many rows must reach at least half the rate of those with few. */
const AT_LEAST = 0.5;

export const plainLoad = (url: string, request: PlainRequest, { seconds }: Pace): Load => ({
  target: { kind: 'plain', url, request },
  activities: 1,
  codes: ['001'],
  concurrency: 8,
  until: { seconds },
});

export async function measureFewAndMany(
  reads: Reads,
  { few, many, sizes }: Tenants,
  load: LoadProcess,
  pace: Pace,
): Promise<Ratio[]> {
  const ratios: Ratio[] = [];
  for (const [name, pathOf] of Object.entries(reads)) {
    const of = (client: RecordsClient) => {
      const headers = { authorization: `Bearer ${client.token}` };
      return plainLoad(client.url, { method: 'GET', paths: [pathOf(client)], headers }, pace);
    };
    const rates = await alternate(load, { few: of(few), many: of(many) }, pace.rounds);
    printRates(`${name}, with ${sizes.few} and with ${sizes.many}`, 1, rates);
    const value = ratioOf(rates.many, rates.few);
    ratios.push({ name: `${name}: ${sizes.many} / ${sizes.few}`, value, atLeast: AT_LEAST });
  }
  return ratios;
}
