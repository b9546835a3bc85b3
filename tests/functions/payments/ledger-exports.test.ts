// Exports of the ledger for accountants: the same entries as the list, as CSV and OFX, complete or not at all.
import { describe, expect, inject, test } from 'vitest';
import { signRequest } from '../../../shared/platform/access/api-keys.ts';
import { connectDatabase, type Tenant } from '../../support/database.ts';
import { createPayTenant, get, paidInvoice } from '../../support/payments/payment-flows.ts';
import { waitFor } from '../../support/wait-for.ts';

const sql = connectDatabase();
const MONTH = 'period=2026-03';

interface Entry {
  amount?: number;
  fee?: number;
  currency?: string;
  created?: string;
  reason?: string;
  contractor_reference?: string;
  our_number?: string;
}

/** Adds entries to the ledger of a tenant. Default: in March. */
async function enter(tenantId: string, entries: Entry[]): Promise<void> {
  const rows = entries.map(({ amount = 100, fee = 0, currency = 'BRL', ...more }) => ({
    tenant_id: tenantId,
    type: 'adjustment',
    amount,
    fee,
    net: amount - fee,
    currency,
    available_on: '2026-03-20',
    created: '2026-03-10T12:00:00Z',
    reason: null,
    contractor_reference: null,
    our_number: null,
    ...more,
  }));
  await sql`
    insert into balance_transactions (tenant_id, type, amount, fee, net, currency, available_on, created, reason, contractor_reference, our_number)
    select tenant_id, type, amount, fee, net, currency, available_on, created, reason, contractor_reference, our_number
    from jsonb_to_recordset(${sql.json(rows)}) as r (tenant_id uuid, type text, amount bigint, fee bigint, net bigint, currency text,
      available_on date, created timestamptz, reason text, contractor_reference text, our_number text)`;
}

function request({ apiKey }: Pick<Tenant, 'apiKey'>, file: string, method = 'GET', signal?: AbortSignal) {
  const target = `/payments/balance-transactions.${file}`;
  const timestamp = String(Math.floor(Date.now() / 1000));
  const signature = signRequest(apiKey, { timestamp, method, target, body: new Uint8Array() });
  return fetch(`${inject('stack').base_url}/functions/v1${target}`, {
    method,
    headers: { Authorization: `SVC-SIGN-V1 ${apiKey}:${timestamp}:${signature}` },
    ...(signal && { signal }),
  });
}

async function exported(tenant: Pick<Tenant, 'apiKey'>, file: string): Promise<string> {
  const response = await request(tenant, file);
  // `text` would remove the byte order mark.
  const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(await response.arrayBuffer());
  expect([response.status, text]).toEqual([200, expect.anything()]);
  return text;
}

/** Rows of a CSV without quotes, by column. */
function rowsOf(text: string): Record<string, string>[] {
  const [head = '', ...lines] = text.split('\r\n');
  return lines.slice(0, -1).map((line) => {
    const fields = line.split(',');
    return Object.fromEntries(head.split(',').map((name, at) => [name, fields[at] ?? '']));
  });
}

