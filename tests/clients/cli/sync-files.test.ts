// The files that `placar sync` reads, as spreadsheets and CRMs of several countries write them: the values of each line.
import { describe, expect, test } from 'vitest';
import type { LinesOptions } from '../../../clients/typescript/src/cli/sync/lines.ts';
import { readLines, refusal } from '../../support/clients/sync-lines.ts';

const valuesOf = async (content: string, options?: Partial<LinesOptions>) =>
  (await readLines(content, options)).items.map(({ value }) => value);

const HEAD = 'external_id,name,value';
const BRAZILIAN = 'Código;Nome;Valor';

describe('numbers', () => {
  test.each([
    [`${BRAZILIAN}\n1;A;1.250\n2;B;12.000\n3;C;7`, [1250, 12_000, 7]],
    [
      `${BRAZILIAN}\n1;A;1.250,50\n2;B;R$ 980,00\n3;C;R$\u00a01.234.567,8\n4;D;0,1`,
      [1250.5, 980, 1_234_567.8, 0.1],
    ],
    [`${HEAD}\n1,A,"1,250.50"\n2,B,"1,250"\n3,C,.5`, [1250.5, 1250, undefined]],
    [`${HEAD}\n1,A,"1.250,50"\n2,B,1.250`, [1250.5, 1250]],
    // Another column of the file proves the notation.
    [`external_id,name,value,custom_fields.x\n1,A,1250.75,\n2,B,1.125,`, [1250.75, 1.125]],
    [`${HEAD}\n1,A,US$ 12\n2,B,"US$ 1,250"`, [12, 1250]],
    // Each cell is unambiguous.
    [`${HEAD}\n1,A,1250.50\n2,B,"1.250,50"\n3,C,12`, [1250.5, 1250.5, 12]],
    // Zeros in the accounting format.
    [`${HEAD}\n1,A,R$ -\n2,B, - \n3,C,"R$ -   "\n4,D,-`, [0, 0, 0, 0]],
    [`${HEAD}\n1,A,1 250\n2,B,"1 250,5"\n3,C,1'250`, [1250, 1250.5, 1250]],
  ])('%j', async (content, values) => {
    expect(await valuesOf(content)).toEqual(values);
  });

  test.each([
    ['pt-BR', 1250],
    ['en', 1.25],
    ['de', 1250],
    ['en-GB', 1.25],
  ])('--locale %s decides', async (locale, value) => {
    expect(await valuesOf(`${HEAD}\n1,A,1.250`, { locale })).toEqual([value]);
  });

  test('an ambiguous number is refused with both readings', async () => {
    expect(await refusal(`${HEAD}\n1,A,7\n2,B,1.250`)).toBe(
      'Column value: 1.250 (line 3) is 1250 with --locale pt-BR and 1.25 with --locale en. Pass one of them.',
    );
    // The signs of the file contradict each other.
    expect(await refusal(`${BRAZILIAN}\n1;A;US$ 1.250`)).toContain('1250 with --locale pt-BR and 1.25 with');
    expect(await refusal(`${HEAD}\n1,A,1250.50\n2,B,"1.250,50"\n3,C,1.250`)).toContain(
      'The column has both notations: 1.250,50 (line 3) and 1250.50 (line 2).',
    );
    expect(await refusal(`${HEAD}\n1,A,1`, { locale: 'no_locale' })).toContain('use a locale such as pt-BR');
  });

  test('what is decided is said, and what is no number is a fault', async () => {
    const { notes, faults } = await readLines(
      `${BRAZILIAN}\n1;A;1.250\n2;B;1.25.0\n3;C;dez\n4;D;1,23457E+12`,
    );
    expect(notes).toContain('Valor: 1.250 is read as 1250. Use --locale en if that is wrong.');
    expect(faults.map(({ number, field, message }) => [number, field, message])).toEqual(
      [3, 4, 5].map((line) => [line, 'value', 'must be a number such as 1.250,50']),
    );
    const strict = await readLines(`${HEAD}\n1,A,1250.50`, { locale: 'pt-BR' });
    expect(strict.faults).toMatchObject([{ field: 'value', message: 'must be a number such as 1.250,50' }]);
  });

  test('the sign of a currency sets the currency, where the names of the variant have one', async () => {
    const content = 'external_id,name,value,currency\n1,A,"R$ 10,50",\n2,B,US$ 10,\n3,C,€ 10,BRL\n4,D,10,';
    const { items, faults } = await readLines(content, { variant: 'c' });
    expect(items.map(({ currency }) => currency)).toEqual(['BRL', 'USD', 'BRL', undefined]);
    expect(faults).toEqual([
      { number: 4, field: 'value', message: 'is in EUR, but the currency is BRL', value: '€ 10' },
    ]);
    expect((await readLines(content)).faults.map(({ number, message }) => [number, message])).toEqual([
      [3, 'is in USD, but would become BRL. Use --variant c, whose names include the currency'],
      [4, 'is in EUR, but would become BRL. Use --variant c, whose names include the currency'],
    ]);
  });
});

