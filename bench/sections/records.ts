// Leads and statistics: against the bare handler on Placar's own tables, and with few and many stored.
import { alternate, ratioOf, type Summary } from '../compare.ts';
import { importLine, startDeno } from '../deno.ts';
import type { LoadProcess } from '../load/client.ts';
import type { Load, PlainRequest } from '../load/load.ts';
import type { Pace } from '../pace.ts';
import { operations, requestsOf } from '../peers/requests.ts';
import { fillRecords, type RecordsClient, recordsClient } from '../records.ts';
import { printRates, type Ratio } from '../report.ts';
import { type Stage, startStage } from '../stage.ts';

const FEW = 10_000;
/** Beside the bare handler, and with few and many stored. */
export async function measureRecords(full: Stage, load: LoadProcess, pace: Pace): Promise<Ratio[]> {
  const small = await startStage();
  try {
    const few = await recordsClient(small);
    await fillRecords(small, few, FEW);
    const bare = await againstBare(small, few, load, pace);
    const many = await recordsClient(full);
    await fillRecords(full, many, pace.storedRecords);
    return [...bare, ...(await fewAndMany(few, many, load, pace))];
  } finally {
    await small.stop();
  }
}

const loadOf = (url: string, request: PlainRequest, { seconds }: Pace): Load => ({
  target: { kind: 'plain', url, request },
  activities: 1,
  codes: ['001'],
  concurrency: 8,
  until: { seconds },
});

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
        'bare handler': loadOf(`http://127.0.0.1:${bare.port}`, ofBare[operation], pace),
        Placar: loadOf(client.url, ofPlacar[operation], pace),
      },
      pace.rounds,
    );
    printRates(`Leads, ${operation}, with ${FEW} stored`, 1, rates);
    ratios.push(ratio(`lead ${operation}: Placar / bare handler`, rates.Placar, rates['bare handler'], 0.8));
  }
  await bare.stop();
  return ratios;
}

async function fewAndMany(
  few: RecordsClient,
  many: RecordsClient,
  load: LoadProcess,
  pace: Pace,
): Promise<Ratio[]> {
  const reads: Record<string, (client: RecordsClient) => string> = {
    'get a lead': ({ leads }) => `/v1/leads/${leads[0]}`,
    'list leads': () => '/v1/leads',
    'list leads of a status by name': () => '/v1/leads?status=new&sort=name',
    'list leads of an owner': ({ owner }) => `/v1/leads?owner_id=${owner}&sort=-updated_at`,
    'search leads of a common word': () => '/v1/leads?search=silva',
    'search leads of a common word and a number': () => '/v1/leads?search=silva%2042',
    'list deals by value': () => '/v1/deals?status=open&min_value=500&sort=-value',
    'statistics of a user': ({ owner }) => `/v1/users/${owner}/stats?period=year`,
  };
  const ratios: Ratio[] = [];
  for (const [name, pathOf] of Object.entries(reads)) {
    const at = (client: RecordsClient): Load =>
      loadOf(
        client.url,
        { method: 'GET', paths: [pathOf(client)], headers: { authorization: `Bearer ${client.token}` } },
        pace,
      );
    const rates = await alternate(load, { few: at(few), many: at(many) }, pace.rounds);
    printRates(`${name}, with ${FEW} and with ${pace.storedRecords} stored`, 1, rates);
    ratios.push(ratio(`${name}: ${pace.storedRecords} / ${FEW}`, rates.many, rates.few, 0.5));
  }
  return ratios;
}
