// What a service of the stack says, kept in a file. A log that cannot be written, such as on a full disk, is told of and
// ends nothing.
import { appendFileSync } from 'node:fs';

/** Appends lines to the file. `tell` hears once that it cannot be written, and again that it can. */
export function logFile(path: string, tell: (line: string) => void): (line: string) => void {
  let failing = false;
  return (line) => {
    try {
      appendFileSync(path, `${line}\n`);
      if (failing) tell(`${path} is written again.`);
      failing = false;
    } catch (error) {
      if (!failing) tell(`${path} cannot be written, what it would say is lost: ${String(error)}`);
      failing = true;
    }
  };
}
