/** Asaas asks a registered URL to approve each withdrawal. It cancels the withdrawal after three failures. */
import { z } from 'zod';
import { post } from '../post.ts';
import type { Bank } from './bank.ts';
import type { Account, Transfer } from './state.ts';
import { authorize, cancel } from './transfer-life.ts';

const MOST_ATTEMPTS = 3;
const TIMEOUT_MS = 10_000;

const Verdict = z.object({
  status: z.enum(['APPROVED', 'REFUSED']),
  refuseReason: z.string().nullish(),
});

/** Makes one attempt. Sends the transfer as it was in the response to its creation. */
export async function validateWithdrawal(bank: Bank, account: Account, transfer: Transfer): Promise<void> {
  const { withdrawalValidation } = account;
  if (transfer.status !== 'PENDING' || transfer.authorized || withdrawalValidation === null) return;
  transfer.validationAttempts += 1;
  const { status, body } = await post({
    url: withdrawalValidation.url,
    body: JSON.stringify({ type: 'TRANSFER', transfer: transfer.asCreated }),
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
  // Canceled during the validation.
  if (transfer.status !== 'PENDING') return;
  const verdict = status === 200 ? readVerdict(body) : undefined;
  if (verdict?.status === 'APPROVED') authorize(bank, account, transfer);
  else if (verdict?.status === 'REFUSED') {
    cancel(bank, account, transfer, verdict.refuseReason ?? 'Saque recusado pelo mecanismo de validação.');
  } else if (transfer.validationAttempts < MOST_ATTEMPTS) {
    bank.kit.agenda.plan('transfers:validate', bank.now() + account.options.validationRetryMs, {
      account: account.id,
      transfer: transfer.id,
    });
  } else cancel(bank, account, transfer, 'Falha na comunicação com o mecanismo de validação de saque.');
}

function readVerdict(body: string): z.output<typeof Verdict> | undefined {
  try {
    return Verdict.safeParse(JSON.parse(body)).data;
  } catch {
    return undefined;
  }
}
