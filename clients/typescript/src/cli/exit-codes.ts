// How the command line ends, and the error that says so.

export const exitCodes = {
  ok: 0,
  /** The API refused, nothing answered, or a check is red. */
  failed: 1,
  /** An argument, a setting or a file is missing or wrong: nothing was sent. */
  usage: 2,
  /** Done, but for items that are invalid or were skipped. */
  incomplete: 3,
  /** Ended by a signal before it was done. */
  interrupted: 130,
} as const;

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

/** Ends the program with a message and without a stack. */
export class CliError extends Error {
  readonly exitCode: ExitCode;

  constructor(message: string, exitCode: ExitCode = exitCodes.failed) {
    super(message);
    this.name = 'CliError';
    this.exitCode = exitCode;
  }
}

/** An argument or setting is missing or wrong. */
export const usageError = (message: string) => new CliError(message, exitCodes.usage);
