import fc from 'fast-check';
import { XMLParser, XMLValidator } from 'fast-xml-parser';
import decodeQR from 'qr/decode.js';
import { describe, expect, test } from 'vitest';
import { isNfseKey, type NfseInput, nfseKey } from '../../../../shared/payments/artifacts/nfse.ts';
import { nfseConsultationUrl, renderNfsePdf } from '../../../../shared/payments/artifacts/nfse-pdf.ts';
import { renderNfseXml } from '../../../../shared/payments/artifacts/nfse-xml.ts';
import { layoutFaults } from '../../../support/payments/nfse-layout.ts';
import { bitmapOf, readPdf } from '../../../support/payments/read-pdf.ts';

const VECTORS = [
  '31702062253627128000146000000000050226080519065368',
  '33045572238744743000149000000000001426035469277013',
];

const INPUT: NfseInput = {
  issuer: {
    name: 'Ação & Cia Ltda',
    address: { street: 'Rua do Sandbox', number: '1', district: 'Centro', postalCode: '01001000' },
  },
  issuerTaxId: '11222333000181',
  customer: { name: 'João <da> "Silva" & \'Filhos\'', taxId: '52998224725', email: 'joao@example.com' },
  description: 'Uma <linha> &amp; outra\n]]> fim',
  amountMinor: 123_456,
  serviceCode: '010101',
  nbsCode: '115021000',
  environment: 2,
  number: 42,
  code: '012345678',
  issuedAt: new Date('2026-12-01T01:30:05.678Z'),
  timeZone: 'America/Sao_Paulo',
};

const parser = new XMLParser({
  ignoreAttributes: false,
  attributeNamePrefix: '@',
  parseTagValue: false,
  trimValues: false,
});

test.each(VECTORS)('the key %s', (key) => {
  expect(isNfseKey(key)).toBe(true);
  const input = {
    municipality: key.slice(0, 7),
    issuerTaxId: key.slice(9, 23),
    number: Number(key.slice(23, 36)),
    issuedAt: new Date(`20${key.slice(36, 38)}-${key.slice(38, 40)}-15T12:00:00Z`),
    timeZone: 'UTC',
    code: key.slice(40, 49),
  };
  expect(nfseKey(input)).toBe(key);
});

test.each([
  ...VECTORS.map((key) => key.slice(0, -1) + ((Number(key.at(-1)) + 1) % 10)),
  ...VECTORS.map((key) => key.slice(1)),
  ...VECTORS.map((key) => `${key} `),
  ...VECTORS.map((key) => `NFS${key}`),
  '',
])('%s is not a key', (text) => {
  expect(isNfseKey(text)).toBe(false);
});

test('a changed digit of a key is detected, unless modulo 11 cannot detect it', () => {
  const key = VECTORS[0] ?? '';
  const changed = Array.from(
    key,
    (digit, i) => key.slice(0, i) + ((Number(digit) + 1) % 10) + key.slice(i + 1),
  );
  // Remainders 0 and 1 have the same digit 0, so a few changes may not be detected.
  expect(changed.filter(isNfseKey).length).toBeLessThanOrEqual(5);
});

test('the month is in the time zone, and a CPF is marked as one', () => {
  const key = nfseKey({ ...INPUT, issuerTaxId: '52998224725' });
  const parts = ['3550308', '2', '1', '00052998224725', '0000000000042', '2611', '012345678'];
  expect(key.slice(0, -1)).toBe(parts.join(''));
  expect(isNfseKey(key)).toBe(true);
  expect(nfseKey({ ...INPUT, timeZone: 'UTC' }).slice(36, 40)).toBe('2612');
});

