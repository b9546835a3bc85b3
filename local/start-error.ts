/** The reason why a program cannot start and its remedy, in one line. Printed without a stack trace. */
export class StartError extends Error {
  override readonly name = 'StartError';
}

/** Prints why a program of `local/` cannot start, and exits. */
export function exitWithError(error: unknown): never {
  console.error(error instanceof StartError ? error.message : error);
  process.exit(1);
}
