// The command line and the Python client behind a proxy (HTTPS_PROXY).
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createCredentials } from '../support/clients/client.ts';
import { connectDatabase } from '../support/database.ts';
import { startConnectProxy } from '../support/wire/connect-proxy.ts';
import { environmentOf, newFolder, runCli, useCli } from './cli/run-cli.ts';
import { hasPython, python } from './python/run-python.ts';

const sql = connectDatabase();
useCli();

const ADDRESS = 'https://placar.example/functions/v1';

/** A proxy, and the file of the authority behind it. */
async function startProxy() {
  const proxy = await startConnectProxy();
  const caFile = join(newFolder(), 'ca.pem');
  writeFileSync(caFile, proxy.ca);
  return { proxy, caFile };
}

test('the command line calls through the proxy, and this machine directly', async () => {
  const { proxy, caFile } = await startProxy();
  const environment = {
    ...environmentOf(await createCredentials(sql)),
    HTTPS_PROXY: proxy.url,
    NODE_EXTRA_CA_CERTS: caFile,
  };
  const list = (more: Record<string, string>) =>
    runCli(['invoices', 'list', '--json'], { env: { ...environment, ...more } });
  expect(await list({ PLACAR_URL: ADDRESS })).toMatchObject({ code: 0, stderr: '' });
  expect(proxy.tunnels).toEqual(['placar.example:443']);
  const local = await list({ HTTP_PROXY: proxy.url });
  expect(local).toMatchObject({ code: 0, stderr: '' });
  for (const NO_PROXY of ['.example', '*']) {
    const excepted = await list({ PLACAR_URL: ADDRESS, NO_PROXY });
    expect(excepted.code).toBe(1);
    expect(excepted.stderr).toContain('placar.example');
  }
  expect([proxy.tunnels.length, proxy.refused]).toEqual([1, 0]);
});

test.runIf(hasPython)('the Python client calls through the proxy', async () => {
  const { proxy, caFile } = await startProxy();
  const { apiKey } = await createCredentials(sql);
  const list = (more: Record<string, string>) =>
    python(
      [
        '-c',
        `from placar import *\nimport os\nplacar = Placar(url="${ADDRESS}", api_key=os.environ["KEY"], max_retries=0)\ntry:\n  print(len(list(placar.invoices.list())))\nexcept NetworkError as error:\n  print(error, error.sent)`,
      ],
      { KEY: apiKey, HTTPS_PROXY: proxy.url, SSL_CERT_FILE: caFile, ...more },
    );
  expect(await list({})).toBe('0\n');
  expect(proxy.tunnels).toEqual(['placar.example:443']);
  expect(await list({ HTTPS_PROXY: proxy.url.replace('ana', 'bia') })).toMatch(
    /^cannot connect to placar\.example through the proxy 127\.0\.0\.1: .*407.* False\n$/,
  );
  expect(await list({ NO_PROXY: 'placar.example' })).toMatch(
    /^cannot connect to placar\.example: .* False\n$/,
  );
  expect([proxy.tunnels.length, proxy.refused]).toEqual([1, 1]);
});
