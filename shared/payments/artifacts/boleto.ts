// Computes the two numbers of a boleto: the barcode and the digitable line.
import { isDay } from '../../platform/instants.ts';
import { mod10, mod11 } from '../formats/documents.ts';
import { daysBetween } from '../formats/sao-paulo.ts';

interface BoletoInput {
  /** The bank's COMPE code, three digits. */
  bankCode: string;
  /** `YYYY-MM-DD`, 1997-10-07 or later. */
  dueDate: string;
  /** In centavos, 1 to 9 999 999 999. */
  amountMinor: number;
  /** 25 digits defined by the bank. */
  freeField: string;
}

export interface BoletoNumbers {
  /** 44 digits. */
  barcode: string;
  /** 47 digits without punctuation. */
  digitableLine: string;
}

/** The amount field has ten digits. */
export const MAX_BOLETO_AMOUNT_MINOR = 9_999_999_999;

const CURRENCY_REAL = '9';
const EPOCH = '1997-10-07';

/**
 * The four-digit due date factor (FEBRABAN): days since 1997-10-07, up to 9999 on 2025-02-21, then cycling from 1000 to 9999.
 * @throws RangeError for an invalid date or one before 1997-10-07.
 */
export function dueDateFactor(date: string): string {
  const days = isDay(date) ? daysBetween(EPOCH, date) : -1;
  if (days < 0) throw new RangeError(`dueDate must be a date on or after ${EPOCH}`);
  return String(days < 10_000 ? days : 1000 + ((days - 10_000) % 9000)).padStart(4, '0');
}

/** The check digit printed after a bank code, as in `001-9`. */
export function bankCodeDigit(bankCode: string): number {
  return mod11(bankCode, { whenBelowTwo: 0 });
}

/**
 * Barcode and digitable line of a boleto in reais (FEBRABAN; BCB Carta-Circular 2.926/2000).
 * @throws RangeError if a part does not fit its field.
 */
export function boletoNumbers({ bankCode, dueDate, amountMinor, freeField }: BoletoInput): BoletoNumbers {
  if (!/^\d{3}$/.test(bankCode)) throw new RangeError('bankCode must be three digits');
  if (!/^\d{25}$/.test(freeField)) throw new RangeError('freeField must be 25 digits');
  if (!Number.isInteger(amountMinor) || amountMinor < 1 || amountMinor > MAX_BOLETO_AMOUNT_MINOR)
    throw new RangeError(`amountMinor must be from 1 to ${MAX_BOLETO_AMOUNT_MINOR}`);
  const head = bankCode + CURRENCY_REAL;
  const dueAndAmount = dueDateFactor(dueDate) + String(amountMinor).padStart(10, '0');
  const digit = mod11(head + dueAndAmount + freeField, { whenBelowTwo: 1 });
  const fields = [head + freeField.slice(0, 5), freeField.slice(5, 15), freeField.slice(15)];
  return {
    barcode: `${head}${digit}${dueAndAmount}${freeField}`,
    digitableLine: `${fields.map((field) => field + mod10(field)).join('')}${digit}${dueAndAmount}`,
  };
}
