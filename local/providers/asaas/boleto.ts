/** The numbers of a boleto: the 44-digit barcode and the typeable line. */

const BANK = '461';
const CURRENCY = '9';
const DAY_MS = 86_400_000;

/** Days since 1997-10-07; restarts at 1000 after 9999. */
export function dueFactor(dueDate: string): number {
  const days = Math.round((Date.parse(dueDate) - Date.parse('1997-10-07')) / DAY_MS);
  return days < 10_000 ? days : 1000 + ((days - 10_000) % 9000);
}

/** Check digit of a field of the line. */
export function modulo10(digits: string): number {
  let sum = 0;
  for (const [index, digit] of [...digits].reverse().entries()) {
    const product = Number(digit) * (index % 2 === 0 ? 2 : 1);
    sum += product > 9 ? product - 9 : product;
  }
  return (10 - (sum % 10)) % 10;
}

/** Check digit of the barcode. */
export function modulo11(digits: string): number {
  let sum = 0;
  for (const [index, digit] of [...digits].reverse().entries()) sum += Number(digit) * (2 + (index % 8));
  const rest = 11 - (sum % 11);
  return rest === 0 || rest > 9 ? 1 : rest;
}

export interface BoletoNumbers {
  barCode: string;
  identificationField: string;
}

export function boletoNumbers(boleto: {
  dueDate: string;
  value: number;
  nossoNumero: string;
}): BoletoNumbers {
  const head = BANK + CURRENCY;
  const factor = String(dueFactor(boleto.dueDate)).padStart(4, '0');
  const tail = factor + String(boleto.value).padStart(10, '0');
  const free = `111${boleto.nossoNumero.padStart(20, '0')}01`;
  const digit = modulo11(head + tail + free);
  const field = (digits: string): string => digits + modulo10(digits);
  return {
    barCode: head + digit + tail + free,
    identificationField:
      field(head + free.slice(0, 5)) + field(free.slice(5, 15)) + field(free.slice(15)) + digit + tail,
  };
}
