// Refunds of the sandbox. Their amounts select the behavior (rules.ts), and they complete automatically, except those of boletos.
import { waitUntil } from '../../../platform/background.ts';
import { WORKER_SESSION } from '../../../platform/db/database.ts';
import { runAndCollectJobs } from '../../../platform/jobs/new-jobs.ts';
import { ProviderOutcomeUnknown, ProviderRejected, RefundRejected } from '../errors.ts';
import type { RefundPort, RefundReport } from '../refund-port.ts';
import type { SandboxDependencies } from './orders.ts';
import type { SandboxSettings } from './provider.ts';
import {
  acceptRefund,
  findRefunds,
  findWaitingRefund,
  type NewRefund,
  type RefundRow,
  settleRefund,
} from './queries.ts';
import { hasRule } from './rules.ts';

export type SandboxRefunds = ReturnType<typeof createSandboxRefunds>;

export function createSandboxRefunds(
  { database, queue, log }: SandboxDependencies,
  { refundUrl }: Pick<SandboxSettings, 'refundUrl'>,
) {
  return {
    /** Accepts a refund. `isNew`: whether it was not accepted before. */
    async place(refund: NewRefund) {
      const { rows, jobs } = await runAndCollectJobs(
        (build) => database.transaction(WORKER_SESSION, build),
        (sql) => acceptRefund(sql, refund),
      );
      waitUntil(() => queue.publish(jobs, log));
      const [accepted] = rows;
      if (!accepted) throw new ProviderOutcomeUnknown('The sandbox lost a refund.');
      return { row: accepted.row, isNew: accepted.is_new };
    },
    /** The refunds of a charge. */
    async of(charge: string, currency: string): Promise<RefundReport[]> {
      const found = await database.transaction(WORKER_SESSION, (sql) => findRefunds(sql, charge));
      return found.map(({ row }) => reportOf(row, currency, refundUrl));
    },
    /** Completes a refund that waits for the payer. Returns false if it does not exist. */
    async settle(reference: string): Promise<boolean> {
      const [row] = await database.transaction(WORKER_SESSION, (sql) => settleRefund(sql, reference));
      return row?.found ?? false;
    },
    /** Whether a refund with this sandbox id waits for the payer. */
    async isWaiting(providerId: string): Promise<boolean> {
      const [row] = await database.transaction(WORKER_SESSION, (sql) => findWaitingRefund(sql, providerId));
      return row?.found ?? false;
    },
  };
}

export function createRefunds(
  refunds: SandboxRefunds,
  { settleSeconds, refundUrl }: Pick<SandboxSettings, 'settleSeconds' | 'refundUrl'>,
): RefundPort {
  return {
    async create({ reference: charge, currency, method }, { reference, amountMinor }) {
      if (hasRule(amountMinor, 'refuse'))
        throw new ProviderRejected('The sandbox rejects amounts ending in 13.');
      if (hasRule(amountMinor, 'lowBalance'))
        throw new RefundRejected(
          'insufficient_balance',
          'Insufficient sandbox balance: amounts ending in 31 fail like this.',
        );
      const { row, isNew } = await refunds.place({
        reference,
        charge,
        amountMinor,
        endsAs: hasRule(amountMinor, 'failLater') ? 'failed' : 'succeeded',
        endsInSeconds: method === 'boleto' ? null : settleSeconds,
        times: hasRule(amountMinor, 'notifyTwice') ? 2 : 1,
      });
      if (isNew && hasRule(amountMinor, 'silentOnce'))
        throw new ProviderOutcomeUnknown('The sandbox accepted the refund but did not respond.');
      return reportOf(row, currency, refundUrl);
    },
    async find({ reference: charge, currency }, { reference }) {
      return (await refunds.of(charge, currency)).find((one) => one.reference === reference);
    },
  };
}

function reportOf(
  { provider_id: key, reference, status, amount: amountMinor, ends_at: endsAt }: RefundRow,
  currency: string,
  refundUrl: string,
): RefundReport {
  const isWaiting = endsAt === null;
  return {
    key,
    reference,
    status,
    amountMinor,
    ...(status === 'pending' && { pendingReason: isWaiting ? 'waiting_for_payer' : 'processing' }),
    ...(isWaiting && { actionUrl: `${refundUrl}/${key}` }),
    ...(status === 'failed' && { failureReason: 'Rejected by the sandbox.' }),
    ...(status === 'succeeded' && { moved: { currency, amountMinor: -amountMinor } }),
    ...(endsAt !== null && status !== 'pending' && { settledAt: new Date(endsAt) }),
  };
}
