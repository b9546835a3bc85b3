// Where the stack of a folder is and how to get in, as lines for a shell. What the documents show to paste
// reads these, so it works wherever PORT and LOCAL_DIR lead.
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { StackInfo } from './demo.ts';
import { StartError } from './start-error.ts';

const DEFAULT_DIR = '.local';
const STACK_FILE = 'stack.json';

/** The folder that `LOCAL_DIR` names, or the default. */
export const stackFolder = (): string => process.env.LOCAL_DIR || DEFAULT_DIR;

/** For a shell: a quote ends the text, stands escaped, and begins it again. */
const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

/** The command to paste into another shell, in the project's folder. */
export function loadCommand(dir: string): string {
  const moved = resolve(dir) === resolve(DEFAULT_DIR) ? '' : `LOCAL_DIR=${quoted(resolve(dir))} `;
  return `eval "$(${moved}npm run -s env)"`;
}

/** `export` lines: each member of `stack.json` as `PLACAR_<NAME>`, and two that the examples take. */
export function exportLines(dir: string): string {
  const info = readStack(dir);
  const variables = {
    PLACAR_URL: `${info.base_url}/functions/v1`,
    PLACAR_STACK: resolve(dir, STACK_FILE),
    ...Object.fromEntries(
      Object.entries(info).map(([name, value]) => [`PLACAR_${name.toUpperCase()}`, value]),
    ),
  };
  return Object.entries(variables)
    .filter((one): one is [string, string] => one[1] !== undefined)
    .map(([name, value]) => `export ${name}=${quoted(value)}\n`)
    .join('');
}

/** Where the stack of a folder is. Throws a `StartError` where there is none. */
export function readStack(dir: string): StackInfo {
  const file = resolve(dir, STACK_FILE);
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    throw new StartError(
      `There is no ${file}: run npm start, and wait until it says so; LOCAL_DIR names another folder.`,
    );
  }
}
