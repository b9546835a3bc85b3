// When an invoice can no longer be paid.
import { bankDayFrom } from '../formats/business-days.ts';
import { dayInSaoPaulo, endOfDay } from '../formats/sao-paulo.ts';
import type { InvoiceRow } from './queries.ts';

type Expiring = Pick<InvoiceRow, 'created' | 'expires_at' | 'payment_method' | 'payment_method_type'>;

/**
 * Its expiry. If that is on a weekend or a bank holiday, banks accept boletos, and charges with a due date, until the end of the next
 * business day. An invoice that expires on the day on which it was created was meant to be paid on that day.
 */
export function payableUntil(invoice: Expiring): Date {
  const { created, expires_at: expiresAt, payment_method_type: type, payment_method: method } = invoice;
  const end = new Date(expiresAt);
  const day = dayInSaoPaulo(end);
  const isBoleto = type === 'boleto' || type === 'bolepix';
  const moves = method.due_date !== undefined || (isBoleto && day > dayInSaoPaulo(new Date(created)));
  const bankDay = moves ? bankDayFrom(day) : day;
  return bankDay > day ? endOfDay(bankDay) : end;
}
