// Renders a boleto as a printable page: the payer's receipt, the PIX code if any, and the bank slip.
import { formatBoleto } from '@brazilian-utils/brazilian-utils/format-boleto';
import { bankCodeDigit } from './boleto.ts';
import { formatAmount, formatDate, formatTaxId } from './portuguese.ts';
import { A4, type Area, MARGIN, openSheet, type Sheet } from './sheet.ts';

interface BoletoParty {
  name: string;
  /** CPF or CNPJ without punctuation. */
  taxId?: string;
}

interface BoletoPdfInput {
  payer: BoletoParty;
  beneficiary: BoletoParty;
  description: string;
  /** Our number of the invoice, such as `INV-2026-000001`. */
  ourNumber: string;
  /** In minor units of the currency. */
  amountMinor: number;
  /** ISO 4217. */
  currency: string;
  /** `YYYY-MM-DD`. */
  issuedOn: string;
  /** `YYYY-MM-DD`. */
  dueDate: string;
  /** 47 digits. */
  digitableLine: string;
  /** 44 digits. */
  barcode: string;
  /** BR Code text, printed with its QR code. */
  pixPayload?: string;
  /** Instructions to the bank. Default: do not accept payment after the due date. */
  instructions?: string[];
  /** Printed in bold at the top, for example to mark a test document. */
  notice?: string;
}

const WIDTH = A4.width - 2 * MARGIN;
const ROW = 28;
const POINTS_PER_MM = 72 / 25.4;

// Widths of a digit's five elements, w for wide (ISO/IEC 16390).
const DIGIT_WIDTHS = 'nnwwn wnnnw nwnnw wwnnn nnwnw wnwnn nwwnn nnnww wnnwn nwnwn'.split(' ');
const START = 'nnnn';
const STOP = 'wnn';
const WIDE_TO_NARROW = 3;

/** The dark bars of an Interleaved 2 of 5 barcode that fills `area`. Throws `RangeError` for an odd number of digits. */
export function interleaved2of5(digits: string, area: Area): Area[] {
  if (!/^(\d\d)+$/.test(digits)) throw new RangeError('the number of digits must be even');
  const pairs = digits.match(/../g) ?? [];
  const elements = [START, ...pairs.map(interleave), STOP].join('');
  const modules = Array.from(elements, (element) => (element === 'w' ? WIDE_TO_NARROW : 1));
  const unit = area.width / modules.reduce((sum, width) => sum + width, 0);
  const bars: Area[] = [];
  let x = area.x;
  modules.forEach((width, i) => {
    if (i % 2 === 0) bars.push({ ...area, x, width: width * unit });
    x += width * unit;
  });
  return bars;
}

/** The first digit determines the bars, the second the spaces between them. */
function interleave(pair: string): string {
  const [bars = '', spaces = ''] = Array.from(pair, (digit) => DIGIT_WIDTHS[Number(digit)] ?? '');
  return Array.from(bars, (bar, i) => bar + spaces.charAt(i)).join('');
}

function drawHeader(sheet: Sheet, input: BoletoPdfInput, y: number): number {
  const bankCode = input.barcode.slice(0, 3);
  sheet.line('BOLETO', { x: MARGIN, y: y + 4 }, 90, { size: 13, bold: true });
  sheet.line(`${bankCode}-${bankCodeDigit(bankCode)}`, { x: MARGIN + 90, y: y + 4 }, 60, {
    size: 13,
    bold: true,
    align: 'center',
  });
  const line = formatBoleto(input.digitableLine);
  sheet.line(line, { x: MARGIN + 150, y: y + 5.5 }, WIDTH - 150, { size: 11, bold: true, align: 'right' });
  sheet.fill([90, 150].map((offset) => ({ x: MARGIN + offset, y: y + 2, width: 0.8, height: 20 })));
  return y + 22;
}

function drawReceipt(sheet: Sheet, input: BoletoPdfInput, top: number): number {
  const { payer, beneficiary } = input;
  sheet.line('Recibo do pagador', { x: MARGIN, y: top }, WIDTH, { size: 7.5, align: 'right' });
  let y = drawHeader(sheet, input, top + 10);
  for (const [label, party] of [
    ['Beneficiário', beneficiary],
    ['Pagador', payer],
  ] as const) {
    const document = { label: 'CPF/CNPJ', value: formatTaxId(party.taxId), share: 1 };
    y = sheet.row(y, ROW, [{ label, value: party.name, share: 3 }, document]);
  }
  const amount = formatAmount(input.amountMinor, input.currency);
  y = sheet.row(y, ROW, [
    { label: 'Nosso número', value: input.ourNumber, share: 1.2 },
    { label: 'Data do documento', value: formatDate(input.issuedOn), share: 1 },
    { label: 'Vencimento', value: formatDate(input.dueDate), share: 1, style: { bold: true } },
    { label: 'Valor do documento', value: amount, share: 1.3, style: { bold: true } },
  ]);
  return sheet.row(y, 114, [{ label: 'Descrição', value: input.description, share: 1, style: { size: 8 } }]);
}

