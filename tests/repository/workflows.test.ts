// biome-ignore-all lint/suspicious/noTemplateCurlyInString: expressions of GitHub look like templates.
// Workflows run code of others with our secrets: every action is pinned, and no secret or input becomes part of a command.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const folder = fileURLToPath(new URL('../../.github/workflows', import.meta.url));
const read = (name: string) => readFileSync(join(folder, name), 'utf8');

test('every action is pinned to a commit', () => {
  const used = readdirSync(folder).flatMap((name) => [...read(name).matchAll(/uses: (.*)/g)]);
  expect(used.length).toBeGreaterThan(5);
  expect(
    used.map(([, action]) => action).filter((action) => !/@[0-9a-f]{40} # v?\S/.test(action ?? '')),
  ).toEqual([]);
});

test('no step has a key twice, for which GitHub rejects the whole workflow', () => {
  const steps = readdirSync(folder).flatMap((name) =>
    read(name)
      .split(/^ {6}- /m)
      .slice(1),
  );
  const keysOf = (step: string) => (`        ${step}`.match(/^ {8}[\w-]+:/gm) ?? []).map((key) => key.trim());
  expect(steps.length).toBeGreaterThan(20);
  expect(steps.filter((step) => new Set(keysOf(step)).size !== keysOf(step).length)).toEqual([]);
});

test('deploy.yml runs once per environment', () => {
  expect(read('deploy.yml')).toContain(
    'group: deploy-${{ inputs.environment }}\n  cancel-in-progress: false',
  );
});

test.each(['crms.yml', 'deploy.yml', 'providers.yml', 'nightly.yml'])(
  '%s has read-only permissions, and interpolates no value into a command',
  (name) => {
    const text = read(name);
    expect(text.match(/permissions:\n(?: +.*\n)+/g)).toEqual(['permissions:\n  contents: read\n']);
    const commands = [...text.matchAll(/run: (?:\|\n((?: {10}.*\n)+)|(.*))/g)].map(
      ([, block, line]) => block ?? line,
    );
    expect(commands.filter((command) => command?.includes('${{'))).toEqual([]);
  },
);

test('nightly.yml runs every proof but those of ci.yml', () => {
  const { scripts } = JSON.parse(readFileSync(join(folder, '../../package.json'), 'utf8'));
  const proofs = Object.keys(scripts).filter((name) => name.startsWith('proof:'));
  const named = [...(read('nightly.yml') + read('ci.yml')).matchAll(/(proof:\w+)(?= --|$)/gm)];
  expect([...new Set(named.map(([, name]) => name))].sort()).toEqual(proofs.sort());
});