describe('dates and times', () => {
  const daysOf = async (content: string, options?: Partial<LinesOptions>) =>
    (await readLines(content, options)).items.map(({ expected_close_date: day }) => day);
  const days = (...texts: string[]) =>
    `external_id,name,value,expected_close_date\n${texts.map((text, n) => `${n},A,1,"${text}"\n`).join('')}`;

  test.each([
    [days('31/12/2026', '01/02/2026'), ['2026-12-31', '2026-02-01']],
    [days('12/31/2026', '01/02/2026'), ['2026-12-31', '2026-01-02']],
    [days('2026-12-31', '2026-12-31 00:00:00', '31.12.2026', '31-12-26'), Array(4).fill('2026-12-31')],
    [days('05/05/2026'), ['2026-05-05']],
    [days('26/11/2026 14:30', '1/2/2026'), ['2026-11-26', '2026-02-01']],
  ])('%j', async (content, found) => {
    expect(await daysOf(content, { timeZone: 'America/Sao_Paulo' })).toEqual(found);
  });

  test('an ambiguous date is refused with both readings, and a locale decides', async () => {
    expect(await refusal(days('11/12/2026'))).toBe(
      'Column expected_close_date: 11/12/2026 (line 2) is 2026-12-11 with --locale pt-BR and 2026-11-12 with --locale en. Pass one of them.',
    );
    expect(await daysOf(days('11/12/2026'), { locale: 'en-GB' })).toEqual(['2026-12-11']);
    expect(await daysOf(days('11/12/2026'), { locale: 'en' })).toEqual(['2026-11-12']);
    const own =
      'activity_code,external_id,collaborator_email,occurred_at,data.x\n002,a,a@x.example,01/02/2025,1';
    for (const content of [own, own.replace('data.x', 'data').replace(/1$/, '{}')])
      expect(await refusal(content, { kind: undefined, timeZone: 'UTC' })).toContain('Pass one of them.');
    const brazilian = `${BRAZILIAN};Fechamento previsto\n1;A;1;11/12/2026\n2;B;1;31/02/2026`;
    const { items, faults } = await readLines(brazilian);
    expect(items[0]?.expected_close_date).toBe('2026-12-11');
    expect(faults).toMatchObject([{ number: 3, message: 'this day does not exist', value: '31/02/2026' }]);
    const old = await readLines(days('31/12/0206', '31/12/1899', '2026-02-30', 'soon', '31/12/1900'));
    expect(old.faults.map(({ message, value }) => [message, value])).toEqual([
      ['is before the year 1900', '31/12/0206'],
      ['is before the year 1900', '31/12/1899'],
      ['this day does not exist', '2026-02-30'],
      ['must be a date such as 2026-12-31 or 31/12/2026', 'soon'],
    ]);
  });

  test.each([
    ['26/11/2026 14:30', '2026-11-26T17:30:00Z'],
    ['26/11/2026 às 14:30:15', '2026-11-26T17:30:15Z'],
    ['26/11/2026 2:30 PM', '2026-11-26T17:30:00Z'],
    ['2026-11-26 14:30:00', '2026-11-26T17:30:00Z'],
    ['2026-11-26 14:30:00 -0300', '2026-11-26T14:30:00-03:00'],
    ['2026-11-26T14:30:00.123Z', '2026-11-26T14:30:00.123Z'],
    ['2026-11-26 17:30 UTC', '2026-11-26T17:30:00Z'],
    ['26/11/2026', '2026-11-26T03:00:00Z'],
    // Summer time until 2019.
    ['26/11/2018 14:30', '2018-11-26T16:30:00Z'],
  ])('the time %j is read in the zone of the file', async (text, time) => {
    const content = `activity_code,external_id,collaborator_email,occurred_at\n002,a,ana@x.example,"${text}"`;
    const options = { kind: undefined, timeZone: 'America/Sao_Paulo' };
    const { items, faults } = await readLines(content, options);
    expect([items[0]?.occurred_at, faults]).toEqual([time, []]);
  });

  test('a time without an offset needs a time zone', async () => {
    const content = 'activity_code;external_id;collaborator_email;Data\n002;a;ana@x.example;26/11/2026 14:30';
    const zone = process.env.TZ;
    process.env.TZ = 'UTC';
    try {
      expect(await refusal(content, { kind: undefined })).toBe(
        '26/11/2026 14:30 (line 2) has no offset. Pass the time zone of the file, such as --time-zone America/Sao_Paulo or --time-zone UTC.',
      );
    } finally {
      if (zone === undefined) delete process.env.TZ;
      else process.env.TZ = zone;
    }
    expect(await refusal(content, { kind: undefined, timeZone: 'Sao_Paulo' })).toContain(
      'use a name such as',
    );
  });
});