test('a CNPJ with letters is part of the key, and of the XML', () => {
  const issuerTaxId = '12ABC34501DE35';
  const key = nfseKey({ ...INPUT, issuerTaxId });
  expect(key.slice(8, 23)).toBe(`2${issuerTaxId}`);
  // The weights of 49 characters; a letter counts as its ASCII code minus 48.
  const sum = Array.from(key.slice(0, -1))
    .toReversed()
    .reduce((total, one, i) => total + (one.charCodeAt(0) - 48) * (2 + (i % 8)), 0);
  expect(key.at(-1)).toBe(String(sum % 11 < 2 ? 0 : 11 - (sum % 11)));
  expect(isNfseKey(key)).toBe(true);
  const { NFSe } = parser.parse(
    renderNfseXml({ ...INPUT, issuerTaxId, customer: { name: 'Acme', taxId: '12ABC345000188' } }),
  );
  const { infDPS } = NFSe.infNFSe.DPS;
  expect([infDPS.prest.CNPJ, infDPS.toma.CNPJ]).toEqual([issuerTaxId, '12ABC345000188']);
  expect(infDPS['@Id']).toContain(`2${issuerTaxId}`);
});

test.each([
  { issuerTaxId: '12abc34501de35' },
  { issuerTaxId: '' },
  { number: 0 },
  { number: 1.5 },
  { number: 10_000_000_000_000 },
  { code: '12345678' },
  { municipality: '355030' },
])('rejects %o', (change) => {
  expect(() => nfseKey({ ...INPUT, ...change })).toThrow(RangeError);
});

test('any key is valid', () => {
  const number = fc.integer({ min: 1, max: 9_999_999_999_999 });
  const code = fc.integer({ min: 0, max: 999_999_999 }).map((n) => String(n).padStart(9, '0'));
  const date = fc.date({ min: new Date('2023-01-01'), max: new Date('2099-01-01'), noInvalidDate: true });
  fc.assert(
    fc.property(number, code, date, (n, nine, issuedAt) => {
      const key = nfseKey({ ...INPUT, number: n, code: nine, issuedAt });
      expect(isNfseKey(key)).toBe(true);
      expect(Number(key.slice(23, 36))).toBe(n);
    }),
  );
});

test('the XML follows the layout, and its texts can be read back', () => {
  const xml = renderNfseXml(INPUT);
  expect(XMLValidator.validate(xml)).toBe(true);
  const { NFSe } = parser.parse(xml);
  expect(NFSe).toMatchObject({ '@versao': '1.01', '@xmlns': 'http://www.sped.fazenda.gov.br/nfse' });
  const { DPS, ...info } = NFSe.infNFSe;
  expect(info).toEqual({
    '@Id': `NFS${nfseKey(INPUT)}`,
    xLocEmi: 'São Paulo',
    xLocPrestacao: 'São Paulo',
    nNFSe: '42',
    xTribNac: '010101',
    verAplic: 'Placar 1.0',
    ambGer: '2',
    tpEmis: '1',
    procEmi: '1',
    cStat: '100',
    dhProc: '2026-11-30T22:30:05-03:00',
    nDFSe: '42',
    emit: {
      CNPJ: '11222333000181',
      xNome: 'Ação & Cia Ltda',
      enderNac: {
        xLgr: 'Rua do Sandbox',
        nro: '1',
        xBairro: 'Centro',
        cMun: '3550308',
        UF: 'SP',
        CEP: '01001000',
      },
    },
    valores: { vLiq: '1234.56' },
  });
  expect(DPS.infDPS).toEqual({
    '@Id': 'DPS355030821122233300018100001000000000000042',
    tpAmb: '2',
    dhEmi: '2026-11-30T22:30:05-03:00',
    verAplic: 'Placar 1.0',
    serie: '1',
    nDPS: '42',
    dCompet: '2026-11-30',
    tpEmit: '1',
    cLocEmi: '3550308',
    prest: { CNPJ: '11222333000181', regTrib: { opSimpNac: '1', regEspTrib: '0' } },
    toma: { CPF: '52998224725', xNome: INPUT.customer.name, email: 'joao@example.com' },
    serv: {
      locPrest: { cLocPrestacao: '3550308' },
      cServ: { cTribNac: '010101', xDescServ: INPUT.description, cNBS: '115021000' },
    },
    valores: {
      vServPrest: { vServ: '1234.56' },
      trib: { tribMun: { tribISSQN: '1', tpRetISSQN: '1' }, totTrib: { indTotTrib: '0' } },
    },
  });
});

