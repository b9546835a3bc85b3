// `placar invoices` and `placar requests tail`, as typed by a user.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { connect, createCredentials, newInvoice } from '../../support/clients/client.ts';
import { connectDatabase } from '../../support/database.ts';
import { waitFor } from '../../support/wait-for.ts';
import {
  environmentOf,
  expectHidden,
  jsonLines,
  newFolder,
  runCli,
  startCli,
  untilPrinted,
  useCli,
} from './run-cli.ts';

const sql = connectDatabase();
useCli();

const FLAGS = [
  ...['--amount', '12345', '--currency', 'BRL', '--description', 'Consulting', '--method', 'pix'],
  ...['--customer-name', 'Maria', '--customer-email', 'maria@example.com', '--customer-country', 'BR'],
  ...[
    '--customer-tax-id',
    '52998224725',
    '--metadata',
    'order=42',
    '--metadata',
    'a=b=c',
    '--reference',
    'o-42',
  ],
];

test('creates, pays, shows and lists an invoice', async () => {
  const env = environmentOf(await createCredentials(sql));
  const [made] = jsonLines((await runCli(['invoices', 'create', ...FLAGS], { env })).stdout);
  expect(made).toMatchObject({
    status: 'open',
    amount: 12345,
    customer: { name: 'Maria' },
    metadata: { order: '42', a: 'b=c' },
    contractor_reference: 'o-42',
  });
  const id = String(made?.id);
  expect(jsonLines((await runCli(['invoices', 'pay', id], { env })).stdout)).toMatchObject([
    { id, status: 'paid' },
  ]);
  expect(jsonLines((await runCli(['invoices', 'get', id], { env })).stdout)).toMatchObject([
    { id, status: 'paid' },
  ]);
  const shown = await runCli(['invoices', 'get', id], { env: { ...env, FORCE_COLOR: '1', NO_COLOR: '1' } });
  expect(shown.stdout).toMatch(/│ amount +│ R\$123\.45 +│/);
  expect((await runCli(['invoices', 'list', '--status', 'open'], { env })).stdout).toBe('');
  expect(jsonLines((await runCli(['invoices', 'list', '--limit', '1'], { env })).stdout)).toMatchObject([
    { id },
  ]);
});

/** Runs a command, and returns its first line. */
function runsOf(env: Record<string, string | undefined>) {
  return async (...args: string[]) => jsonLines((await runCli(args, { env })).stdout)[0] ?? {};
}

test('refunds and cancels invoices', async () => {
  const env = environmentOf(await createCredentials(sql));
  const one = runsOf(env);
  const paid = String((await one('invoices', 'create', ...FLAGS)).id);
  await one('invoices', 'pay', paid);
  const part = await one('invoices', 'refund', paid, '--amount', '345', '--reason', 'Damaged');
  expect(part).toMatchObject({ invoice_id: paid, amount: 345, reason: 'Damaged' });
  const rest = await one('invoices', 'refund', paid, '--idempotency-key', 'rest');
  expect(rest).toMatchObject({ amount: 12_000 });
  expect((await one('invoices', 'refund', paid, '--idempotency-key', 'rest')).id).toBe(rest.id);
  const refunds = jsonLines((await runCli(['invoices', 'refunds', paid], { env })).stdout);
  expect(refunds.map(({ id }) => id)).toEqual([rest.id, part.id]);

  const open = String((await one('invoices', 'create', ...FLAGS)).id);
  const canceled = await one('invoices', 'cancel', open, '--reason', 'Duplicate');
  expect(canceled).toMatchObject({ id: open, status: 'canceled' });
});

test('creates and cancels payouts, and shows the balance', async () => {
  const credentials = await createCredentials(sql);
  const env = environmentOf(credentials);
  const one = runsOf(env);
  const flags = ['--amount', '500', '--currency', 'BRL', '--purpose', 'prize', '--reference', 'p-1'];
  const beneficiary = ['--beneficiary-name', 'Ana', '--beneficiary-document', '39053344705'];
  const pix = [
    '--beneficiary-phone',
    '+5511987654321',
    '--pix-key',
    'ana@example.com',
    '--pix-key-type',
    'email',
  ];
  const payout = await one('payouts', 'create', ...flags, ...beneficiary, ...pix);
  expect(payout).toMatchObject({ amount: 500, contractor_reference: 'p-1', beneficiary: { name: 'Ana' } });
  expect(await one('payouts', 'get', String(payout.id))).toMatchObject({ id: payout.id });
  expect(await one('payouts', 'list', '--reference', 'p-1')).toMatchObject({ id: payout.id });
  // Otherwise the sandbox could pay it before the next command runs.
  await sql`select admin.require_payout_approval(${credentials.tenantId}, 0, 'EUR')`;
  const abroad = await runCli(['payouts', 'create', ...flags, '--currency', 'EUR', '--file', '-'], {
    env,
    input: JSON.stringify({
      beneficiary: {
        ...{ name: 'Ana', document: '39053344705', phone: '+5511987654321' },
        bank_account: { type: 'bank_transfer', country: 'DE', iban: 'DE89370400440532013000' },
      },
    }),
  });
  const [transfer] = jsonLines(abroad.stdout);
  expect(await runsOf(env)('payouts', 'cancel', String(transfer?.id))).toMatchObject({ status: 'canceled' });
  // The first payout counts once the sandbox has paid it.
  const balance = await waitFor(async () => {
    const shown = await one('balance');
    return shown.currency && shown;
  });
  expect(balance).toMatchObject({ currency: 'BRL' });
});

