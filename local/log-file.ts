// Writes the log of a service to a file. Write errors, such as a full disk, are reported and otherwise ignored.
import { appendFileSync } from 'node:fs';

/** Appends lines to the file. Calls `tell` when writing starts to fail, and when it works again. */
export function logFile(path: string, tell: (line: string) => void): (line: string) => void {
  let failing = false;
  return (line) => {
    try {
      appendFileSync(path, `${line}\n`);
      if (failing) tell(`${path} is writable again.`);
      failing = false;
    } catch (error) {
      if (!failing) tell(`Cannot write ${path}; its log lines are lost: ${String(error)}`);
      failing = true;
    }
  };
}
