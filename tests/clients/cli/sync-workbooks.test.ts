// The workbooks that `placar sync` reads: cells as the sheet shows them.
import { utils, write } from '@e965/xlsx';
import { describe, expect, test } from 'vitest';
import { inline, readLines, workbook } from '../../support/clients/sync-lines.ts';

describe('workbooks', () => {
  const headers = ['ID', 'Nome do negócio', 'Valor', 'Fechamento previsto'];
  const head = `<row r="1">${headers.map((name, n) => inline(`${'ABCD'[n]}1`, name)).join('')}</row>`;
  const MAY_5 = 46_147;

  test('shared, rich and inline strings, formulas, dates, formats and empty rows', async () => {
    const strings = [' c-1 ', '<r><t>Loja </t></r><r><rPr><b/></rPr><t>Centro</t></r>', 'A &amp; B'];
    const { lines, faults } = await readLines(
      workbook(
        {
          Plan1: `${head}
            <row r="2"><c r="A2" t="s"><v>0</v></c><c r="B2" t="s"><v>1</v></c><c r="C2" s="5"><v>1250.5</v></c><c r="D2" s="1"><v>${MAY_5}</v></c></row>
            <row r="3" spans="1:4"></row><row r="4"><c r="A4"/><c r="B4" t="s"/></row>
            <row r="5"><c r="A5" s="3"><v>123</v></c><c r="B5" t="s"><v>2</v></c><c r="C5"><f>0.1+0.2</f><v>0.30000000000000004</v></c><c r="D5" s="4"><v>${MAY_5}.5</v></c></row>
            <row r="7"><c r="A7"><v>1234567890123</v></c><c r="B7" t="str"><f>A5&amp;"x"</f><v>123x</v></c><c r="C7" t="str"><v>1.250,75</v></c></row>`,
        },
        { strings },
      ),
    );
    expect(faults).toEqual([]);
    expect(lines.map(({ number, item }) => [number, ...Object.values(item)])).toEqual([
      [2, 'c-1', 'Loja Centro', 1250.5, '2026-05-05'],
      [5, '00123', 'A & B', 0.3, '2026-05-05'],
      [7, '1234567890123', '123x', 1250.75],
    ]);
  });

  test('cells that have no sure value are faults', async () => {
    const { faults } = await readLines(
      workbook({
        Plan1: `${head}
          <row r="2"><c r="A2"><v>12345678901234500</v></c>${inline('B2', 'A')}<c r="C2" t="e"><v>#REF!</v></c></row>
          <row r="3">${inline('A3', '3')}${inline('B3', 'B')}<c r="C3"><f>A1*2</f></c><c r="D3"><v>5</v></c></row>`,
      }),
    );
    expect(faults.map(({ number, field, message }) => [number, field, message])).toEqual([
      [2, 'external_id', expect.stringContaining('has more than 15 digits')],
      [2, 'value', 'contains the error #REF!'],
      [3, 'value', expect.stringContaining('is a formula without its value')],
      [3, 'expected_close_date', expect.stringContaining('must be a date')],
    ]);
  });

  test('the epoch of old Macs', async () => {
    const row = `<row r="2">${inline('A2', '1')}${inline('B2', 'A')}<c r="C2"><v>1</v></c><c r="D2" s="1"><v>${MAY_5 - 1462}</v></c></row>`;
    const { items } = await readLines(workbook({ Plan1: head + row }, { date1904: true }));
    expect(items[0]?.expected_close_date).toBe('2026-05-05');
  });

  test('the first visible sheet with a value is read, and another one by its name', async () => {
    const row = (id: string) =>
      `${head}<row r="2">${inline('A2', id)}${inline('B2', 'A')}<c r="C2"><v>1</v></c></row>`;
    const file = workbook({ '~Lists': row('hidden'), Empty: '', Deals: row('d'), Old: row('o') });
    const first = await readLines(file);
    expect(first.items[0]?.external_id).toBe('d');
    expect(first.notes).toContain('Reading the sheet Deals. Use --sheet for another one: Old.');
    expect((await readLines(file, { sheet: 'Old' })).items[0]?.external_id).toBe('o');
    await expect(readLines(file, { sheet: 'x' })).rejects.toThrow(
      'Its sheets are: ~Lists, Empty, Deals, Old.',
    );
    await expect(readLines(workbook({ Plan1: '' }))).rejects.toThrow('has no sheet with a value');
    await expect(readLines(file, { delimiter: ';' })).rejects.toThrow('work only with CSV');
    await expect(readLines('external_id,name,value\n1,A,1', { sheet: 'x' })).rejects.toThrow(
      'works only with workbooks',
    );
  });

  test.each(['xlsx', 'xlsb', 'biff8', 'ods'] as const)('%s', async (bookType) => {
    const rows = [
      headers,
      ['1', 'Conceição', 1250.5, new Date(Date.UTC(2026, 4, 5))],
      ['', '', '', ''],
      [2, 'B', '1.250', '31/12/2026'],
    ];
    const book = utils.book_new(utils.aoa_to_sheet(rows, { UTC: true }), 'Plan1');
    const { items, faults } = await readLines(write(book, { bookType, type: 'buffer' }));
    expect([items.map((item) => Object.values(item)), faults]).toEqual([
      [
        ['1', 'Conceição', 1250.5, '2026-05-05'],
        ['2', 'B', 1250, '2026-12-31'],
      ],
      [],
    ]);
  });
});
