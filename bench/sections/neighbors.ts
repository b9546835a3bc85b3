// Response times of a tenant while another tenant on the same worker runs many searches in parallel.
import { performance } from 'node:perf_hooks';
import { fillRecords, type RecordsClient, recordsClient } from '../records.ts';
import { printTable, type Ratio } from '../report.ts';
import type { Stage } from '../stage.ts';

const NOISY_LEADS = 500_000;
const QUIET_LEADS = 100;
const PARALLEL = 60;
const SECONDS = 15;
/** Searches for common words, which match many leads. */
const SEARCHES = ['silva', 'maria%20silva', 'jos%C3%A9%20silva%204', 'silva%2042', 'company%20silva'];

interface Measured {
  /** Milliseconds of each response, by status. */
  byStatus: Map<number, number[]>;
}

export async function measureNeighbors(stage: Stage): Promise<Ratio[]> {
  const noisy = await tenantWith(stage, NOISY_LEADS);
  const quiet = await tenantWith(stage, QUIET_LEADS);

  const undisturbed = await repeat(quiet, 1, quietPaths(quiet));
  const searching = repeat(
    noisy,
    PARALLEL,
    SEARCHES.map((words) => `/v1/leads?search=${words}`),
  );
  const disturbed = await repeat(quiet, 1, quietPaths(quiet));
  const searched = await searching;
  printTable(
    `A quiet tenant next to one that searches ${NOISY_LEADS} leads with ${PARALLEL} parallel requests`,
    ['', 'status', 'responses', 'p50 ms', 'p99 ms', 'max ms'],
    [
      ...rowsOf('quiet, no searches', undisturbed),
      ...rowsOf('quiet, during the searches', disturbed),
      ...rowsOf('searching', searched),
    ],
  );
  const served = disturbed.byStatus.get(200) ?? [];
  const others = [...disturbed.byStatus.keys()].filter((status) => status !== 200);
  if (others.length > 0) throw new Error(`the quiet tenant got status ${others.join(', ')}`);
  return [
    {
      name: 'longest response time of a tenant during another one’s searches, in seconds',
      value: Math.max(...served) / 1000,
      atMost: 1,
    },
  ];
}

async function tenantWith(stage: Stage, leads: number): Promise<RecordsClient> {
  const [tenant] = await stage.sql`select admin.create_tenant(${`With ${leads}`}, ${`with-${leads}`}) as id`;
  const own = { ...stage, tenantId: String(tenant?.id) };
  const client = await recordsClient(own);
  await fillRecords(own, client, leads, { deals: false });
  return client;
}

const quietPaths = ({ leads }: RecordsClient) => [
  '/v1/leads',
  `/v1/leads/${leads[0]}`,
  '/v1/leads?search=silva',
];

/** Sends these requests in rotation with this parallelism, for a while. */
async function repeat({ url, token }: RecordsClient, parallel: number, paths: string[]): Promise<Measured> {
  const byStatus = new Map<number, number[]>();
  const until = performance.now() + SECONDS * 1000;
  let turn = 0;
  const send = async () => {
    while (performance.now() < until) {
      const startedAt = performance.now();
      const path = paths[turn++ % paths.length];
      const reply = await fetch(`${url}${path}`, { headers: { authorization: `Bearer ${token}` } });
      await reply.arrayBuffer();
      const times = byStatus.get(reply.status) ?? [];
      times.push(performance.now() - startedAt);
      byStatus.set(reply.status, times);
    }
  };
  await Promise.all(Array.from({ length: parallel }, send));
  return { byStatus };
}

function rowsOf(name: string, { byStatus }: Measured): string[][] {
  return [...byStatus].map(([status, times]) => {
    const sorted = times.toSorted((a, b) => a - b);
    const at = (share: number) => (sorted[Math.ceil(share * sorted.length) - 1] ?? Number.NaN).toFixed(0);
    return [name, String(status), String(times.length), at(0.5), at(0.99), at(1)];
  });
}
