import { expect, test } from 'vitest';
import { minorDigitsOf } from '../../../../shared/payments/formats/currencies.ts';
import { isCnpj, isCpf, isTaxId } from '../../../../shared/payments/formats/documents.ts';
import {
  isAbaRoutingNumber,
  isIban,
  isPhone,
  isPixKey,
  type PixKeyType,
} from '../../../../shared/payments/formats/payout-accounts.ts';
import { EU_MEMBERS, isCountry, isCurrency, regionOf } from '../../../../shared/payments/formats/regions.ts';

const words = (text: string) => text.trim().split(/\s+/);

interface Check {
  name: string;
  check: (text: string) => boolean;
  good: string[];
  bad: string[];
}

const CHECKS: Check[] = [
  {
    name: 'CPF',
    check: isCpf,
    good: words('52998224725 39053344705 11144477735 24971563792'),
    bad: [
      ...words('52998224726 5299822472 529982247250 529.982.247-25 5299822472A ５2998224725'),
      ...Array.from({ length: 10 }, (_, digit) => String(digit).repeat(11)),
      ...['', ' 52998224725', '52998224725\n'],
    ],
  },
  {
    name: 'CNPJ',
    check: isCnpj,
    good: words('12ABC34501DE35 12ABC345000188 11222333000181 33000167000101 00000000000191'),
    bad: [
      ...words('12ABC34501DE36 12abc34501de35 12.ABC.345/01DE-35 1122233300018 112223330001811'),
      ...words('11222333000182 11.222.333/0001-81 12ABC34501DEA5'),
      ...Array.from({ length: 10 }, (_, digit) => String(digit).repeat(14)),
      ...['', '11222333000181\n'],
    ],
  },
  {
    name: 'tax id',
    check: isTaxId,
    good: words('52998224725 12ABC34501DE35 11222333000181'),
    bad: ['52998224726', '12ABC34501DE36', '123', ''],
  },
  {
    name: 'phone',
    check: isPhone,
    good: words('+5511987654321 +551132654321 +12125550123 +4930901820 +351912345678'),
    bad: [
      ...words('+5510998765432 +5511887654321 5511987654321 +55(11)98765-4321 +5511987654321;ext=5'),
      ...['+55 11 98765-4321', '+1', '', 'tel:+5511987654321', '+0000000000', ' +5511987654321'],
    ],
  },
  {
    name: 'IBAN',
    check: (text) => isIban(text),
    good: words('GB82WEST12345698765432 DE89370400440532013000 BR1800360305000010009795493C1'),
    bad: [
      ...words('GB82WEST12345698765431 gb82west12345698765432 XX82WEST12345698765432 DE8937040044053201300'),
      ...['GB82 WEST 1234 5698 7654 32', ''],
    ],
  },
  {
    name: 'ABA',
    check: isAbaRoutingNumber,
    good: words('111000025 021000021 322271627 011401533'),
    bad: words('112000025 11100002 1110000250 000000000 130000006 11100002A 999999992'),
  },
  {
    name: 'country',
    check: isCountry,
    good: words('BR US DE FR GB JP PT SS CW AX TW'),
    bad: ['EU', 'XK', 'ZZ', 'AC', 'TA', 'UK', 'AN', 'br', 'BRA', '', 'constructor'],
  },
  {
    name: 'currency',
    check: isCurrency,
    good: words('BRL USD EUR GBP JPY XAF XOF XPF XCD XCG SLE ZWG VES VED KWD'),
    bad: [
      ...words('XXX XTS XAU XAG XDR XSU XUA XBA CLF CHE CHW BOV COU MXV USN UYI UYW'),
      ...words('HRK BGN ANG SLL VEF DEM brl BR'),
      '',
    ],
  },
];

test.each(CHECKS.flatMap(({ name, check, good }) => good.map((text) => ({ name, check, text }))))(
  '$name: accepts $text',
  ({ check, text }) => {
    expect(check(text)).toBe(true);
  },
);

test.each(CHECKS.flatMap(({ name, check, bad }) => bad.map((text) => ({ name, check, text }))))(
  '$name: rejects $text',
  ({ check, text }) => {
    expect(check(text)).toBe(false);
  },
);

test.each([
  [0, 'BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX VND VUV XAF XOF XPF'],
  [3, 'BHD IQD JOD KWD LYD OMR TND'],
  // `Intl` has other digits for these, which depend on the runtime.
  [2, 'BRL USD EUR AFN ALL COP HUF IDR IRR KPW LAK LBP MGA MMK PKR RSD SOS SYP TWD YER'],
])('currencies with %i minor digits', (digits, codes) => {
  expect(words(codes).filter((code) => minorDigitsOf(code) !== digits)).toEqual([]);
});

const EVP = '123e4567-e12b-12d1-a456-426655440000';

const PIX_KEYS: { type: PixKeyType; good: string[]; bad: string[] }[] = [
  { type: 'cpf', good: ['52998224725'], bad: ['529.982.247-25', '52998224726', '11222333000181'] },
  {
    type: 'cnpj',
    good: ['11222333000181', '12ABC34501DE35'],
    bad: ['11.222.333/0001-81', '12abc34501de35', '52998224725'],
  },
  {
    type: 'email',
    good: [
      ...['fulano@example.com', `${'a'.repeat(64)}@example1.com`],
      ...['a&b@example.com', 'a!b@example.com', 'a/b@example.com', `o'neil+x@sub.example.com.br`],
    ],
    bad: [
      'a%b@example.com',
      'a@b@example.com',
      'a@-example.com',
      'a b@example.com',
      'Fulano@example.com',
      ' fulano@example.com',
      'fulano',
      `${'a'.repeat(64)}@example1a.com`,
      EVP,
      '',
    ],
  },
  {
    type: 'phone',
    good: ['+5511987654321', '+551132654321'],
    bad: ['11987654321', '+55 11 98765-4321', '+5510998765432', '+12125550123'],
  },
  { type: 'evp', good: [EVP], bad: [EVP.toUpperCase(), EVP.replaceAll('-', ''), `{${EVP}}`, 'a@b.com', ''] },
];

test.each(PIX_KEYS)('PIX key of type $type', ({ type, good, bad }) => {
  expect(good.filter((key) => !isPixKey(type, key))).toEqual([]);
  expect(bad.filter((key) => isPixKey(type, key))).toEqual([]);
});

test('an IBAN of another country', () => {
  expect(isIban('DE89370400440532013000', 'DE')).toBe(true);
  expect(isIban('DE89370400440532013000', 'FR')).toBe(false);
});

test('regions', () => {
  expect(EU_MEMBERS.size).toBe(27);
  expect([...EU_MEMBERS].filter((code) => !isCountry(code))).toEqual([]);
  expect(['BR', 'US', 'DE', 'GR', 'GB', 'CH', 'br', ''].map(regionOf)).toEqual([
    'br',
    'us',
    'eu',
    'eu',
    ...Array(4).fill(undefined),
  ]);
});

test('the number of countries is that of ISO 3166-1', () => {
  const letters = Array.from({ length: 26 }, (_, i) => String.fromCharCode(65 + i));
  const codes = letters.flatMap((first) => letters.map((second) => first + second));
  expect(codes.filter(isCountry)).toHaveLength(249);
});
