/** The life cycle of a transfer: authorized, sent, done, failed, canceled or returned. */
import { randomUUID } from 'node:crypto';
import { saoPaulo } from './calendar.ts';
import { invalidAction } from './errors.ts';
import { toReais } from './money.ts';
import { type AsaasServices, endToEndId } from './services.ts';
import type { Account, Transfer } from './state.ts';

export function renderTransfer(services: AsaasServices, transfer: Transfer): Record<string, unknown> {
  return {
    object: 'transfer',
    id: transfer.id,
    dateCreated: transfer.dateCreated,
    value: toReais(transfer.value),
    netValue: toReais(transfer.value - transfer.fee),
    status: transfer.status,
    transferFee: toReais(transfer.fee),
    effectiveDate: transfer.effectiveDate,
    confirmedDate: transfer.confirmedDate,
    scheduleDate: transfer.scheduleDate,
    endToEndIdentifier: transfer.endToEndIdentifier,
    authorized: transfer.authorized,
    failReason: transfer.failReason,
    externalReference: transfer.externalReference,
    transactionReceiptUrl:
      transfer.status === 'DONE' ? `${services.kit.url}/comprovantes/${transfer.id}` : null,
    operationType: transfer.operationType,
    description: transfer.description,
    recurring: null,
    type: transfer.operationType,
    bankAccount: transfer.bankAccount,
  };
}

const emit = (services: AsaasServices, account: Account, event: string, transfer: Transfer): void =>
  services.emit(account, event, 'transfer', renderTransfer(services, transfer));

const namesOf = (account: Account, { operationType }: Transfer) =>
  operationType === 'PIX' && account.options.transferEntries === 'PIX_TRANSACTION'
    ? { out: 'PIX_TRANSACTION_DEBIT', fee: 'PIX_TRANSACTION_DEBIT_FEE', back: 'PIX_TRANSACTION_DEBIT_REFUND' }
    : { out: 'TRANSFER', fee: 'TRANSFER_FEE', back: 'TRANSFER_REVERSAL' };

/** Accepts an order: reserves the money and waits for the authorization. */
export function begin(services: AsaasServices, account: Account, transfer: Transfer): void {
  const { id: transferId, value, fee } = transfer;
  const names = namesOf(account, transfer);
  services.enter(account, { type: names.out, value: -value, description: 'Transferência', transferId });
  services.enter(account, { type: names.fee, value: -fee, description: 'Taxa da transferência', transferId });
  transfer.asCreated = renderTransfer(services, transfer);
  emit(services, account, 'TRANSFER_CREATED', transfer);
  const data = { account: account.id, transfer: transferId };
  if (account.withdrawalValidation !== null) {
    services.kit.scheduler.schedule(
      'transfers:validate',
      services.now() + account.options.validationMs,
      data,
    );
  } else if (transfer.authorized) authorize(services, account, transfer);
}

/** Authorizes the transfer for today or its scheduled day. */
export function authorize(services: AsaasServices, account: Account, transfer: Transfer): void {
  if (transfer.status !== 'PENDING') throw invalidAction('A transferência não está pendente.');
  transfer.authorized = true;
  emit(services, account, 'TRANSFER_PENDING', transfer);
  const scheduled = transfer.scheduleDate ?? services.today();
  const sendAtMs = scheduled > services.today() ? saoPaulo.startOf(scheduled) : services.now();
  services.kit.scheduler.schedule('transfers:send', sendAtMs, { account: account.id, transfer: transfer.id });
}

export function send(services: AsaasServices, account: Account, transfer: Transfer): void {
  if (transfer.status !== 'PENDING') return;
  const { transfers: outcome, transferMs } = account.options;
  if (outcome === 'blocked') {
    block(services, account, transfer);
    return;
  }
  transfer.status = 'BANK_PROCESSING';
  emit(services, account, 'TRANSFER_IN_BANK_PROCESSING', transfer);
  if (outcome === 'held') return;
  services.kit.scheduler.schedule('transfers:conclude', services.now() + transferMs, {
    account: account.id,
    transfer: transfer.id,
  });
}