test.each([
  ['1.01', '010101', undefined],
  ['17.01', '170101', undefined],
  ['01.01.01', '010101', undefined],
  // A code of the municipality, which has its own element if it fits.
  ['02658', '990101', '02658'],
  ['6201-5/01', '990101', undefined],
])('the service code %s is %s', (serviceCode, expected, own) => {
  const { NFSe } = parser.parse(renderNfseXml({ ...INPUT, serviceCode }));
  const { cTribNac, cIntContrib } = NFSe.infNFSe.DPS.infDPS.serv.cServ;
  expect([cTribNac, cIntContrib]).toEqual([expected, own]);
});

test('a customer without number or e-mail, an unknown municipality, another zone', () => {
  const input = { ...INPUT, customer: { name: 'Ann' }, municipality: '9999999', timeZone: 'UTC' };
  const { infNFSe } = parser.parse(renderNfseXml(input)).NFSe;
  expect(infNFSe.DPS.infDPS.toma).toEqual({ cNaoNIF: '2', xNome: 'Ann' });
  expect(infNFSe).toMatchObject({ xLocEmi: '9999999', dhProc: '2026-12-01T01:30:05+00:00' });
});

/** Whether XML 1.0 allows the character. */
function isXmlCharacter(char: string): boolean {
  const code = char.codePointAt(0) ?? 0;
  return code < 0x20 ? '\t\n\r'.includes(char) : code !== 0xfffe && code !== 0xffff;
}

test('any text makes valid XML, without characters that XML does not allow', () => {
  const text = fc.string({ unit: 'binary', maxLength: 200 }).map((given) => `a${given}\u0001&lt;\uffffz`);
  fc.assert(
    fc.property(text, text, (name, description) => {
      const xml = renderNfseXml({ ...INPUT, customer: { name }, description });
      expect(XMLValidator.validate(xml)).toBe(true);
      expect(Array.from(xml).filter((char) => !isXmlCharacter(char))).toEqual([]);
      const { toma, serv } = parser.parse(xml).NFSe.infNFSe.DPS.infDPS;
      // XML parsers convert CR and CR LF to LF (XML 1.0, 2.11).
      const lines = (given: string) => given.replace(/\r\n?/g, '\n');
      const kept = (given: string) => lines(Array.from(given).filter(isXmlCharacter).join(''));
      expect(lines(toma.xNome)).toBe(kept(name));
      expect(lines(serv.cServ.xDescServ)).toBe(kept(description));
    }),
  );
});

