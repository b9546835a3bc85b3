// Exit codes of the CLI, and the error that carries one.

export const exitCodes = {
  ok: 0,
  /** The API rejected the request, did not respond, or a check failed. */
  failed: 1,
  /** An argument, a setting or a file is missing or invalid. Nothing was sent. */
  usage: 2,
  /** Finished, but some items were invalid or skipped. */
  incomplete: 3,
  /** Stopped before the end. Run the same command again to continue. Only `placar tenant`. */
  resumable: 75,
  /** Stopped by a signal before it finished. */
  interrupted: 130,
} as const;

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

/** Exits with a message and without a stack trace. */
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
