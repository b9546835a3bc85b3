/** Handlers of scheduled jobs, by name. */
import type { WiseServices } from './services.ts';
import { step } from './transfer-life.ts';
import { findTransfer } from './transfers.ts';

export function registerJobs(services: WiseServices): void {
  services.kit.scheduler.on('transfers:step', (data) => {
    const account = services.accountOf(data.account ?? '');
    step(services, account, findTransfer(account, Number(data.transfer)), data);
  });
}
