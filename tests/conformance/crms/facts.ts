/** Assumptions about a CRM that its documentation does not confirm, each with a way to observe it. */
import type { CheckRun } from './check-run.ts';
import type { Exchange, Outcome } from './subject.ts';

export interface Observation {
  outcome: Outcome;
  seen: string;
}

export interface Fact {
  assumed: string;
  /** Words of the line in the adapter's `facts.ts` that calls it unconfirmed. Absent if the assumption is not from there. */
  line?: string;
  observe(run: CheckRun): Observation | Promise<Observation>;
}

export const ok = (seen: string): Observation => ({ outcome: 'ok', seen });
export const differs = (seen: string): Observation => ({ outcome: 'differs', seen });
export const notTried = (seen: string): Observation => ({ outcome: 'could not be tried', seen });

/** A fact that no program can try. */
export const untried = (assumed: string, why: string, line?: string): Fact => ({
  assumed,
  ...(line !== undefined && { line }),
  observe: () => notTried(why),
});

/** Limits are not provoked, but another program of the company may have reached one during the run. */
export const retryAfterOfLimits = (line?: string): Fact => ({
  assumed: 'A response with status 429 may have `Retry-After`; without it we wait 10 s, then longer',
  ...(line !== undefined && { line }),
  observe({ subject }) {
    const busy = subject.exchanges.filter(({ status }) => status === 429);
    if (busy.length === 0) return notTried('No response had status 429; limits are not provoked');
    const count = busy.filter(({ hasRetryAfter }) => hasRetryAfter).length;
    return ok(`${count} of ${busy.length} responses with status 429 had the header`);
  },
});

/** Whether requests of these paths succeed, and what their statuses were. */
export function statusesOf(exchanges: readonly Exchange[], isMeant: (path: string) => boolean): Observation {
  const statuses = exchanges.filter(({ path }) => isMeant(path)).map(({ status }) => status);
  if (statuses.length === 0) return notTried('No request reached it');
  const seen = `Status ${[...new Set(statuses)].join(', ')}`;
  return statuses.some((status) => status < 300) ? ok(seen) : differs(seen);
}

/** A body that is JSON; undefined if it is not. */
export function jsonOf(body: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(body));
  } catch {
    return undefined;
  }
}
