// When accounts are reconciled: at a fixed offset within each period, so that the comparisons of many accounts are spread over the day.
import { hashOf } from '../../platform/jobs/retry-schedule.ts';

/** The account's next reconciliation after this time. Its offset within the period depends only on the account's id. */
export function nextReconciliationAt(accountId: string, after: Date, periodSeconds: number): Date {
  const offset = hashOf(accountId) % periodSeconds;
  const periods = Math.floor((after.getTime() / 1000 - offset) / periodSeconds) + 1;
  return new Date((offset + periods * periodSeconds) * 1000);
}
