// Prints errors and maps them to exit codes.
import { OptionsError, PlacarError } from '../errors.ts';
import { CliError, type ExitCode, exitCodes } from './exit-codes.ts';
import { type Output, printable } from './output.ts';

/** Prints the error to stderr and returns the exit code. */
export function printFailure(error: unknown, out: Output): ExitCode {
  const code = codeOf(error);
  if (!out.human) {
    out.note(JSON.stringify({ error: summary(error) }));
    return code;
  }
  const said = error instanceof PlacarError ? error.said : messageOf(error);
  out.note(`${out.colors.red('error:')} ${printable(said)}`);
  if (error instanceof PlacarError) {
    for (const { field, message, index } of error.fields) {
      out.note(`  ${index === undefined ? '' : `${index}: `}${printable(`${field} ${message}`)}`);
    }
    if (error.requestId) out.note(out.colors.dim(`  ${printable(error.code)}, request ${error.requestId}`));
  }
  return code;
}

function codeOf(error: unknown): ExitCode {
  if (error instanceof CliError) return error.exitCode;
  return error instanceof OptionsError ? exitCodes.usage : exitCodes.failed;
}

const messageOf = (error: unknown): string =>
  // If several addresses of one host name failed, the error has an empty message.
  error instanceof Error
    ? error.message || ('code' in error ? String(error.code) : error.name)
    : String(error);

function summary(error: unknown): object {
  if (!(error instanceof PlacarError)) return { message: messageOf(error) };
  const { code, said: message, status, requestId, fields } = error;
  return { code, message, status, request_id: requestId, fields };
}
