// A signing key that has the correct form but is unusable: the function exits, under the deployed Deno version.
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { createSigningKey } from '../../../../scripts/signing-key.ts';

const root = fileURLToPath(new URL('../../../..', import.meta.url));
const one = JSON.parse(createSigningKey());
const another = JSON.parse(createSigningKey());

/** Creates an issuer with only this key. Returns the exit code and the output. */
function load(key: object): Promise<{ code: number; output: string }> {
  const env = { FUNCTIONS_URL: 'https://project.example', OAUTH_SIGNING_KEY: key };
  const code = `
    import { createTokenIssuer } from '${join(root, 'shared/platform/access/access-tokens.ts')}';
    createTokenIssuer(${JSON.stringify(env)});`;
  const flags = ['--no-lock', '--node-modules-dir=manual', `--config=${join(root, 'deno.json')}`];
  return new Promise((resolve) => {
    const deno = join(root, 'node_modules', 'deno', 'deno');
    const child = execFile(deno, ['run', ...flags, '-'], { cwd: root }, (error, stdout, stderr) => {
      resolve({ code: error ? Number(error.code) : 0, output: stdout + stderr });
    });
    child.stdin?.end(code);
  });
}

test('accepts a valid key silently', async () => {
  expect(await load(one)).toEqual({ code: 0, output: '' });
});

test.each([
  ['a private part of another key', { ...one, d: another.d }],
  ['a coordinate of another key', { ...one, x: another.x }],
  ['zero as the private part', { ...one, d: 'A'.repeat(43) }],
])('%s: the error names the setting without showing the key', async (_, key) => {
  const { code, output } = await load(key);
  expect(code).toBe(1);
  expect(output).toContain('OAUTH_SIGNING_KEY is not a usable key. Create one with npm run signing-key.');
  expect(output).not.toContain(key.d);
});
