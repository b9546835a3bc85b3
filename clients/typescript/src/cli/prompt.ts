// Questions in the terminal.
import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';

/** Whether a person can answer. */
export const canAsk = (): boolean => process.stdin.isTTY === true && process.stderr.isTTY === true;

interface AskOptions {
  /** Hides the typed text. */
  hidden?: boolean;
  signal: AbortSignal;
}

/** Asks on stderr. Throws the signal's reason. */
export async function askFor(question: string, { hidden = false, signal }: AskOptions): Promise<string> {
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() });
  if (hidden) process.stderr.write(question);
  const output = hidden ? silent : process.stderr;
  const lines = createInterface({ input: process.stdin, output, terminal: true });
  // While it reads, the terminal sends Ctrl-C as a character.
  lines.on('SIGINT', () => process.kill(process.pid, 'SIGINT'));
  try {
    return (await lines.question(hidden ? '' : question, { signal })).trim();
  } finally {
    lines.close();
    if (hidden) process.stderr.write('\n');
  }
}