describe('CSV', () => {
  test('has the entries of the list, of a paid invoice too: the same ids in reverse order, and the same sums', async () => {
    const tenant = await createPayTenant(sql);
    await enter(tenant.id, [{ created: '2026-02-01T00:00:00Z' }, { amount: -2599, fee: 1 }]);
    const paid = await paidInvoice(tenant.apiKey, { amount: 12_345, contractor_reference: 'C-1' });
    const other = await createPayTenant(sql);
    await paidInvoice(other.apiKey);
    const range = 'created[gte]=2026-02-02&created[lte]=2027-02-01';
    const { data } = await get(tenant.apiKey, `/balance-transactions?${range}`);
    const rows = rowsOf(await exported(tenant, `csv?${range}`));
    expect(rows.map(({ id }) => id)).toEqual(data.map(({ id }: { id: string }) => id).reverse());
    const sum = (name: 'amount' | 'fee' | 'net') =>
      data.reduce((all: number, entry: Record<string, number>) => all + (entry[name] ?? 0), 0);
    for (const name of ['amount', 'fee', 'net'] as const)
      expect(Math.round(rows.reduce((all, row) => all + Number(row[name]) * 100, 0))).toBe(sum(name));
    expect(rows[0]).toMatchObject({
      amount: '-25.99',
      fee: '0.01',
      net: '-26.00',
      source_id: '',
      refund_id: '',
    });
    expect(rows[1]).toMatchObject({
      type: 'charge',
      reason: '',
      amount: '123.45',
      currency: 'BRL',
      source_resource: 'invoice',
      source_id: paid.id,
      our_number: paid.our_number,
      contractor_reference: 'C-1',
      provider: 'sandbox',
      payer: data.find(({ id }: { id: string }) => id === rows[1]?.id).counterparty,
      beneficiary: '',
    });
    expect(rows[1]?.payer).toBe(paid.customer.name);
    expect(rows[1]?.created).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d-03:00$/);
    const filtered = rowsOf(await exported(tenant, `csv?${range}&source=${paid.id}&type=charge`));
    expect(filtered.map(({ id }) => id)).toEqual([rows[1]?.id]);
  });

  test('marks texts that begin like a formula, and never changes numbers', async () => {
    const tenant = await createPayTenant(sql);
    const texts = ['=1+1', '+1', '-1', '@x', '\tx', '\rx', 'a=b', 'with "quotes", and\nlines'];
    await enter(
      tenant.id,
      texts.map((reason) => ({ amount: -4000, reason, contractor_reference: reason })),
    );
    const text = await exported(tenant, `csv?${MONTH}`);
    const guarded = ["'=1+1", "'+1", "'-1", "'@x", "'\tx", `"'\rx"`, 'a=b', '"with ""quotes"", and\nlines"'];
    for (const one of guarded) expect(text).toContain(`,adjustment,${one},-40.00,BRL,0.00,-40.00,`);
    for (const one of guarded) expect(text).toContain(`,${one},,,\r\n`);
  });

  test('locale pt-BR, currencies with other digits, and no entries', async () => {
    const tenant = await createPayTenant(sql);
    await enter(tenant.id, [
      { amount: -123_456, fee: 5 },
      { amount: 700, currency: 'JPY' },
      { amount: 1500, currency: 'KWD' },
    ]);
    const text = await exported(tenant, `csv?${MONTH}&locale=pt-BR`);
    expect(text.startsWith('\uFEFFId;Criado em;Disponível em;Tipo;Motivo;Valor;Moeda;Tarifa;Líquido;')).toBe(
      true,
    );
    expect(text).toContain(';10/03/2026 09:00:00;20/03/2026;ajuste;;-1234,56;BRL;0,05;-1234,61;');
    expect(text).toContain(';700;JPY;0;700;');
    expect(text).toContain(';1,500;KWD;0,000;1,500;');
    const empty = await exported(tenant, 'csv?period=2025-01');
    expect(empty).toBe(
      'id,created,available_on,type,reason,amount,currency,fee,net,source_resource,source_id,refund_id,our_number,cost_center,contractor_reference,provider,payer,beneficiary\r\n',
    );
  });

  test('sends more than one page, in order and each entry once', async () => {
    const tenant = await createPayTenant(sql);
    await sql`
      insert into balance_transactions (tenant_id, type, amount, currency, net, available_on, created)
      select ${tenant.id}, 'adjustment', n, 'BRL', n, '2026-03-01', '2026-03-02T00:00:00Z' from generate_series(1, 2300) as n`;
    const rows = rowsOf(await exported(tenant, `csv?${MONTH}`));
    const ids = rows.map(({ id }) => id);
    expect(ids).toEqual([...new Set(ids)].sort());
    expect(rows).toHaveLength(2300);
  });
});

