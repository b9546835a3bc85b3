/** Handlers of scheduled jobs, by name. */
import type { Bank } from './bank.ts';
import { step } from './transfer-life.ts';
import { findTransfer } from './transfers.ts';

export function registerJobs(bank: Bank): void {
  bank.kit.agenda.on('transfers:step', (data) => {
    const account = bank.accountOf(data.account ?? '');
    step(bank, account, findTransfer(account, Number(data.transfer)), data);
  });
}
