// `placar tenant status`: shows the progress of a move and the remaining steps.
import type { Output } from '../output.ts';
import { openAccounts } from './after.ts';
import { missingFiles } from './files.ts';
import type { Side } from './side.ts';
import { expectMove } from './state.ts';

export async function showStatus(from: Side, to: Side, slug: string, out: Output): Promise<undefined> {
  const move = await expectMove(from, to, slug);
  const { id, tenant_id: tenantId, state } = move.out;
  const rows = await Promise.all(
    [from, to].map(async (side) => ({ side: side.name, ...(await readRow(side, id)) })),
  );
  const isSwitched = state === 'moved' && move.in?.state === 'open';
  const accounts = isSwitched ? await openAccounts(tenantId, to) : [];
  const files = state === 'finished' || state === 'rolled_back' ? [] : await missingFiles(from, to, tenantId);
  const todo = [
    ...(state === 'moved' && move.in?.state === 'verified'
      ? ['The destination is not open yet. Run npx placar tenant resume.']
      : []),
    ...accounts.map(
      ({ id: account, provider, problem }) => `The account ${account} at ${provider}: ${problem}.`,
    ),
    ...(files.length > 0 ? [`${files.length} files are missing at the destination.`] : []),
    ...(isSwitched && accounts.length === 0 && files.length === 0
      ? [`npx placar tenant finish ${slug} --confirm ${slug}`]
      : []),
  ];
  await out.table(
    ['side', 'state', 'rows copied', 'of', 'progress at', 'last error'],
    rows.map((row) =>
      [row.side, row.state, row.rows_copied, row.rows_total, row.progressed_at, row.last_error].map((cell) =>
        String(cell ?? ''),
      ),
    ),
  );
  for (const item of todo) out.note(`To do: ${item}`);
  out.json({ move_id: id, slug, source: rows[0], destination: rows[1], todo });
  return undefined;
}

interface StatusRow {
  state?: string;
  rows_copied?: string;
  rows_total?: string | null;
  progressed_at?: string;
  last_error?: string | null;
}

async function readRow({ sql }: Side, id: string): Promise<StatusRow> {
  const [row] = await sql<StatusRow[]>`
    select state, rows_copied, rows_total, to_char(progressed_at, 'YYYY-MM-DD"T"HH24:MI:SS"Z"') as progressed_at, last_error
    from admin.tenant_moves where move_id = ${id}`;
  return row ?? {};
}
