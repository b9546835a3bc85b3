// The user that runs Postgres when root starts it. That it really runs is tested in tests/stack/private-folder.test.ts.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test, vi } from 'vitest';
import { chooseIdentity } from '../../local/postgres/identity.ts';
import { StartError } from '../../local/start-error.ts';

// Only the owner may enter a folder that this creates.
const closed = mkdtempSync(join(tmpdir(), 'placar-identity-'));
const program = join(closed, 'bin', 'postgres');
mkdirSync(join(closed, 'bin'));
writeFileSync(program, '#!/bin/sh\n', { mode: 0o755 });
afterAll(() => rmSync(closed, { recursive: true }));

describe.runIf(userInfo().uid === 0 && process.platform === 'linux')('started by root', () => {
  test('uses another user with no further privileges if that user can access the folder', async () => {
    const identity = await chooseIdentity([tmpdir(), '/bin/sh']);
    expect(identity?.prefix).toEqual([]);
    expect(identity?.uid).toBeGreaterThan(0);
  });

  test('below an inaccessible folder, that user keeps the capability to traverse it', async () => {
    const identity = await chooseIdentity([tmpdir(), program]);
    expect(identity?.prefix).toContain('--ambient-caps=+dac_override');
  });

  test('if that is not possible, one line names the folder and what to do', async () => {
    vi.stubEnv('PATH', '/nowhere');
    const error = await chooseIdentity([tmpdir(), program]).catch((reason: unknown) => reason);
    vi.unstubAllEnvs();
    expect(error).toBeInstanceOf(StartError);
    expect(String(error)).toMatch(/^StartError: [^\n]+$/);
    expect(String(error)).toContain(`chmod o+x ${closed}`);
  });
});

test.runIf(userInfo().uid !== 0)('started by another user, Postgres runs as that user', async () => {
  expect(await chooseIdentity([program])).toBeUndefined();
});
