/** `/transfers`: outgoing money by Pix. */
import { randomUUID } from 'node:crypto';
import { isValidCnpj } from '@brazilian-utils/brazilian-utils/is-valid-cnpj';
import { isValidCpf } from '@brazilian-utils/brazilian-utils/is-valid-cpf';
import { isValidEmail } from '@brazilian-utils/brazilian-utils/is-valid-email';
import { isValidMobilePhone } from '@brazilian-utils/brazilian-utils/is-valid-mobile-phone';
import { Hono } from 'hono';
import { z } from 'zod';
import { asaasError, badRequest, type Desk, find, invalidAction, toReais } from './desk.ts';
import { type AsaasApp, newestFirst, page, Reais, readBody, since } from './requests.ts';
import type { Transfer } from './state.ts';

/** Formats of Pix keys: without punctuation; phone numbers with area code, without country code. */
const KEY_FORMATS = {
  CPF: (key: string) => /^\d{11}$/.test(key) && isValidCpf(key),
  CNPJ: (key: string) => /^[0-9A-Z]{12}\d{2}$/.test(key) && isValidCnpj(key, { version: 2 }),
  EMAIL: (key: string) => key.length <= 77 && isValidEmail(key),
  PHONE: (key: string) => /^\d{11}$/.test(key) && isValidMobilePhone(key),
  EVP: (key: string) => z.guid().safeParse(key).success,
};

const NewTransfer = z.strictObject({
  value: Reais,
  operationType: z.literal('PIX'),
  pixAddressKey: z.string(),
  pixAddressKeyType: z.enum(['CPF', 'CNPJ', 'EMAIL', 'PHONE', 'EVP']),
  description: z.string().max(140),
  externalReference: z.string(),
});

const renderTransfer = (transfer: Transfer) => ({
  object: 'transfer',
  id: transfer.id,
  dateCreated: transfer.dateCreated,
  value: toReais(transfer.value),
  netValue: toReais(transfer.value - transfer.fee),
  status: transfer.status,
  transferFee: toReais(transfer.fee),
  effectiveDate: transfer.effectiveDate,
  confirmedDate: transfer.effectiveDate,
  authorized: transfer.authorized,
  failReason: transfer.failReason,
  externalReference: transfer.externalReference,
  operationType: 'PIX',
  description: transfer.description,
  bankAccount: { pixAddressKey: transfer.pixAddressKey },
});

const emit = (desk: Desk, event: string, transfer: Transfer): void =>
  desk.emit(`TRANSFER_${event}`, 'transfer', renderTransfer(transfer));

function enter(desk: Desk, { id: transferId }: Transfer, type: string, value: number): void {
  desk.enter({ type, value, description: `Transferência: ${type}`, transferId });
}

/** Rejects the same value to the same key within minutes as a mistake. */
function refuseRepetition({ account, now }: Desk, { value, pixAddressKey }: z.output<typeof NewTransfer>) {
  const since = now() - account.options.duplicateTransferMinutes * 60_000;
  const isRepeated = account.transfers.some(
    (known) =>
      known.createdAtMs > since &&
      known.value === value &&
      known.pixAddressKey === pixAddressKey &&
      known.status !== 'CANCELLED' &&
      known.status !== 'FAILED',
  );
  const description = 'Já existe uma transferência idêntica realizada nos últimos 15 minutos.';
  if (isRepeated) throw asaasError(409, [{ code: 'invalid_action', description }]);
}

function createTransfer(desk: Desk, order: z.output<typeof NewTransfer>): Transfer {
  const { account } = desk;
  const { criticalAuthorization, fees, validationMs } = account.options;
  const isValidated = account.withdrawalValidation !== null;
  if (order.value <= 0)
    throw badRequest('invalid_value', 'O valor da transferência deve ser maior que zero.');
  if (!KEY_FORMATS[order.pixAddressKeyType](order.pixAddressKey))
    throw badRequest('invalid_pixAddressKey', 'A chave Pix informada é inválida.');
  if (order.value + fees.transfer > desk.balance())
    throw invalidAction('Saldo insuficiente para realizar a transferência.');
  if (criticalAuthorization === 'refuse' && !isValidated)
    throw invalidAction(
      'Sua conta possui autorização crítica habilitada. Para efetuar esta ação informe o código de confirmação.',
    );
  refuseRepetition(desk, order);
  const transfer: Transfer = {
    id: randomUUID(),
    createdAtMs: desk.now(),
    dateCreated: desk.today(),
    value: order.value,
    fee: fees.transfer,
    status: 'PENDING',
    authorized: criticalAuthorization === 'off' && !isValidated,
    effectiveDate: null,
    failReason: null,
    externalReference: order.externalReference,
    description: order.description,
    pixAddressKey: order.pixAddressKey,
    asCreated: {},
    validationAttempts: 0,
    returned: 0,
  };
  account.transfers.push(transfer);
  // The type of Pix transfers on the statement is unconfirmed.
  enter(desk, transfer, 'PIX_TRANSACTION_DEBIT', -transfer.value);
  enter(desk, transfer, 'PIX_TRANSACTION_DEBIT_FEE', -transfer.fee);
  transfer.asCreated = renderTransfer(transfer);
  emit(desk, 'CREATED', transfer);
  if (isValidated) desk.later('transfers:validate', desk.now() + validationMs, transfer.id);
  else if (transfer.authorized) authorize(desk, transfer);
  return transfer;
}

