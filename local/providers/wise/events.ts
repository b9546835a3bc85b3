/** Events of subscriptions. Each subscription gets its own body, with its id and version. */
import { randomUUID } from 'node:crypto';
import { toMajor } from './money.ts';
import type { WiseServices } from './services.ts';
import type { Account, Balance, Entry, Profile, Subscription, Transfer } from './state.ts';
import { fullTime, secondTime } from './times.ts';

/** Events that a profile can subscribe to, with their versions. */
export const EVENT_VERSIONS: Readonly<Record<string, readonly string[]>> = {
  'transfers#state-change': ['2.0.0', '3.0.0', '4.0.0'],
  'transfers#active-cases': ['2.0.0', '4.0.0'],
  'transfers#payout-failure': ['2.0.0', '4.0.0'],
  'transfers#refund': ['1.0.0', '4.0.0'],
  'balances#credit': ['2.0.0', '4.0.0'],
  'balances#update': ['2.0.0', '3.0.0', '4.0.0'],
};

/** Only the latest version has milliseconds. */
const timeIn = (version: string, timeMs: number): string =>
  version === '4.0.0' ? fullTime(timeMs) : secondTime(timeMs);

export function eventBody(
  subscription: Pick<Subscription, 'id' | 'triggerOn' | 'version'>,
  data: object,
  sentAtMs: number,
): string {
  const { id, triggerOn, version } = subscription;
  return JSON.stringify({
    data,
    subscription_id: id,
    event_type: triggerOn,
    schema_version: version,
    sent_at: timeIn(version, sentAtMs),
  });
}

function emit(
  services: WiseServices,
  account: Account,
  profile: number,
  event: string,
  data: (occurredAt: string) => object,
): void {
  const now = services.now();
  for (const subscription of account.subscriptions) {
    if (subscription.profile !== profile || subscription.triggerOn !== event) continue;
    const body = eventBody(subscription, data(timeIn(subscription.version, now)), now);
    services.kit.webhooks.publish({ id: randomUUID(), name: event, account: account.id, body }, [
      subscription.id,
    ]);
  }
}

const resourceOf = ({ id, profile, targetAccount }: Transfer) => ({
  type: 'transfer',
  id,
  profile_id: profile,
  account_id: targetAccount,
});

export function emitStateChange(
  services: WiseServices,
  account: Account,
  transfer: Transfer,
  previous: string | null,
): void {
  emit(services, account, transfer.profile, 'transfers#state-change', (occurred_at) => ({
    resource: resourceOf(transfer),
    current_state: transfer.states.at(-1),
    previous_state: previous,
    occurred_at,
  }));
}

export function emitPayoutFailure(
  services: WiseServices,
  account: Account,
  transfer: Transfer,
  reason: string,
  description: string,
): void {
  emit(services, account, transfer.profile, 'transfers#payout-failure', (occurred_at) => ({
    transfer_id: transfer.id,
    profile_id: transfer.profile,
    failure_reason_code: reason,
    failure_description: description,
    occurred_at,
  }));
}

export function emitRefund(
  services: WiseServices,
  account: Account,
  transfer: Transfer,
  amount: number,
): void {
  emit(services, account, transfer.profile, 'transfers#refund', (occurred_at) => ({
    resource: {
      ...resourceOf(transfer),
      refund_amount: toMajor(transfer.sourceCurrency, amount),
      refund_currency: transfer.sourceCurrency,
    },
    occurred_at,
  }));
}

export function emitActiveCases(services: WiseServices, account: Account, transfer: Transfer): void {
  emit(services, account, transfer.profile, 'transfers#active-cases', () => ({
    resource: resourceOf(transfer),
    active_cases: transfer.activeCases,
  }));
}

export function emitBalanceChange(
  services: WiseServices,
  account: Account,
  profile: Profile,
  { id, currency }: Balance,
  entry: Entry,
): void {
  const resource = { type: 'balance-account', id: profile.id, profile_id: profile.id };
  const told = {
    transaction_type: entry.amount < 0 ? 'debit' : 'credit',
    amount: toMajor(currency, Math.abs(entry.amount)),
    currency,
    post_transaction_balance_amount: toMajor(currency, entry.running),
  };
  emit(services, account, profile.id, 'balances#update', (occurred_at) => ({
    resource,
    ...told,
    balance_id: id,
    channel_name: entry.type === 'TRANSFER' ? 'TRANSFER' : entry.type,
    occurred_at,
    step_id: entry.number,
    transfer_reference: entry.referenceNumber.replace(/^TRANSFER-/, ''),
  }));
  if (entry.amount <= 0) return;
  emit(services, account, profile.id, 'balances#credit', (occurred_at) => ({
    resource,
    ...told,
    occurred_at,
  }));
}
