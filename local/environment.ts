// URLs and credentials of a folder's stack as shell exports. Examples in the documentation use these variables, so they work
// with any PORT and LOCAL_DIR.
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { StackInfo } from './demo.ts';
import { StartError } from './start-error.ts';

const DEFAULT_DIR = '.local';
const STACK_FILE = 'stack.json';
/** Settings of the functions, for `placar doctor`. */
export const SETTINGS_FILE = 'functions.env';

/** The folder of `LOCAL_DIR`, or the default. */
export const stackFolder = (): string => process.env.LOCAL_DIR || DEFAULT_DIR;

/** Quotes a value for a shell. */
const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

/** The shell command that sets the variables, to be run in the project folder. */
export function loadCommand(dir: string): string {
  const moved = resolve(dir) === resolve(DEFAULT_DIR) ? '' : `LOCAL_DIR=${quoted(resolve(dir))} `;
  return `eval "$(${moved}npm run -s env)"`;
}

/** `export` lines: each text in `stack.json` as `PLACAR_<NAME>`, and further variables for the examples. */
export function exportLines(dir: string): string {
  const info = readStack(dir);
  const variables = {
    PLACAR_URL: `${info.base_url}/functions/v1`,
    PLACAR_STACK: resolve(dir, STACK_FILE),
    PLACAR_ENV_FILE: resolve(dir, SETTINGS_FILE),
    ...Object.fromEntries(
      Object.entries(info).map(([name, value]) => [`PLACAR_${name.toUpperCase()}`, value]),
    ),
  };
  return Object.entries(variables)
    .filter((one): one is [string, string] => typeof one[1] === 'string')
    .map(([name, value]) => `export ${name}=${quoted(value)}\n`)
    .join('');
}

/** Reads the URLs and credentials of a folder's stack. Throws a `StartError` if there is none. */
export function readStack(dir: string): StackInfo {
  const file = resolve(dir, STACK_FILE);
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    throw new StartError(
      `${file} not found. Run npm start and wait until the stack is ready, or set LOCAL_DIR to the folder of the stack.`,
    );
  }
}
