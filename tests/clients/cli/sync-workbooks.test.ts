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
          <row r="4"><c r="A4" s="3"><v>12345678901234500</v></c>${inline('B4', 'A')}<c r="C4"><v>1</v></c></row>
          <row r="3">${inline('A3', '3')}${inline('B3', 'B')}<c r="C3"><f>A1*2</f></c><c r="D3"><v>5</v></c></row>`,
      }),
    );
    expect(faults.map(({ number, field, message }) => [number, field, message])).toEqual([
      [2, 'external_id', expect.stringContaining('has more than 15 digits')],
      [2, 'value', 'contains the error #REF!'],
      [3, 'value', expect.stringContaining('is a formula without its value')],
      [3, 'expected_close_date', expect.stringContaining('must be a date')],
      [4, 'external_id', expect.stringContaining('has more than 15 digits')],
    ]);
  });

  const money = [
    '[$US$-409] #,##0.00',
    '#,##0.00\\ [$€-2]',
    '[$R$ -416]#,##0.00',
    '[$USD]\\ #,##0.00',
    '[$$-409]#,##0.00',
  ];
  test('the number format of an amount has its currency, as the text of a CSV', async () => {
    const cells = money.map((_, n) => [`s="${n + 6}"`, n + 1]);
    const rows = [['s="5"', 9], ...cells, ['', 7]]
      .map(
        ([style, value], n) =>
          `<row r="${n + 2}">${inline(`A${n + 2}`, `d${n}`)}${inline(`B${n + 2}`, 'A')}<c r="C${n + 2}" ${style}><v>${value}</v></c></row>`,
      )
      .join('');
    const file = workbook({ Plan1: head + rows }, { formats: money });
    const { items, faults } = await readLines(file, { variant: 'c' });
    expect(faults).toEqual([]);
    expect(items.map(({ currency }) => currency)).toEqual([
      'BRL',
      'USD',
      'EUR',
      'BRL',
      'USD',
      'USD',
      undefined,
    ]);
    expect((await readLines(file)).faults.map(({ number }) => number)).toEqual([3, 4, 6, 7]);
  });

  test.each([
    ['hh:mm', 14.5 / 24, false, '14:30'],
    ['hh:mm:ss', 14.5 / 24 + 7 / 86_400, false, '14:30:07'],
    ['h:mm AM/PM', 14.5 / 24, true, '14:30'],
    ['[h]:mm', 30.25 / 24, false, '30:15'],
    ['[hh]:mm:ss', 30.25 / 24, true, '30:15'],
    ['[$-416]h:mm;@', 0, false, '00:00'],
    ['000\\.000\\.000\\-00', 1_234_567_890, false, '012.345.678-90'],
    ['"M-"000', 7, false, 'M-007'],
    ['(00)\\ 00000\\-0000', 11_912_345_678, false, '(11) 91234-5678'],
    ['00000-000', 1_310_100, false, '01310-100'],
    ['#,##0', 1234, false, '1234'],
    ['0.00', 12, false, '12'],
    ['_(* #,##0.00_);_(* \\(#,##0.00\\);_(* "-"??_);_(@_)', 1234.5, false, '1234.5'],
    ['#,##0\\ [$€-2]', 12, false, '12'],
  ])('the format %s shows %d as it is stored in a text', async (format, value, date1904, text) => {
    const columns = `<row r="1">${['ID', 'name', 'value', 'custom_fields.x'].map((name, n) => inline(`${'ABCD'[n]}1`, name)).join('')}</row>`;
    const cell = (address: string) => `<c r="${address}" s="6"><v>${value}</v></c>`;
    const row = `<row r="2">${cell('A2')}${inline('B2', 'A')}<c r="C2"><v>1</v></c>${cell('D2')}</row>`;
    const { items } = await readLines(workbook({ Plan1: columns + row }, { date1904, formats: [format] }));
    expect([items[0]?.external_id, items[0]?.custom_fields]).toEqual([text, { x: text }]);
  });

  test('a day and a time in two columns', async () => {
    const names = ['activity_code', 'external_id', 'collaborator_email', 'Data', 'Hora'];
    const columns = names.map((name, n) => inline(`${'ABCDE'[n]}1`, name)).join('');
    const row = `${inline('A2', '002')}${inline('B2', 'a')}${inline('C2', 'a@x.example')}<c r="D2" s="1"><v>${MAY_5}</v></c><c r="E2" s="6"><v>0.5</v></c>`;
    const file = workbook(
      { Plan1: `<row r="1">${columns}</row><row r="2">${row}</row>` },
      { formats: ['hh:mm'] },
    );
    const { items, faults } = await readLines(file, { kind: undefined, timeZone: 'America/Sao_Paulo' });
    expect([items[0]?.occurred_at, faults]).toEqual(['2026-05-05T15:00:00Z', []]);
  });

  test('cells that are merged downwards have their value in every row', async () => {
    const rows = [2, 3, 4].map(
      (n) =>
        `<row r="${n}">${inline(`A${n}`, `d${n}`)}${n === 2 ? inline('B2', 'Casa') : ''}<c r="C${n}"><v>${n}</v></c></row>`,
    );
    const { items } = await readLines(
      workbook({ Plan1: head + rows.join('') }, { merges: ['B2:B4', 'A6:B9'] }),
    );
    expect(items.map(({ name }) => name)).toEqual(['Casa', 'Casa', 'Casa']);
  });

  test('a cover sheet: what was read is said before the error about its columns', async () => {
    const notes: string[] = [];
    const cover = `<row r="1">${inline('A1', 'Company')}${inline('B1', 'Report')}</row>`;
    const file = workbook({ Cover: cover, Deals: head });
    await expect(readLines(file, { note: (text) => notes.push(text) })).rejects.toThrow('Missing columns');
    expect(notes).toEqual(['Reading the sheet Cover. Use --sheet for another one: Deals.']);
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

  test('the shown amount has its currency in files of LibreOffice', async () => {
    const cell = { t: 'n', v: 1250.5, w: 'US$ 1.250,50' } as const;
    const sheet = utils.aoa_to_sheet([headers.slice(0, 3), ['1', 'A', cell]]);
    const file = write(utils.book_new(sheet, 'Plan1'), { bookType: 'ods', type: 'buffer' });
    expect((await readLines(file, { variant: 'c' })).items).toEqual([
      { external_id: '1', name: 'A', value: 1250.5, currency: 'USD' },
    ]);
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