describe('encodings', () => {
  const TEXT = 'Código;Nome;Valor\n1;João da Conceição;1,5\n';
  const utf16 = (text: string) => Buffer.from(text, 'utf16le');
  test.each([
    ['UTF-8', Buffer.from(TEXT), []],
    ['UTF-8 with a mark', Buffer.from(`\ufeff${TEXT}`), []],
    ['Windows-1252', Buffer.from(TEXT.replace('1,5', '1,5'), 'latin1'), ['Encoding: windows-1252']],
    ['UTF-16', utf16(TEXT), ['Encoding: utf-16le']],
    ['UTF-16 with a mark', utf16(`\ufeff${TEXT}`), ['Encoding: utf-16le']],
    ['UTF-16 big-endian', utf16(TEXT).swap16(), ['Encoding: utf-16be']],
    ['UTF-16 big-endian with a mark', utf16(`\ufeff${TEXT}`).swap16(), ['Encoding: utf-16be']],
  ])('%s', async (_, content, said) => {
    const { items, notes, faults } = await readLines(content);
    expect([items, faults]).toEqual([[{ external_id: '1', name: 'João da Conceição', value: 1.5 }], []]);
    expect(notes.filter((note) => note.startsWith('Encoding'))).toEqual(said);
  });

  test('the signs that only Windows-1252 has', async () => {
    const bytes = [0x80, 0x82, 0x8c, 0x91, 0x92, 0x93, 0x94, 0x95, 0x96, 0x97, 0x99, 0x9f];
    const lines = ['external_id;name;value\n1;', ';1\n'].map((text) => Buffer.from(text));
    const content = Buffer.concat([lines[0] ?? Buffer.of(), Buffer.from(bytes), lines[1] ?? Buffer.of()]);
    for (const encoding of [undefined, 'windows-1252', 'latin1'])
      expect((await readLines(content, { encoding })).items[0]?.name).toBe('€‚Œ‘’“”•–—™Ÿ');
  });

  test('a line of UTF-8 with other bytes is invalid, and --encoding reads it', async () => {
    const lines = ['Código;Nome;Valor\n1;João;1\n', Buffer.from('2;Jo\u00e3o;1\n', 'latin1'), '3;Ana;1\n'];
    const mixed = Buffer.concat(lines.map((line) => Buffer.from(line)));
    expect((await readLines(mixed)).faults).toEqual([
      { number: 3, field: '', message: 'is not valid UTF-8. Save the file as CSV UTF-8' },
    ]);
    const mac = Buffer.from('external_id;name;value\n1;Jo\u008bo;1\n', 'latin1');
    expect((await readLines(mac, { encoding: 'macintosh' })).items[0]?.name).toBe('João');
    expect(await refusal('a', { encoding: 'ebcdic' })).toContain('--encoding ebcdic: unknown encoding');
  });
});