describe('the layout is followed, except for the signature', () => {
  const email = (length: number) => `${'a'.repeat(length - 6)}@ab.co`;

  test.each<[string, Partial<NfseInput>]>([
    ['as it is', {}],
    ['a customer with a CNPJ', { customer: { name: 'Acme', taxId: '11222333000181' } }],
    ['a customer with a CNPJ of letters', { customer: { name: 'Acme', taxId: '12ABC34501DE35' } }],
    ['a customer without number and e-mail', { customer: { name: 'Ann' } }],
    ['an issuer with a CPF', { issuerTaxId: '52998224725' }],
    ['a centavo', { amountMinor: 1 }],
    ['the largest amount', { amountMinor: 99_999_999_999 }],
    ['the first number', { number: 1 }],
    ['the last number', { number: 9_999_999_999_999 }],
    ['production', { environment: 1 }],
    ['Rio de Janeiro', { municipality: '3304557' }],
    ['an unknown municipality', { municipality: '9999999' }],
    ['an e-mail as long as may be', { customer: { name: 'Ann', email: email(80) } }],
    ['a longer e-mail', { customer: { name: 'Ann', email: email(81) } }],
    ['an e-mail of other letters', { customer: { name: 'Ann', email: 'ł@example.com' } }],
    [
      'names that are too long',
      { issuer: { ...INPUT.issuer, name: 'i'.repeat(500) }, customer: { name: 'ã'.repeat(500) } },
    ],
    ['a description that is too long', { description: '🎯'.repeat(3000) }],
    [
      'texts of which nothing is left',
      { description: '\u0001', customer: { name: '\uffff' }, serviceCode: '🎯' },
    ],
    ['a leap day', { issuedAt: new Date('2028-02-29T12:00:00Z') }],
    ['half an hour', { timeZone: 'Asia/Kolkata' }],
    ['too far ahead', { timeZone: 'Pacific/Kiritimati' }],
    ['Fernando de Noronha', { timeZone: 'America/Noronha' }],
  ])('%s', (_, change) => {
    expect(layoutFaults(renderNfseXml({ ...INPUT, ...change }))).toEqual([]);
  });

  test('for any input of callers', () => {
    const free = fc.string({ unit: 'binary', minLength: 1, maxLength: 20 });
    const input = fc.record({
      customer: fc.record({
        name: free,
        taxId: fc.constantFrom('52998224725', '11222333000181', '12ABC34501DE35'),
        email: fc.oneof(fc.emailAddress(), free),
      }),
      description: free,
      serviceCode: fc.oneof(free, fc.stringMatching(/^[\d.]{1,20}$/)),
      amountMinor: fc.integer({ min: 1, max: 99_999_999_999 }),
      timeZone: fc.constantFrom(...Intl.supportedValuesOf('timeZone')),
    });
    fc.assert(
      fc.property(input, (change) => {
        expect(layoutFaults(renderNfseXml({ ...INPUT, ...change }))).toEqual([]);
      }),
    );
  });

  test('and violations are detected', () => {
    const xml = renderNfseXml(INPUT);
    const faultsOf = (...change: [string | RegExp, string]) => {
      const changed = xml.replace(...change);
      expect(changed).not.toBe(xml);
      return layoutFaults(changed);
    };
    expect(faultsOf(/<cNBS>.*<\/cNBS>/, '')).toEqual(['infNFSe/DPS/infDPS/serv/cServ/cNBS: is missing']);
    expect(faultsOf(/<enderNac>.*<\/enderNac>/, '')).toEqual(['infNFSe/emit/enderNac: is missing']);
    expect(faultsOf(/(<xLgr>.*<\/xLgr>)(<nro>.*<\/nro>)/, '$2$1')[0]).toMatch('has nro,xLgr');
    expect(faultsOf('<cTribNac>010101<', '<cTribNac>02658<')[0]).toMatch('cTribNac: "02658"');
    expect(faultsOf('<UF>SP<', '<UF>XX<')[0]).toMatch('UF: "XX"');
    expect(faultsOf('<CPF>52998224725</CPF>', '')).toEqual([
      'infNFSe/DPS/infDPS/toma: has not one of CNPJ,CPF,NIF,cNaoNIF',
    ]);
    expect(faultsOf('-03:00', '+05:30')[0]).toMatch('dhProc');
    expect(faultsOf('<xTribNac>', '<xTribNac> ')[0]).toMatch('xTribNac');
  });
});

test('the PDF has one page with the key, number, parties, amount, and a code for the public query', async () => {
  const key = nfseKey(INPUT);
  const pdf = await readPdf(await renderNfsePdf(INPUT));
  expect(pdf.pages).toBe(1);
  for (const text of [
    key,
    '42',
    'Ação & Cia Ltda',
    '11.222.333/0001-81',
    INPUT.customer.name,
    '529.982.247-25',
  ])
    expect(pdf.texts).toContain(text);
  for (const text of [
    '30/11/2026 22:30:05',
    'São Paulo',
    '010101',
    'R$ 1.234,56',
    'joao@example.com',
    ']]> fim',
  ])
    expect(pdf.texts).toContain(text);
  expect(pdf.texts.join()).toContain('SEM VALIDADE JURÍDICA');
  expect(decodeQR(bitmapOf(pdf.fills[0] ?? []))).toBe(nfseConsultationUrl(key));
});

test('a production document does not mention tests, and long descriptions are truncated', async () => {
  const pdf = await readPdf(
    await renderNfsePdf({ ...INPUT, environment: 1, description: 'palavra '.repeat(2000), serviceCode: '' }),
  );
  expect(pdf.pages).toBe(1);
  expect(pdf.texts.join()).not.toContain('SEM VALIDADE');
  expect(pdf.texts.some((text) => text.endsWith('…'))).toBe(true);
});
