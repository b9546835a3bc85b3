import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { inject } from 'vitest';

/** The logs of all parts of the stack so far. */
export function readLogs(): string {
  const dir = join(inject('dir'), 'logs');
  return readdirSync(dir)
    .map((name) => readFileSync(join(dir, name), 'utf8'))
    .join('\n');
}
