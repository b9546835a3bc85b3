/** Runs all checks with an account, one after the other, removes what they created, and returns the results. */
import type { Behavior, CheckRun } from './check-run.ts';
import { Created, type Leftovers } from './created.ts';
import { dealBehaviors } from './deal-behaviors.ts';
import type { Fact, Observation } from './facts.ts';
import { listBehaviors } from './list-behaviors.ts';
import { recordBehaviors } from './record-behaviors.ts';
import { NotTried, type Outcome, type Subject } from './subject.ts';
import { webhookBehaviors } from './webhook-behaviors.ts';

export interface Result {
  name: string;
  outcome: Outcome;
  /** Why it differs or could not be tried. */
  why: string;
}

export interface Report {
  results: Result[];
  facts: (Observation & { assumed: string })[];
  left: Leftovers;
  /** The text with which a person sets up webhooks. */
  webhookSetup: string | undefined;
}

export const behaviors: readonly Behavior[] = [
  ...recordBehaviors.reading,
  ...recordBehaviors.creating,
  ...listBehaviors.listing,
  ...recordBehaviors.updating,
  ...dealBehaviors,
  ...listBehaviors.activities,
  ...listBehaviors.deleting,
  ...webhookBehaviors,
];

/** An abort of the signal ends the checks, but not the removal of what they created. Never rejects. */
export async function checkCrm(subject: Subject, signal: AbortSignal): Promise<Report> {
  subject.until = signal;
  const run: CheckRun = { subject, created: new Created(subject), signal, found: {} };
  const results: Result[] = [];
  for (const behavior of behaviors) results.push(await check(behavior, run));
  const facts: Report['facts'] = [];
  for (const fact of subject.facts) facts.push(await observe(fact, run));
  const left = await run.created.cleanUp();
  results.push(removalOf(left));
  return { results, facts, left, webhookSetup: run.found.webhookSetup };
}

async function check({ name, holds }: Behavior, run: CheckRun): Promise<Result> {
  try {
    if (run.signal.aborted) throw new NotTried('interrupted');
    await holds(run);
    return { name, outcome: 'ok', why: '' };
  } catch (error) {
    return { name, ...failureOf(error, run.signal) };
  }
}

async function observe(
  { assumed, observe: look }: Fact,
  run: CheckRun,
): Promise<Observation & { assumed: string }> {
  try {
    if (run.signal.aborted) throw new NotTried('interrupted');
    return { assumed, ...(await look(run)) };
  } catch (error) {
    const { outcome, why: seen } = failureOf(error, run.signal);
    return { assumed, outcome, seen };
  }
}

function failureOf(error: unknown, { aborted }: AbortSignal): Omit<Result, 'name'> {
  if (aborted) return { outcome: 'could not be tried', why: 'interrupted' };
  const isUntried = error instanceof NotTried;
  return { outcome: isUntried ? 'could not be tried' : 'differs', why: wordsOf(error) };
}

function removalOf({ byHand, failed }: Leftovers): Result {
  const name = 'everything that was created is removed';
  const why = [...failed, ...byHand.map((what) => `remove by hand: ${what}`)].join('; ');
  if (failed.length > 0) return { name, outcome: 'differs', why };
  return { name, outcome: byHand.length > 0 ? 'could not be tried' : 'ok', why };
}

/** Assertion errors have a diff of many lines. */
function wordsOf(error: unknown): string {
  if (error instanceof NotTried) return error.message;
  const words = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  return words.replaceAll(/\s+/g, ' ').trim().slice(0, 500);
}
