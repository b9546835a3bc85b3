/** Asaas asks a registered URL to approve each withdrawal. It cancels the withdrawal after three failures. */
import { z } from 'zod';
import { post } from '../../fakes/post.ts';
import { type Desk, find, toReais } from './desk.ts';
import { concludeRefund } from './payment-returns.ts';
import type { Account, Payment, Transfer } from './state.ts';
import { authorize, end } from './transfers.ts';

const MAX_ATTEMPTS = 3;
const Verdict = z.object({ status: z.enum(['APPROVED', 'REFUSED']), refuseReason: z.string().nullish() });

/** Requests an approval. Asaas gives up after three failures. */
async function ask({ withdrawalValidation }: Account, body: object) {
  if (withdrawalValidation === null) return undefined;
  const { url, authToken } = withdrawalValidation;
  const { status, body: answer } = await post(url, {
    body: JSON.stringify(body),
    headers: {
      'content-type': 'application/json',
      'user-agent': 'Asaas',
      ...(authToken !== null && { 'asaas-access-token': authToken }),
    },
    timeoutMs: 10_000,
  });
  return status === 200 ? Verdict.safeParse(JSON.parse(answer)).data : undefined;
}

/** Sends the transfer as it was in the response to its creation. */
export async function validateTransfer(desk: Desk, transfer: Transfer): Promise<void> {
  if (transfer.status !== 'PENDING' || transfer.authorized) return;
  transfer.validationAttempts += 1;
  const verdict = await ask(desk.account, { type: 'TRANSFER', transfer: transfer.asCreated });
  // Canceled during the validation.
  if (transfer.status !== 'PENDING') return;
  const { validationMs } = desk.account.options;
  if (verdict?.status === 'APPROVED') authorize(desk, transfer);
  else if (verdict)
    end(desk, transfer, 'CANCELLED', verdict.refuseReason ?? 'Saque recusado pelo mecanismo de validação.');
  else if (transfer.validationAttempts < MAX_ATTEMPTS)
    desk.later('transfers:validate', desk.now() + validationMs, transfer.id);
  else end(desk, transfer, 'CANCELLED', 'Falha na comunicação com o mecanismo de validação de saque.');
}

/** The names in the body of a Pix refund's approval are not documented. */
export async function validateRefund(desk: Desk, payment: Payment, refundId: string): Promise<void> {
  const refund = find(payment.refunds, refundId);
  if (refund.status !== 'AWAITING_CRITICAL_ACTION_AUTHORIZATION') return;
  refund.validationAttempts += 1;
  const pixRefund = { id: refund.id, value: toReais(refund.value), payment: payment.id };
  const verdict = await ask(desk.account, { type: 'PIX_REFUND', pixRefund });
  if (verdict === undefined && refund.validationAttempts < MAX_ATTEMPTS)
    desk.later('refunds:validate', desk.now() + desk.account.options.validationMs, payment.id, refundId);
  else concludeRefund(desk, payment, refund, verdict?.status === 'APPROVED' ? 'DONE' : 'CANCELLED');
}