export function authorize(desk: Desk, transfer: Transfer): void {
  transfer.authorized = true;
  emit(desk, 'PENDING', transfer);
  desk.later('transfers:send', desk.now(), transfer.id);
}

export function send(desk: Desk, transfer: Transfer): void {
  const { transfers: outcome, transferMs } = desk.account.options;
  if (transfer.status !== 'PENDING') return;
  transfer.status = outcome === 'blocked' ? 'BLOCKED' : 'BANK_PROCESSING';
  emit(desk, outcome === 'blocked' ? 'BLOCKED' : 'IN_BANK_PROCESSING', transfer);
  if (outcome === 'done' || outcome === 'failed')
    desk.later('transfers:conclude', desk.now() + transferMs, transfer.id);
}

/** Returns the money and the fee to the account. */
export function end(
  desk: Desk,
  transfer: Transfer,
  status: 'FAILED' | 'CANCELLED',
  reason: string | null,
): void {
  transfer.status = status;
  transfer.failReason = reason;
  enter(desk, transfer, 'PIX_TRANSACTION_DEBIT_REFUND', transfer.value);
  enter(desk, transfer, 'CHARGED_FEE_REFUND', transfer.fee);
  emit(desk, status, transfer);
}

export interface TransferStep {
  step: 'done' | 'fail' | 'block' | 'cancel' | 'return';
  reason?: string;
  /** Of a return, in reais. Default: the rest. */
  value?: number;
  /** Status of a returned transfer. Asaas does not document it, so the default is `DONE`. */
  show?: 'DONE' | 'FAILED' | 'CANCELLED';
  /** Whether a returned transfer gives back its fee. */
  fee?: boolean;
}

/** What banks do with a transfer. */
export function moveTransfer(desk: Desk, transfer: Transfer, { step, ...how }: TransferStep): void {
  const { reason = 'A conta do recebedor não foi encontrada.' } = how;
  if (step === 'return') {
    giveBack(desk, transfer, how);
    return;
  }
  if (!['PENDING', 'BANK_PROCESSING', 'BLOCKED'].includes(transfer.status))
    throw invalidAction('A transferência já terminou.');
  if (step === 'fail' || step === 'cancel') {
    end(desk, transfer, step === 'fail' ? 'FAILED' : 'CANCELLED', reason);
    return;
  }
  transfer.status = step === 'block' ? 'BLOCKED' : 'DONE';
  if (step === 'done') {
    transfer.authorized = true;
    transfer.effectiveDate = desk.today();
  }
  emit(desk, transfer.status, transfer);
}

/** The recipient's bank returns the money of a completed transfer. */
function giveBack(desk: Desk, transfer: Transfer, { value, show = 'DONE', fee }: Omit<TransferStep, 'step'>) {
  const left = transfer.value - transfer.returned;
  const back = value === undefined ? left : Math.round(value * 100);
  if (transfer.status !== 'DONE' || back <= 0 || back > left) throw invalidAction('Não há o que devolver.');
  transfer.returned += back;
  enter(desk, transfer, 'PIX_TRANSACTION_DEBIT_REFUND', back);
  if (fee) enter(desk, transfer, 'CHARGED_FEE_REFUND', transfer.fee);
  if (show === 'DONE') return;
  transfer.status = show;
  transfer.failReason = 'Transferência devolvida pela instituição do recebedor.';
  emit(desk, show, transfer);
}

export function transferRoutes(): AsaasApp {
  const app: AsaasApp = new Hono();
  app.post('/', async (c) => {
    return c.json(createTransfer(c.get('desk'), await readBody(c, NewTransfer)).asCreated);
  });
  app.get('/', (c) => {
    const byCreation = since<Transfer>(({ dateCreated }) => dateCreated);
    // The documentation has had both spellings of the first.
    return page(c, newestFirst(c.get('desk').account.transfers), renderTransfer, {
      'dateCreated[ge]': byCreation,
      'dateCreatedLe[ge]': byCreation,
      'transferDate[ge]': since(({ effectiveDate }) => effectiveDate),
    });
  });
  app.get('/:id', (c) => c.json(renderTransfer(find(c.get('desk').account.transfers, c.req.param('id')))));
  app.delete('/:id/cancel', (c) => {
    const transfer = find(c.get('desk').account.transfers, c.req.param('id'));
    if (transfer.status !== 'PENDING')
      throw invalidAction('Somente transferências pendentes podem ser canceladas.');
    end(c.get('desk'), transfer, 'CANCELLED', null);
    return c.json(renderTransfer(transfer));
  });
  return app;
}

/** The bank's response to a transfer that was sent. */
export function conclude(desk: Desk, transfer: Transfer): void {
  if (transfer.status !== 'BANK_PROCESSING') return;
  moveTransfer(desk, transfer, { step: desk.account.options.transfers === 'failed' ? 'fail' : 'done' });
}
