// `placar ledger export`, as a user runs it.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { openTable } from '../../../clients/typescript/src/cli/sync/files/table.ts';
import { clean } from '../../../clients/typescript/src/cli/sync/lines.ts';
import { convert } from '../../../clients/typescript/src/cli/sync/values/convert.ts';
import { createCredentials } from '../../support/clients/client.ts';
import { connectDatabase } from '../../support/database.ts';
import { environmentOf, expectHidden, newFolder, runCli, useCli } from './run-cli.ts';

const sql = connectDatabase();
useCli();

test('exports a month as CSV to stdout and a range as OFX to a file', async () => {
  const credentials = await createCredentials(sql);
  await sql`
    insert into balance_transactions (tenant_id, type, amount, currency, net, available_on, created)
    values (${credentials.tenantId}, 'adjustment', -4000, 'BRL', -4000, '2026-03-31', '2026-03-31T20:00:00Z')`;
  const env = environmentOf(credentials);
  const printed = await runCli(['ledger', 'export', '--period', '2026-03', '--locale', 'pt-BR'], { env });
  expect([printed.code, printed.stderr]).toEqual([0, '']);
  expect(printed.stdout).toMatch(/;ajuste;;-40,00;BRL;0,00;-40,00;.*\r\n$/);
  const cwd = newFolder();
  const args = ['--from', '2026-03-01', '--to', '2026-03-31', '--format', 'ofx', '--output', 'march.ofx'];
  expect((await runCli(['ledger', 'export', ...args], { env, cwd })).code).toBe(0);
  expect(readFileSync(join(cwd, 'march.ofx'), 'utf8')).toContain('<TRNAMT>-40.00</TRNAMT>');
  expect(readdirSync(cwd)).toEqual(['march.ofx']);
});

test('what pt-BR writes is read back to the same values', async () => {
  const credentials = await createCredentials(sql);
  const reasons = ['Ajuste; "caixa", 1', '=1+1', "'=1+1", '-x', '＋y', '\n@z', 'Conceição'];
  const amounts = [-4000, 123_456_789, 1, -99, 125_000, 7, 1_250_000];
  for (const [index, reason] of reasons.entries())
    await sql`
      insert into balance_transactions (tenant_id, type, amount, currency, net, available_on, created, reason)
      values (${credentials.tenantId}, 'adjustment', ${amounts[index] ?? 0}, 'BRL', ${amounts[index] ?? 0},
              '2026-03-12', ${`2026-03-11T20:0${index}:00Z`}, ${reason})`;
  const file = join(newFolder(), 'ledger.csv');
  const args = ['--period', '2026-03', '--locale', 'pt-BR', '--output', file];
  await runCli(['ledger', 'export', ...args], { env: environmentOf(credentials) });
  const { rows } = await openTable(file, { delimiter: undefined, encoding: undefined, sheet: undefined });
  const notation = { decimalSign: ',', dayOrder: 'dmy', timeZone: 'America/Sao_Paulo' } as const;
  const found = [];
  for await (const { cells } of rows()) found.push(cells.map((cell) => clean(String(cell))));
  const [header = [], ...lines] = found;
  // `reason` comes right before the amount.
  const amountAt = lines[0]?.indexOf('-40,00') ?? -1;
  expect(header).toHaveLength(lines[0]?.length ?? 0);
  expect(lines.map((line) => line[amountAt - 1])).toEqual(reasons);
  expect(lines.map((line) => convert('number', line[amountAt] ?? '', notation))).toMatchObject(
    amounts.map((amount) => ({ value: amount / 100 })),
  );
  expect(lines.map((line) => convert('time', line[1] ?? '', notation))).toEqual(
    amounts.map((_, index) => ({ value: `2026-03-11T20:0${index}:00Z` })),
  );
  expect(convert('day', lines[0]?.[2] ?? '', notation)).toEqual({ value: '2026-03-12' });
});

test.each([
  [['--period', '2026-3']],
  [[]],
  [['--from', '2026-03-01']],
  [['--period', '2026-03', '--to', '2026-03-31']],
  [['--period', '2026-03', '--format', 'pdf']],
])('rejects invalid arguments: %j', async (args) => {
  const env = { PLACAR_URL: 'http://127.0.0.1:9', PLACAR_API_KEY: 'sk_test_x' };
  expect((await runCli(['ledger', 'export', ...args], { env })).code).toBe(2);
});

test('prints the reason of a rejection, and leaves no file if the export is aborted', async () => {
  const credentials = await createCredentials(sql);
  const env = environmentOf(credentials);
  const refused = await runCli(
    ['ledger', 'export', '--from', '2024-01-01', '--to', '2026-03-31', '--no-json'],
    { env },
  );
  expect([refused.code, refused.stdout]).toEqual([1, '']);
  expect(refused.stderr).toContain('period');
  const server = createServer((_, response) => {
    response.writeHead(200, { 'Content-Type': 'text/csv' });
    response.write('id,created\r\n', () => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const cwd = newFolder();
  const broken = await runCli(['ledger', 'export', '--period', '2026-03', '--output', 'march.csv'], {
    env: { ...env, PLACAR_URL: `http://127.0.0.1:${port}` },
    cwd,
  });
  expect(broken.code).toBe(1);
  expect(broken.stderr).toContain('The connection broke');
  expect([existsSync(join(cwd, 'march.csv')), readdirSync(cwd)]).toEqual([false, []]);
  expectHidden(broken, [credentials.apiKey]);
});