export function conclude(services: AsaasServices, account: Account, transfer: Transfer): void {
  if (account.options.transfers === 'failed')
    fail(services, account, transfer, account.options.transferFailReason);
  else complete(services, account, transfer);
}

const isUnderWay = ({ status }: Transfer): boolean =>
  status === 'PENDING' || status === 'BANK_PROCESSING' || status === 'BLOCKED';

export function block(services: AsaasServices, account: Account, transfer: Transfer): void {
  if (!isUnderWay(transfer)) throw invalidAction('A transferência já terminou.');
  transfer.status = 'BLOCKED';
  emit(services, account, 'TRANSFER_BLOCKED', transfer);
}

export function complete(services: AsaasServices, account: Account, transfer: Transfer): void {
  if (!isUnderWay(transfer)) return;
  transfer.status = 'DONE';
  transfer.authorized = true;
  transfer.effectiveDate = services.today();
  transfer.confirmedDate = services.today();
  if (transfer.operationType === 'PIX') transfer.endToEndIdentifier = endToEndId(services.now());
  emit(services, account, 'TRANSFER_DONE', transfer);
}

export function fail(services: AsaasServices, account: Account, transfer: Transfer, reason: string): void {
  if (!isUnderWay(transfer)) return;
  end(services, account, transfer, 'FAILED', reason);
  emit(services, account, 'TRANSFER_FAILED', transfer);
}

export function cancel(
  services: AsaasServices,
  account: Account,
  transfer: Transfer,
  reason: string | null,
): void {
  if (!isUnderWay(transfer)) return;
  end(services, account, transfer, 'CANCELLED', reason);
  emit(services, account, 'TRANSFER_CANCELLED', transfer);
}

/** Returns the money and the fee to the account. */
function end(
  services: AsaasServices,
  account: Account,
  transfer: Transfer,
  status: 'FAILED' | 'CANCELLED',
  reason: string | null,
): void {
  transfer.status = status;
  transfer.failReason = reason;
  const { id: transferId, value, fee } = transfer;
  const { back } = namesOf(account, transfer);
  services.enter(account, { type: back, value, description: 'Transferência devolvida', transferId });
  services.enter(account, {
    type: 'CHARGED_FEE_REFUND',
    value: fee,
    description: 'Taxa devolvida',
    transferId,
  });
}

/**
 * The recipient's bank returns the money of a completed transfer.
 *
 * @param show the status afterwards; Asaas does not document it, so the default is `DONE`
 */
export function giveBack(
  services: AsaasServices,
  account: Account,
  transfer: Transfer,
  { value, show, fee }: { value: number | undefined; show: 'DONE' | 'FAILED' | 'CANCELLED'; fee: boolean },
): void {
  const left = transfer.value - transfer.returned;
  const back = value ?? left;
  if (transfer.status !== 'DONE' || back <= 0 || back > left) throw invalidAction('Não há o que devolver.');
  transfer.returned += back;
  services.enter(account, {
    type: namesOf(account, transfer).back,
    value: back,
    description: `Pix devolvido ${endToEndId(services.now()).replace('E', 'D')} ${randomUUID().slice(0, 8)}`,
    transferId: transfer.id,
  });
  if (fee) {
    const entry = { type: 'CHARGED_FEE_REFUND', value: transfer.fee, description: 'Taxa devolvida' };
    services.enter(account, { ...entry, transferId: transfer.id });
  }
  if (show === 'DONE') return;
  transfer.status = show;
  transfer.failReason = 'Transferência devolvida pela instituição do recebedor.';
  emit(services, account, show === 'FAILED' ? 'TRANSFER_FAILED' : 'TRANSFER_CANCELLED', transfer);
}