describe('OFX', () => {
  /** The contents of all elements with a name. */
  const all = (text: string, name: string) =>
    [...text.matchAll(new RegExp(`<${name}>([^<]*)</${name}>`, 'g'))].map(([, content]) => content);

  test('for one currency: its entries, their fees, and the balance at the end of the month', async () => {
    const tenant = await createPayTenant(sql);
    await enter(tenant.id, [
      { created: '2026-02-10T00:00:00Z', amount: 1000 },
      {
        amount: 10_000,
        fee: 199,
        our_number: 'INV-2026-000001',
        reason: 'ação <&> "á"',
        contractor_reference: 'ref',
      },
      { amount: -4000 },
      { amount: 0 },
      { amount: 700, currency: 'JPY' },
      { created: '2026-04-01T03:00:00Z', amount: 55 },
    ]);
    const text = await exported(tenant, `ofx?${MONTH}`);
    expect(text).toMatch(
      /^OFXHEADER:100\r\nDATA:OFXSGML\r\nVERSION:102\r\nSECURITY:NONE\r\nENCODING:USASCII\r\nCHARSET:1252\r\n/,
    );
    expect(/^[\r\n\x20-\x7e]*$/.test(text)).toBe(true);
    expect(all(text, 'TRNTYPE')).toEqual(['CREDIT', 'FEE', 'DEBIT']);
    expect(all(text, 'TRNAMT')).toEqual(['100.00', '-1.99', '-40.00']);
    const [id, fee] = all(text, 'FITID');
    expect(id).toMatch(/^btxn_/);
    expect(fee).toBe(`${id}-fee`);
    expect(all(text, 'NAME')).toEqual(['INV-2026-000001', 'INV-2026-000001', 'adjustment']);
    expect(text).toContain('<MEMO>acao &lt;&amp;&gt; "a" ref</MEMO>');
    expect(all(text, 'DTPOSTED')[0]).toBe('20260310090000[-3:BRT]');
    expect([all(text, 'DTSTART'), all(text, 'DTEND')]).toEqual([
      ['20260301000000[-3:BRT]'],
      ['20260331235959[-3:BRT]'],
    ]);
    expect(all(text, 'BALAMT')).toEqual(['68.01']);
    expect(all(text, 'CURDEF')).toEqual(['BRL']);
    const yen = await exported(tenant, `ofx?${MONTH}&currency=JPY`);
    expect([all(yen, 'TRNAMT'), all(yen, 'BALAMT'), all(yen, 'CURDEF')]).toEqual([
      ['700.00'],
      ['700.00'],
      ['JPY'],
    ]);
    const none = await exported(tenant, 'ofx?period=2025-01');
    expect(none).toMatch(/<BANKTRANLIST>\r\n<DTSTART>.*\r\n<DTEND>.*\r\n<\/BANKTRANLIST>/);
    expect(all(none, 'BALAMT')).toEqual(['0.00']);
    const present = await exported(tenant, `ofx?period=${new Date().toISOString().slice(0, 7)}`);
    expect(all(present, 'DTASOF')).toEqual(all(present, 'DTSERVER'));
    expect(all(text, 'DTASOF')).toEqual(all(text, 'DTEND'));
  });
});

describe('requests', () => {
  test.each([
    ['csv', 'period'],
    ['ofx?created[gte]=2026-01-01', 'period'],
    ['csv?created[lte]=2026-01-01', 'period'],
    ['csv?created[gte]=2025-01-01&created[lte]=2026-01-03', 'period'],
    ['csv?period=2026-13', 'period'],
    [`csv?${MONTH}&locale=de`, 'locale'],
    [`csv?${MONTH}&currency=brl`, 'currency'],
    [`ofx?${MONTH}&type=refund`, 'type'],
  ])('%s names %s', async (file, field) => {
    const tenant = await createPayTenant(sql);
    const response = await request(tenant, file);
    expect(response.status).toBe(422);
    expect(await response.json()).toMatchObject({ code: 'validation_error', errors: [{ field }] });
  });

  test('headers, also for HEAD', async () => {
    const tenant = await createPayTenant(sql);
    for (const method of ['GET', 'HEAD']) {
      const csv = await request(tenant, `csv?${MONTH}`, method);
      expect([csv.status, (await csv.text()) === '']).toEqual([200, method === 'HEAD']);
      expect(csv.headers.get('content-type')).toBe('text/csv; charset=utf-8');
      expect(csv.headers.get('content-disposition')).toBe('attachment; filename="ledger-2026-03.csv"');
      expect(csv.headers.get('x-request-id')).toBeTruthy();
    }
    const ofx = await request(tenant, 'ofx?created[gte]=2026-03-01&created[lte]=2026-03-31', 'HEAD');
    expect(ofx.headers.get('content-type')).toBe('application/x-ofx');
    expect(ofx.headers.get('content-disposition')).toBe(
      'attachment; filename="ledger-2026-03-01-2026-03-31.ofx"',
    );
  });

  test('a third concurrent export gets 429; an aborted one is released', async () => {
    const tenant = await createPayTenant(sql);
    await sql`
      insert into private.ledger_exports (tenant_id, id, until)
      select ${tenant.id}, gen_random_uuid(), now() + make_interval(mins => m) from unnest('{5,5,-1}'::integer[]) as m`;
    const third = await request(tenant, `csv?${MONTH}`);
    expect([third.status, third.headers.get('retry-after')]).toEqual([429, '5']);
    expect((await third.json()).code).toBe('rate_limited');
    await sql`delete from private.ledger_exports where tenant_id = ${tenant.id}`;
    await sql`
      insert into balance_transactions (tenant_id, type, amount, currency, net, available_on, created, reason)
      select ${tenant.id}, 'adjustment', n, 'BRL', n, '2026-03-01', '2026-03-02T00:00:00Z', repeat('x', 4000) from generate_series(1, 3000) as n`;
    const stop = new AbortController();
    const begun = await request(tenant, `csv?${MONTH}`, 'GET', stop.signal);
    expect(begun.status).toBe(200);
    const running = () => sql`select from private.ledger_exports where tenant_id = ${tenant.id}`;
    expect(await running()).toHaveLength(1);
    stop.abort();
    await waitFor(async () => (await running()).length === 0);
  });
});
