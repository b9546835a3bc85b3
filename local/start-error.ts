/** Why something does not start, in one line that says what to do: printed without a stack trace. */
export class StartError extends Error {
  override readonly name = 'StartError';
}

/** Prints why a program of `local/` did not start, and ends it. */
export function exitBecause(error: unknown): never {
  console.error(error instanceof StartError ? error.message : error);
  process.exit(1);
}
