// Ledger entries of one currency as OFX 1.02, which accounting programs import as a bank statement.
import { minorDigitsOf } from '../../formats/currencies.ts';
import { decimalOf, type ExportWriter } from './csv.ts';
import type { ExportOptions } from './options.ts';
import type { ExportedEntry, ExportPlan } from './queries.ts';

const HEADER = [
  'OFXHEADER:100',
  'DATA:OFXSGML',
  'VERSION:102',
  'SECURITY:NONE',
  'ENCODING:USASCII',
  'CHARSET:1252',
  'COMPRESSION:NONE',
  'OLDFILEUID:NONE',
  'NEWFILEUID:NONE',
];

const NAME_LENGTH = 32;
const MEMO_LENGTH = 255;
const ACCOUNT_LENGTH = 22;

const element = (name: string, text: string): string => `<${name}>${text}</${name}>`;

/** An element with elements inside. Some importers read line by line, so each tag has its own line. */
const aggregate = (name: string, ...elements: string[]): string =>
  [`<${name}>`, ...elements.filter(Boolean), `</${name}>`].join('\r\n');

/** ASCII without accents and with escaped markup. Characters without an ASCII form become `?`. */
function ascii(text: string, maxLength: number): string {
  const plain = text
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .replace(/\s+/g, ' ')
    .replace(/[^\x20-\x7e]/gu, '?')
    .trim()
    .slice(0, maxLength);
  return plain.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

export function ofxWriter(
  { currency, conditions }: ExportOptions,
  { time_zone: timeZone, slug, now, balance }: ExportPlan,
): ExportWriter {
  const digits = minorDigitsOf(currency);
  const amount = (minor: number) => {
    const text = decimalOf(minor, digits);
    return digits === 0 ? `${text}.00` : text;
  };
  const time = createTimeFormat(timeZone);
  const [start, end] = boundaries(conditions, timeZone);
  const status = aggregate('STATUS', element('CODE', '0'), element('SEVERITY', 'INFO'));
  const transaction = (entry: ExportedEntry, id: string, type: string, minor: number) =>
    `${aggregate(
      'STMTTRN',
      element('TRNTYPE', type),
      element('DTPOSTED', time.ofLocal(entry.local_time, entry.offset_minutes)),
      element('TRNAMT', amount(minor)),
      element('FITID', id),
      element('NAME', ascii(entry.entry.our_number ?? entry.entry.type, NAME_LENGTH)),
      optionalElement('MEMO', memoOf(entry)),
    )}\r\n`;
  return {
    head: [
      ...HEADER,
      '',
      '<OFX>',
      aggregate(
        'SIGNONMSGSRSV1',
        aggregate('SONRS', status, element('DTSERVER', time.of(now)), element('LANGUAGE', 'ENG')),
      ),
      ...['<BANKMSGSRSV1>', '<STMTTRNRS>', element('TRNUID', '1'), status, '<STMTRS>'],
      element('CURDEF', currency),
      aggregate(
        'BANKACCTFROM',
        element('BANKID', '000'),
        element('ACCTID', ascii(slug, ACCOUNT_LENGTH)),
        element('ACCTTYPE', 'CHECKING'),
      ),
      ...['<BANKTRANLIST>', element('DTSTART', start), element('DTEND', end)],
      '',
    ].join('\r\n'),
    write(entry) {
      const { id, amount: minor, fee } = entry.entry;
      const main = minor === 0 ? '' : transaction(entry, id, minor > 0 ? 'CREDIT' : 'DEBIT', minor);
      return main + (fee > 0 ? transaction(entry, `${id}-fee`, 'FEE', -fee) : '');
    },
    tail: [
      '</BANKTRANLIST>',
      aggregate(
        'LEDGERBAL',
        element('BALAMT', amount(Number(balance ?? 0))),
        element('DTASOF', earlier(end, time.of(now))),
      ),
      ...['</STMTRS>', '</STMTTRNRS>', '</BANKMSGSRSV1>'],
      '</OFX>',
      '',
    ].join('\r\n'),
  };
}

const memoOf = ({ entry }: ExportedEntry): string =>
  ascii([entry.reason, entry.contractor_reference].filter(Boolean).join(' '), MEMO_LENGTH);

const optionalElement = (name: string, content: string): string =>
  content === '' ? '' : element(name, content);

/** `YYYYMMDDHHMMSS[-3:BRT]`. */
function createTimeFormat(timeZone: string) {
  const ofLocal = (local: string, offsetMinutes: number): string =>
    `${local.replace(/\D/g, '')}[${offsetMinutes / 60}:${zoneName(timeZone, offsetMinutes)}]`;
  const of = (instant: string): string => {
    const date = new Date(instant);
    const local = new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'medium' })
      .format(date)
      .replace(' ', 'T');
    const offsetMinutes = Math.round((Date.parse(`${local}Z`) - date.getTime()) / 60_000);
    return ofLocal(local, offsetMinutes);
  };
  return { ofLocal, of };
}

/** Programs read the offset; the name is for people. */
function zoneName(timeZone: string, offsetMinutes: number): string {
  if (offsetMinutes === -180 && timeZone.startsWith('America/')) return 'BRT';
  const parts = new Intl.DateTimeFormat('en-US', { timeZone, timeZoneName: 'short' }).formatToParts(0);
  const name = parts.find(({ type }) => type === 'timeZoneName')?.value ?? '';
  return /^[A-Z]{3,5}$/.test(name) ? name : 'GMT';
}

/** The earlier of two times in one zone: a balance is of the past. */
const earlier = (one: string, other: string): string =>
  one.slice(0, 14) <= other.slice(0, 14) ? one : other;

/** First and last time of the export. */
function boundaries(conditions: ExportOptions['conditions'], timeZone: string): [string, string] {
  const month = conditions.find(({ op }) => op === 'period')?.value;
  const time = createTimeFormat(timeZone);
  if (month === undefined) {
    const of = (op: string) =>
      time.of(conditions.find((one) => one.op === op && one.column === 'created')?.value ?? '');
    return [of('gte'), of('lte')];
  }
  const lastDay = new Date(Date.UTC(Number(month.slice(0, 4)), Number(month.slice(5, 7)), 0));
  const offsetOn = (day: string) => /\[.*\]$/.exec(time.of(`${day}T12:00:00Z`))?.[0] ?? '';
  const last = lastDay.toISOString().slice(0, 10);
  return [
    `${month.replaceAll('-', '')}000000${offsetOn(month)}`,
    `${last.replaceAll('-', '')}235959${offsetOn(last)}`,
  ];
}
