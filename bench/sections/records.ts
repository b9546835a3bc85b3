// Leads and statistics: compared to the bare handler on Placar's own tables, and with few and many stored.
import { alternate, ratioOf, type Summary } from '../compare.ts';
import { importLine, startDeno } from '../deno.ts';
import { measureFewAndMany, plainLoad, type Reads } from '../few-and-many.ts';
import type { LoadProcess } from '../load/client.ts';
import type { Pace } from '../pace.ts';
import { operations, requestsOf } from '../peers/requests.ts';
import { fillRecords, type RecordsClient, recordsClient } from '../records.ts';
import { printRates, type Ratio } from '../report.ts';
import { type Stage, startStage } from '../stage.ts';

const FEW = 10_000;

const reads: Reads = {
  'get a lead': ({ leads }) => `/v1/leads/${leads[0]}`,
  'list leads': () => '/v1/leads',
  'list leads of a status by name': () => '/v1/leads?status=new&sort=name',
  'list leads of an owner': ({ owner }) => `/v1/leads?owner_id=${owner}&sort=-updated_at`,
  'search leads of a common word': () => '/v1/leads?search=silva',
  'search leads of a common word and a number': () => '/v1/leads?search=silva%2042',
  'list deals by value': () => '/v1/deals?status=open&min_value=500&sort=-value',
  'statistics of a user': ({ owner }) => `/v1/users/${owner}/stats?period=year`,
};

/** Compares to the bare handler, and few to many stored records. */
export async function measureRecords(full: Stage, load: LoadProcess, pace: Pace): Promise<Ratio[]> {
  const small = await startStage();
  try {
    const few = await recordsClient(small);
    await fillRecords(small, few, FEW);
    const bare = await againstBare(small, few, load, pace);
    const many = await recordsClient(full);
    await fillRecords(full, many, pace.storedRecords);
    const sizes = { few: `${FEW} stored`, many: `${pace.storedRecords} stored` };
    return [...bare, ...(await measureFewAndMany(reads, { few, many, sizes }, load, pace))];
  } finally {
    await small.stop();
  }
}

const ratio = (
  name: string,
  one: Summary | undefined,
  other: Summary | undefined,
  atLeast: number,
): Ratio => {
  if (!one || !other) throw new Error('a load was not measured');
  return { name, value: ratioOf(one, other), atLeast };
};

async function againstBare(
  stage: Stage,
  client: RecordsClient,
  load: LoadProcess,
  pace: Pace,
): Promise<Ratio[]> {
  const bare = await startDeno({
    name: 'bare-records',
    entry: `${importLine('bench/bare/records.ts', 'app')}Deno.serve(app.fetch);\n`,
    health: '/bare/health',
    env: stage.stack.env,
    dir: stage.dir,
  });
  const { token, leads: ids } = client;
  const asked = { headers: { authorization: `Bearer ${token}` }, ids, tenantId: stage.tenantId };
  const [ofBare, ofPlacar] = [requestsOf.triggered(asked), requestsOf.placar(asked)];
  const ratios: Ratio[] = [];
  for (const operation of operations) {
    const rates = await alternate(
      load,
      {
        'bare handler': plainLoad(`http://127.0.0.1:${bare.port}`, ofBare[operation], pace),
        Placar: plainLoad(client.url, ofPlacar[operation], pace),
      },
      pace.rounds,
    );
    printRates(`Leads, ${operation}, with ${FEW} stored`, 1, rates);
    ratios.push(ratio(`lead ${operation}: Placar / bare handler`, rates.Placar, rates['bare handler'], 0.8));
  }
  await bare.stop();
  return ratios;
}