const QR_SIZE = 130;

function drawPix(sheet: Sheet, payload: string, top: number): number {
  sheet.qr(payload, { x: MARGIN + 16, y: top }, QR_SIZE);
  const x = MARGIN + QR_SIZE + 48;
  const width = A4.width - MARGIN - x;
  sheet.line('Pague com PIX', { x, y: top }, width, { size: 12, bold: true });
  const hint = 'Leia o código com o aplicativo do seu banco, ou use o PIX copia e cola:';
  const y = sheet.paragraph(hint, { x, y: top + 20, width, height: 24 }, { size: 8.5 });
  sheet.paragraph(payload, { x, y: y + 6, width, height: QR_SIZE - 50 }, { size: 7.5 });
  return top + QR_SIZE;
}

function drawSlip(sheet: Sheet, input: BoletoPdfInput, top: number): number {
  const { payer, beneficiary } = input;
  const dueDate = formatDate(input.dueDate);
  const issuedOn = formatDate(input.issuedOn);
  const amount = formatAmount(input.amountMinor, input.currency);
  const right = { bold: true, align: 'right' } as const;
  let y = drawHeader(sheet, input, top);
  y = sheet.row(y, ROW, [
    { label: 'Local de pagamento', value: 'Pagável em qualquer banco até o vencimento', share: 3 },
    { label: 'Vencimento', value: dueDate, share: 1, style: right },
  ]);
  const issuer = `${beneficiary.name}${beneficiary.taxId ? ` - ${formatTaxId(beneficiary.taxId)}` : ''}`;
  y = sheet.row(y, ROW, [
    { label: 'Beneficiário', value: issuer, share: 3 },
    { label: 'Nosso número', value: input.ourNumber, share: 1, style: { align: 'right' } },
  ]);
  y = sheet.row(y, ROW, [
    { label: 'Data do documento', value: issuedOn, share: 0.75 },
    { label: 'Espécie doc.', value: 'DS', share: 0.5 },
    { label: 'Aceite', value: 'N', share: 0.4 },
    { label: 'Data do processamento', value: issuedOn, share: 0.85 },
    { label: 'Moeda', value: input.currency === 'BRL' ? 'R$' : input.currency, share: 0.5 },
    { label: '(=) Valor do documento', value: amount, share: 1, style: right },
  ]);
  const rules = input.instructions ?? ['Não receber após o vencimento.'];
  const instructions = [...rules, `Referente a: ${input.description}`].join('\n');
  y = sheet.row(y, 46, [{ label: 'Instruções', value: instructions, share: 1, style: { size: 8 } }]);
  const payerText = `${payer.name}${payer.taxId ? ` - CPF/CNPJ ${formatTaxId(payer.taxId)}` : ''}`;
  return sheet.row(y, ROW, [{ label: 'Pagador', value: payerText, share: 1 }]);
}

/** The size that FEBRABAN requires. */
const BARCODE = { width: 103 * POINTS_PER_MM, height: 13 * POINTS_PER_MM };

/** Renders a one-page PDF in Portuguese. Characters outside WinAnsi become their base letter or `?`; overlong texts are truncated. */
export async function renderBoletoPdf(input: BoletoPdfInput): Promise<Uint8Array> {
  const sheet = await openSheet(`Boleto ${input.ourNumber}`);
  if (input.notice)
    sheet.line(input.notice, { x: MARGIN, y: 22 }, WIDTH, { size: 9, bold: true, align: 'center' });
  let y = drawReceipt(sheet, input, 40);
  if (input.pixPayload) y = drawPix(sheet, input.pixPayload, y + 24);
  y += 24;
  sheet.cutLine(y);
  y = drawSlip(sheet, input, y + 16);
  const barcode = { x: MARGIN + 14, y: y + 12, ...BARCODE };
  sheet.fill(interleaved2of5(input.barcode, barcode));
  sheet.line('Autenticação mecânica - Ficha de compensação', { x: MARGIN, y: y + 4 }, WIDTH, {
    size: 6.5,
    align: 'right',
  });
  return sheet.save();
}
