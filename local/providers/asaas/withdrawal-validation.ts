/** Asaas asks a registered URL to approve each withdrawal. It cancels the withdrawal after three failures. */
import { z } from 'zod';
import { post } from '../post.ts';
import { toReais } from './money.ts';
import { concludeRefund } from './payment-returns.ts';
import type { AsaasServices } from './services.ts';
import type { Account, Payment, Transfer } from './state.ts';
import { authorize, cancel } from './transfer-life.ts';

const MAX_ATTEMPTS = 3;
const TIMEOUT_MS = 10_000;

const Verdict = z.object({
  status: z.enum(['APPROVED', 'REFUSED']),
  refuseReason: z.string().nullish(),
});

type Answer = z.output<typeof Verdict> | undefined;

async function ask(account: Account, body: object): Promise<Answer> {
  const { withdrawalValidation } = account;
  if (withdrawalValidation === null) return undefined;
  const { status, body: answer } = await post({
    url: withdrawalValidation.url,
    body: JSON.stringify(body),
    headers: {
      'content-type': 'application/json',
      'user-agent': 'Asaas',
      ...(withdrawalValidation.authToken === null
        ? {}
        : { 'asaas-access-token': withdrawalValidation.authToken }),
    },
    timeoutMs: TIMEOUT_MS,
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });
  return status === 200 ? readVerdict(answer) : undefined;
}

/** Makes one attempt. Sends the transfer as it was in the response to its creation. */
export async function validateWithdrawal(
  services: AsaasServices,
  account: Account,
  transfer: Transfer,
): Promise<void> {
  if (transfer.status !== 'PENDING' || transfer.authorized || account.withdrawalValidation === null) return;
  transfer.validationAttempts += 1;
  const verdict = await ask(account, { type: 'TRANSFER', transfer: transfer.asCreated });
  // Canceled during the validation.
  if (transfer.status !== 'PENDING') return;
  if (verdict?.status === 'APPROVED') authorize(services, account, transfer);
  else if (verdict?.status === 'REFUSED') {
    cancel(
      services,
      account,
      transfer,
      verdict.refuseReason ?? 'Saque recusado pelo mecanismo de validação.',
    );
  } else if (transfer.validationAttempts < MAX_ATTEMPTS) {
    services.kit.scheduler.schedule(
      'transfers:validate',
      services.now() + account.options.validationRetryMs,
      {
        account: account.id,
        transfer: transfer.id,
      },
    );
  } else cancel(services, account, transfer, 'Falha na comunicação com o mecanismo de validação de saque.');
}

/** Makes one attempt for a Pix refund. The names in its body are not documented. */
export async function validateRefund(
  services: AsaasServices,
  account: Account,
  payment: Payment,
  refundId: string,
): Promise<void> {
  const refund = payment.refunds.find(({ id }) => id === refundId);
  if (refund?.status !== 'AWAITING_CRITICAL_ACTION_AUTHORIZATION') return;
  refund.validationAttempts += 1;
  const pixRefund = { id: refund.id, value: toReais(refund.value), payment: payment.id };
  const verdict = await ask(account, { type: 'PIX_REFUND', pixRefund });
  if (refund.status !== 'AWAITING_CRITICAL_ACTION_AUTHORIZATION') return;
  if (verdict?.status === 'APPROVED') concludeRefund(services, account, payment, refundId, 'DONE');
  else if (verdict?.status === 'REFUSED' || refund.validationAttempts >= MAX_ATTEMPTS) {
    concludeRefund(services, account, payment, refundId, 'CANCELLED');
  } else {
    services.kit.scheduler.schedule('refunds:validate', services.now() + account.options.validationRetryMs, {
      account: account.id,
      payment: payment.id,
      refund: refundId,
    });
  }
}

function readVerdict(body: string): Answer {
  try {
    return Verdict.safeParse(JSON.parse(body)).data;
  } catch {
    return undefined;
  }
}