test('reads JSON from a file or stdin; flags override it, and one key creates one invoice', async () => {
  const env = environmentOf(await createCredentials(sql));
  const cwd = newFolder();
  const file = join(cwd, 'invoice.json');
  writeFileSync(file, JSON.stringify(newInvoice()));
  const args = ['invoices', 'create', '--idempotency-key', 'key-1'];
  const first = await runCli([...args, '--file', file], { env, cwd });
  expect(jsonLines(first.stdout)).toMatchObject([{ amount: 10000 }]);
  expect(await runCli(args, { env, input: JSON.stringify(newInvoice()) })).toEqual(first);
  const changed = await runCli(['invoices', 'create', '--file', '-', '--amount', '700'], {
    env,
    input: JSON.stringify(newInvoice()),
  });
  expect(jsonLines(changed.stdout)).toMatchObject([{ amount: 700, description: newInvoice().description }]);
  expect(await runCli(args, { env, input: '[]' })).toMatchObject({ code: 2 });
  expect(await runCli([...args, '--file', join(cwd, 'none.json')], { env })).toMatchObject({ code: 2 });
});

test('reports errors field by field', async () => {
  const env = environmentOf(await createCredentials(sql));
  const { code, stderr } = await runCli(['invoices', 'create', '--amount', '1'], { env });
  expect(code).toBe(1);
  const { error } = JSON.parse(stderr);
  expect(error.fields.map(({ field }: { field: string }) => field)).toContain('customer');
  const told = await runCli(['--no-json', 'invoices', 'create', '--amount', '1'], { env });
  expect(told.stderr).toMatch(/error: .*\n {2}customer is required\n/);
});

test('requests tail prints rejected requests with their reason, then requests as they arrive', async () => {
  const credentials = await createCredentials(sql);
  const env = environmentOf(credentials);
  const placar = connect(credentials);
  await placar.invoices.create(newInvoice());
  await placar.leads.create({ name: 'X', email: 'no address' }).catch(() => {});
  const tail = ['requests', 'tail', '--failed', '--tenant', credentials.tenantId];
  const before = await runCli(tail, { env });
  const refused = { status: 400, method: 'POST', path: '/v1/leads', reason: 'validation', fields: ['email'] };
  expect(jsonLines(before.stdout)).toMatchObject([refused]);
  const running = startCli([...tail, '--follow'], { env });
  await untilPrinted(running, (lines) => lines.length === 1 && running.stderr().includes('Following'));
  await placar.invoices.get('inv_none').catch(() => {});
  await placar.invoices.create(newInvoice());
  await untilPrinted(running, (lines) => lines[1]);
  running.kill('SIGINT');
  const ended = await running.ended;
  expect(ended.code).toBe(0);
  expect(jsonLines(ended.stdout)).toMatchObject([refused, { status: 404, reason: 'not_found' }]);
  const password = new URL(String(env.PLACAR_DATABASE_URL)).password;
  expectHidden(ended, [password, credentials.apiKey, credentials.clientSecret]);
  const wrong = String(env.PLACAR_DATABASE_URL).replace(password, 'wrong-password-1');
  const denied = await runCli(tail, { env: { ...env, PLACAR_DATABASE_URL: wrong } });
  expect(denied.code).toBe(1);
  expectHidden(denied, ['wrong-password-1']);
});

test('requests tail reads the log through the API, with the remedies and without its own reads', async () => {
  const credentials = await createCredentials(sql);
  const { PLACAR_DATABASE_URL: _, ...env } = environmentOf(credentials);
  await connect(credentials)
    .leads.create({ name: 'X', email: 'no address' })
    .catch(() => {});
  const rejected = { status: 400, path: '/v1/leads', reason: 'validation', remedy: expect.any(String) };
  const read = async (...flags: string[]) =>
    jsonLines((await runCli(['requests', 'tail', ...flags], { env })).stdout);
  await waitFor(async () => (await read('--failed')).length > 0);
  expect(await read('--failed')).toMatchObject([rejected]);
  expect((await read()).filter(({ path }) => path === '/v1/admin/requests')).toEqual([]);
  const [row] = await read();
  expect(await read('--request', String(row?.request_id))).toMatchObject([{ request_id: row?.request_id }]);
  const refused = await runCli(['requests', 'tail', '--trace', '4bf92f3577b34da6a3ce929d0e0e4736'], { env });
  expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining('PLACAR_DATABASE_URL')]);
});

test('requests tail --trace prints only requests of the trace, in any notation of its id', async () => {
  const env = environmentOf(await createCredentials(sql));
  const id = crypto.randomUUID();
  const traceparent = `00-${id.replaceAll('-', '')}-b7ad6b7169203331-00`;
  await fetch(`${env.PLACAR_URL}/v1/leads`, { headers: { traceparent } });
  const [row] = await waitFor(async () => {
    const { stdout } = await runCli(['requests', 'tail', '--trace', id.replaceAll('-', '')], { env });
    return stdout !== '' && jsonLines(stdout);
  });
  expect(row).toMatchObject({ status: 401, path: '/v1/leads', trace_id: id });
  const again = await runCli(['requests', 'tail', '--trace', id], { env });
  expect(jsonLines(again.stdout)).toEqual([row]);
  expect((await runCli(['requests', 'tail', '--trace', 'x'], { env })).code).toBe(2);
});
