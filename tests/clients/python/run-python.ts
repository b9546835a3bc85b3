// Runs the Python client as programs do, with the system's Python if there is one.
import { execFile, spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { inject } from 'vitest';

export const clientFolder = fileURLToPath(new URL('../../../clients/python', import.meta.url));

const succeeds = (...args: string[]) => spawnSync('python3', args, { stdio: 'ignore' }).status === 0;

/** Whether a supported Python is installed. If not, its tests are skipped. */
export const hasPython = succeeds('-c', 'import sys; sys.exit(sys.version_info < (3, 9))');
export const hasPip = hasPython && succeeds('-m', 'pip', '--version');

export const functionsUrl = () => `${inject('stack').base_url}/functions/v1`;

/** Returns the output of python3. Throws with its errors if it fails. */
export async function python(
  args: string[],
  env: Record<string, string> = {},
  input: string = '',
): Promise<string> {
  const { PATH = '', HOME = '' } = process.env;
  const running = promisify(execFile)('python3', args, {
    cwd: clientFolder,
    maxBuffer: 64 * 1024 * 1024,
    env: {
      PATH,
      HOME,
      PYTHONPATH: `${clientFolder}/src`,
      PYTHONDONTWRITEBYTECODE: '1',
      PYTHONIOENCODING: 'utf-8',
      ...env,
    },
  });
  running.child.stdin?.end(input);
  const { stdout, stderr } = await running;
  return stdout + stderr;
}

/** Runs a program with the variables `placar` (created from `client`) and `given`. Returns the JSON that it passes to `tell`. */
export async function withClient<T>(client: object, code: string, given: object = {}): Promise<T> {
  const head = `
import json, sys, threading
from placar import *
client, given = json.load(sys.stdin)
placar = Placar(**client)
def tell(value):
    print(json.dumps(value))
`;
  const options = { url: functionsUrl(), ...client };
  const output = await python(['-c', head + code], {}, JSON.stringify([options, given]));
  return JSON.parse(output) as T;
}