describe('separators, rows and cells', () => {
  test.each([
    ['sep=;\r\nexternal_id;name;value\r\n1;A, B;1\r\n', 'A, B', 3],
    ['sep=,\nexternal_id,name,value\n1,"A; B",1\n', 'A; B', 3],
    ['"external_id";"name";"Remark, long; and, more";"value"\n1;A;x, y;1\n', 'A', 2],
    ['external_id|name|value\n1|A|1\n', 'A', 2],
    ['external_id\tname\tvalue\n1\tA\t1\n', 'A', 2],
    ['Relatório de negócios, novembro;;\n;;\nexternal_id;name;value\n;;\n1;A;1\n;;;;;\n', 'A', 5],
    ['external_id;name;value;;\n" 1 ";" A\u00a0";1;;;\n', 'A', 2],
  ])('%j', async (content, name, number) => {
    const { lines, faults } = await readLines(content);
    expect([
      lines.map((line) => [line.number, line.item.name, line.item.external_id, line.item.value]),
      faults,
    ]).toEqual([[[number, name, '1', 1]], []]);
  });

  test('signs that spreadsheets need are not part of a text', async () => {
    const content = `external_id,name,value,company\n="00123",'=1+1,1,'+55 11\n"=""00124""",'A,1,''-x\n3,"line\r\nbreak",1,＝x`;
    const { items } = await readLines(content);
    expect(items.map(({ external_id: id, name, company }) => [id, name, company])).toEqual([
      ['00123', '=1+1', '+55 11'],
      ['00124', "'A", "'-x"],
      ['3', 'line\r\nbreak', '＝x'],
    ]);
  });

  test('quotation marks within a cell and a quoted line break in one row', async () => {
    const rows = [
      '="00123",A,1,"two\r\nlines"',
      '2,"two\nlines",1,Loja 12" Sul',
      '3,"a\n""b""\nc",1,5" d',
      '4,"""",1,x',
    ];
    const { lines, faults } = await readLines(`${HEAD},company\n${rows.join('\n')}\n`);
    expect(faults).toEqual([]);
    expect(lines.map(({ number, item }) => [number, item.external_id, item.name, item.company])).toEqual([
      [2, '00123', 'A', 'two\r\nlines'],
      [4, '2', 'two\nlines', 'Loja 12" Sul'],
      [6, '3', 'a\n"b"\nc', '5" d'],
      [9, '4', '"', 'x'],
    ]);
  });

  test('a stray quotation mark makes one line invalid', async () => {
    const rows = Array.from({ length: 3000 }, (_, n) => `${n},Deal ${n},1\r\n`);
    rows[10] = '10,"Deal 10,1\r\n';
    rows[20] = '20,5" screen,1\r\n';
    rows[30] = '30,"Deal\r\n30",1\r\n';
    rows[40] = '40,"Deal" 40,1\r\n';
    rows[2999] = '2999,"Deal 2999,1';
    const { lines, faults, items } = await readLines(`${HEAD}\r\n${rows.join('')}`);
    expect(lines).toHaveLength(3000);
    expect(faults.map(({ number, message }) => [number, message])).toEqual(
      [12, 3002].map((number) => [number, expect.stringContaining('a quotation mark that is not closed')]),
    );
    expect([items[20]?.name, items[30]?.name, items[31]?.name]).toEqual([
      '5" screen',
      'Deal\r\n30',
      'Deal 31',
    ]);
    expect(lines[31]?.number).toBe(34);
  });

  test('ids that a spreadsheet shortened are invalid, and codes without their zeros are padded', async () => {
    const { faults } = await readLines(`${BRAZILIAN}\n1,23457E+12;A;1\n1.23457E+12;B;1\n1E5;C;1`);
    expect(faults.map(({ number, field, message }) => [number, field, message])).toEqual([
      [2, 'external_id', expect.stringContaining('was shortened by the spreadsheet (1,23457E+12)')],
      [3, 'external_id', expect.stringContaining('Format the column as text')],
    ]);
    const people =
      'external_id;name;email;document\n1;A;a@x.example;1,23457E+10\n2;B;b@x.example;1.19877E+10\n1E+05;C;c@x.example;';
    expect((await readLines(people, { kind: 'collaborators' })).faults).toMatchObject([
      { number: 2, field: 'document' },
      { number: 3, field: 'document' },
      { number: 4, field: 'external_id' },
    ]);
    const codes =
      'activity_code,external_id,collaborator_email\n2,a,ana@x.example\n12,b,ana@x.example\n1234,c,ana@x.example';
    const padded = await readLines(codes, { kind: undefined });
    expect(padded.items.map((item) => item.activity_code)).toEqual(['002', '012', '1234']);
    expect(padded.notes).toEqual(['Codes without their zeros are padded: 2 is 002.']);
    expect(padded.faults).toMatchObject([{ number: 4, field: 'activity_code' }]);
  });

  test.each([
    ...[
      '#N/D',
      '#N/A',
      '#REF!',
      '#NOME?',
      '#NAME?',
      '#VALOR!',
      '#VALUE!',
      '#DIV/0!',
      '#NULL!',
      '#NULO!',
      '#NUM!',
    ],
    ...['#NÚM!', '#NU\u0301M!'],
  ])('the error %s is refused in every column', async (text) => {
    const { faults } = await readLines(`${HEAD},company\n1,${text},${text},${text}\n2,#1 A,1,#N`);
    const message = `contains the error ${text}`;
    expect(faults).toMatchObject(
      ['name', 'value', 'company'].map((field) => ({ number: 2, field, message })),
    );
  });

  test.each(['Total', 'TOTAIS', 'Soma', 'Grand Total', 'Total geral:'])(
    '%s as the last id is no record',
    async (id) => {
      const content = (...ids: string[]) => `Nome;Valor\n${ids.map((one) => `${one};1\n`).join('')}`;
      const map = { external_id: 'Nome', name: 'Nome' };
      expect((await readLines(content('Ana', id), { map })).faults).toMatchObject([
        { number: 3, field: 'external_id', message: 'is a total, not a record', value: id },
      ]);
      expect((await readLines(content(id, 'Ana'), { map })).faults).toEqual([]);
    },
  );

  test('names of columns in either Unicode form and with line breaks; two of one name', async () => {
    const map = { external_id: 'Matrícula', name: 'Nome (completo)', email: 'E-mail\n(principal)' };
    const content = '"Matri\u0301cula";"Nome\r\n(completo)";"E-mail\n (principal)";Cargo\n1;A;a@x.example;\n';
    for (const form of ['NFC', 'NFD'] as const) {
      const given = Object.fromEntries(Object.entries(map).map(([key, name]) => [key, name.normalize(form)]));
      const { items, faults } = await readLines(content, { map: given, kind: 'leads' });
      expect([items, faults]).toEqual([[{ external_id: '1', name: 'A', email: 'a@x.example' }], []]);
    }
    expect(await refusal('"E-mail\n(principal)";Nome\na;b', { kind: 'leads' })).toContain(
      'The columns are: E-mail (principal), Nome.',
    );
    expect(await refusal('external_id,name,value,name\n1,A,1,B')).toBe(
      'Two columns are named name. Rename one of them.',
    );
  });

  test('lists, Portuguese words and one column for two members', async () => {
    const content =
      'Nome;E-mail;Status;Tags;Cargo\nAna;ana@x.example;Contatado;vip, sul;Diretora\nBia;bia@x.example;new;["a,b"];';
    const map = { external_id: 'E-mail', email: 'E-mail' };
    const { items, faults } = await readLines(content, { kind: 'leads', map });
    expect(faults).toEqual([]);
    expect(items).toMatchObject([
      {
        external_id: 'ana@x.example',
        email: 'ana@x.example',
        status: 'contacted',
        tags: ['vip', 'sul'],
        position: 'Diretora',
      },
      { status: 'new', tags: ['a,b'] },
    ]);
  });

  test('columns that fit several kinds name them', async () => {
    expect(
      await refusal('Nome;E-mail;Matrícula;Equipe\nAna;a@x.example;1;Sul', { kind: undefined }),
    ).toContain('Pass --kind collaborators');
    expect(await refusal('Nome;E-mail\nAna;a@x.example', { kind: 'leads' })).toContain(
      '--map external_id=<column> --map email=<column>',
    );
  });
});
