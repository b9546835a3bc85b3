// The secrets of a local stack's folder.
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { loadSecrets } from '../../local/secrets.ts';

function folder(): string {
  const dir = mkdtempSync(join(tmpdir(), 'placar-secrets-'));
  onTestFinished(() => rmSync(dir, { recursive: true }));
  return dir;
}

test('are created once', async () => {
  const dir = folder();
  const secrets = await loadSecrets(dir);
  expect(JSON.parse(secrets.oauthSigningKey)).toMatchObject({
    kty: 'EC',
    crv: 'P-256',
    d: expect.any(String),
  });
  expect(await loadSecrets(dir)).toEqual(secrets);
  expect(statSync(join(dir, 'secrets.json')).mode & 0o777).toBe(0o600);
});

test('a folder of an earlier version gets missing secrets once, and keeps its own', async () => {
  const dir = folder();
  const { oauthSigningKey: _, ...earlier } = await loadSecrets(dir);
  const demo = { apiKey: 'k', clientId: 'c', clientSecret: 's' };
  writeFileSync(join(dir, 'secrets.json'), JSON.stringify({ ...earlier, demo }));
  const secrets = await loadSecrets(dir);
  expect(secrets).toEqual({ ...earlier, demo, oauthSigningKey: expect.stringContaining('"d":') });
  expect(await loadSecrets(dir)).toEqual(secrets);
  expect(JSON.parse(readFileSync(join(dir, 'secrets.json'), 'utf8'))).toEqual(secrets);
});
