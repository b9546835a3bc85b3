/** Runs all behaviors with a provider, one after the other, and returns the results. */
import { type Behavior, behaviors, type Need } from './behaviors.ts';
import { Made, methodsOf, type Subject } from './subject.ts';

export interface Result {
  name: string;
  outcome: 'held' | 'did not hold' | 'not asked';
  /** Why it failed or was skipped. */
  why: string;
}

/** Every behavior, and at the end whether the cleanup succeeded. */
export async function checkConformance(subject: Subject): Promise<Result[]> {
  const made = new Made();
  const results: Result[] = [];
  for (const behavior of behaviors) results.push(await check(behavior, subject, made));
  const left = await made.uncountRequest(subject);
  results.push({
    name: 'what was made here was canceled or removed again',
    outcome: left.length === 0 ? 'held' : 'did not hold',
    why: left.join('; '),
  });
  return results;
}

async function check({ name, needs, holds }: Behavior, subject: Subject, made: Made): Promise<Result> {
  const why = needs.map((need) => missing(need, subject)).find((reason) => reason !== undefined);
  if (why !== undefined) return { name, outcome: 'not asked', why };
  try {
    await holds(subject, made);
    return { name, outcome: 'held', why: '' };
  } catch (error) {
    return { name, outcome: 'did not hold', why: wordsOf(error) };
  }
}

/** Assertion errors have a diff of many lines. */
function wordsOf(error: unknown): string {
  const words = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  return words.replace(/\s+/g, ' ').trim().slice(0, 500);
}

/** Why a behavior cannot be tested here, or undefined if it can. */
function missing(need: Need, subject: Subject): string | undefined {
  const { account, capabilities, stage } = subject;
  switch (need) {
    case 'account':
      return account ? undefined : 'has no accounts';
    case 'webhook':
      return account?.webhook ? undefined : 'PROVIDER_CALLBACK_URL names no address that answers';
    case 'stage':
      return stage ? undefined : 'moves money or needs a fault: only for fakes';
    case 'payer':
      return subject.payer ? undefined : 'a person has to pay';
    case 'refund':
      return subject.provider.refunds ? undefined : 'does not refund';
    case 'charge':
      return methodsOf(subject).length > 0 ? undefined : 'takes no charges';
    case 'no charge':
      return methodsOf(subject).length > 0 ? 'takes charges' : undefined;
    case 'no payout':
      return capabilities.payout === null ? 'pays out' : undefined;
    case 'no tax document':
      return capabilities.tax_document === null ? 'issues tax documents' : undefined;
    case 'payout':
    case 'tax_document':
      return capabilities[need] ?? undefined;
    default:
      return methodsOf(subject).includes(need) ? undefined : 'does not take it';
  }
}
