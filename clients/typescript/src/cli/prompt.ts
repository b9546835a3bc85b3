// Questions in the terminal.
import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';

/** Whether a person can answer. */
export const canAsk = (): boolean => process.stdin.isTTY === true && process.stderr.isTTY === true;

interface AskOptions {
  /** Does not show what is typed. */
  hidden?: boolean;
  signal: AbortSignal;
}

/** Asks on stderr. Throws the signal's reason. */
export async function askFor(question: string, { hidden = false, signal }: AskOptions): Promise<string> {
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() });
  process.stderr.write(question);
  const lines = createInterface({
    input: process.stdin,
    output: hidden ? silent : process.stderr,
    terminal: true,
  });
  try {
    return (await lines.question('', { signal })).trim();
  } finally {
    lines.close();
    if (hidden) process.stderr.write('\n');
  }
}
