// The result of one step of the staging check.
import { reasonOf } from '../reason.ts';

export interface Step {
  name: string;
  status: 'ok' | 'failed' | 'not checked';
  found: string;
  /** How to fix it. */
  todo?: string;
}

/** How to fix a failed step; if it depends on the error, a function of it. */
type Todo = string | ((error: unknown) => string);

/** Runs a step. One that throws has failed. */
export async function step(name: string, todo: Todo, work: () => Promise<string>): Promise<Step> {
  try {
    return { name, status: 'ok', found: await work() };
  } catch (error) {
    return {
      name,
      status: 'failed',
      found: reasonOf(error),
      todo: typeof todo === 'string' ? todo : todo(error),
    };
  }
}

export const notChecked = (name: string, found: string): Step => ({ name, status: 'not checked', found });
