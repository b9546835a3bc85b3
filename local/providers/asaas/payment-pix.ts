/** Pix codes of payments, including boletos. */
import { randomUUID } from 'node:crypto';
import { addDays } from '../days.ts';
import { invalidAction } from './errors.ts';
import { isAwaited } from './payment-money.ts';
import { dynamicPixPayload, qrCodePng } from './pix.ts';
import type { AsaasServices } from './services.ts';
import type { Account, Payment } from './state.ts';

/** Lifetime of a code after the due date. */
const DAYS_AFTER_DUE = 365;

export const hasPixKey = (account: Account): boolean =>
  account.pixKeys.some(({ status }) => status === 'ACTIVE');

export function pixQrCode(services: AsaasServices, account: Account, payment: Payment) {
  if (payment.billingType === 'CREDIT_CARD') {
    throw invalidAction('Não é possível gerar QR Code Pix para cobranças de cartão de crédito.');
  }
  if (payment.deleted || !isAwaited(payment)) {
    throw invalidAction('Não é possível gerar QR Code Pix para esta cobrança.');
  }
  const { payload: good, expiresAt } = currentCode(services, account, payment);
  const payload = account.options.artifacts === 'bad_crc' ? withBadCrc(good) : good;
  return { encodedImage: qrCodePng(payload), payload, expirationDate: expiresAt };
}

/** The code is stable if the account has a Pix key. Otherwise it is a partner's code that expires at the end of the day. */
function currentCode(
  services: AsaasServices,
  account: Account,
  payment: Payment,
): { payload: string; expiresAt: string } {
  const own = hasPixKey(account);
  const lastDay = own ? addDays(payment.dueDate, DAYS_AFTER_DUE) : services.today();
  const expiresAt = `${lastDay} 23:59:59`;
  if (payment.pixPayload !== null && payment.pixPayload.expiresAt === expiresAt) return payment.pixPayload;
  const host = own ? 'pix-h.asaas.com' : 'pix-parceiro.example.com';
  const location = `${host}/qr/cobv/${randomUUID()}`;
  const payload = dynamicPixPayload({ location, name: account.name, city: account.city });
  payment.pixPayload = { payload, expiresAt };
  return payment.pixPayload;
}

/** The last four digits are the checksum. */
const withBadCrc = (payload: string): string =>
  payload.slice(0, -4) + (payload.endsWith('0000') ? '0001' : '0000');
