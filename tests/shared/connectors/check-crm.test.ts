// `npm run check:crm`, run as a person does, with the fakes of CRMs over HTTP. Most of its time are pauses between changes.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, type TestContext, test } from 'vitest';
import {
  type CheckedCrm,
  checkedHubspot,
  checkedPipedrive,
  checkedRdStation,
} from '../../support/crms/checked-accounts.ts';
import { startCheckCrm } from '../../support/crms/run-check-crm.ts';
import { waitFor } from '../../support/wait-for.ts';

async function prepare(context: TestContext, start: () => Promise<CheckedCrm>) {
  const fake = await start();
  context.onTestFinished(() => fake.stop());
  return { fake, account: await fake.createAccount() };
}

const run = (args: string[], env: Record<string, string>) => startCheckCrm(args, env).finished;

test.concurrent('Pipedrive: all checks that need no webhooks pass, and nothing is left', async (context) => {
  const { account } = await prepare(context, checkedPipedrive);
  const { lead, deal } = account.options.fields;
  const fields = ['--lead-field', `${lead?.key}=blue`, '--deal-field', `${deal?.key}=42`];
  const { code, out } = await run(['pipedrive', ...fields], account.env);
  expect([out, code]).toEqual([expect.stringMatching(/ 0 differs, \d+ could not be tried$/m), 0]);
  expect(out).toContain('| a mapped custom field of a contact is written, read and cleared |  | ok |');
  expect(out).toMatch(/\| a webhook arrives, .* \| nothing receives webhooks: .* \| could not be tried \|/);
  expect(out).toMatch(/\| A response with status 429 .* \| No response had .* \| could not be tried \|/);
  expect(out).not.toContain(account.env.PIPEDRIVE_API_TOKEN);
  expect(await account.count()).toBe(0);
});

test.concurrent('HubSpot: prints the file with which a person sets up webhooks', async (context) => {
  const { account } = await prepare(context, checkedHubspot);
  const { code, out } = await run(['hubspot', '--callback-url', 'https://example.com/hook'], account.env);
  expect([out, code]).toEqual([expect.stringContaining(' 0 differs'), 0]);
  expect(out).toContain('"targetUrl": "https://example.com/hook"');
  expect(out).toContain('| The path `/crm/owners/2026-09` exists | Status 200 | ok |');
  expect(await account.count()).toBe(0);
});

test.concurrent('RD Station CRM: is authorized in a browser once, and names what a person has to remove', async (context) => {
  const { account } = await prepare(context, checkedRdStation);
  const folder = mkdtempSync(join(tmpdir(), 'check-crm-'));
  context.onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'token');
  const redirect = 'https://example.com/authorized';
  const env = { ...account.env, RD_STATION_TOKEN_FILE: file };
  const first = startCheckCrm(['rd_station'], { ...env, RD_STATION_REDIRECT_URL: redirect });
  const page = await first.output(/^http:.*$/m);
  const agreed = await fetch(page, { redirect: 'manual' });
  first.write(agreed.headers.get('location') ?? '');
  const { code, out } = await first.finished;
  expect([out, code]).toEqual([expect.stringContaining(' 0 differs'), 0]);
  expect(out).toMatch(/^Remove by hand: deal "Placar check \w+ annual plan" \(\w+\)$/m);
  const token = readFileSync(file, 'utf8');
  for (const secret of [account.env.RD_STATION_CLIENT_SECRET, token.trim()])
    expect(out).not.toContain(secret);
  const second = await run(['rd_station'], env);
  expect([second.out, second.code]).toEqual([expect.stringContaining(' 0 differs'), 0]);
  expect(readFileSync(file, 'utf8')).not.toBe(token);
});

test.concurrent('Ctrl-C ends the checks, and everything that was created is removed', async (context) => {
  const { account } = await prepare(context, checkedPipedrive);
  await account.addContacts(501);
  const started = startCheckCrm(['pipedrive', '--yes'], account.env);
  await waitFor(async () => (await account.count()) > 503);
  started.interrupt();
  const { code, out } = await started.finished;
  expect([out, code]).toEqual([expect.stringContaining('| interrupted | could not be tried |'), 130]);
  expect(out).toContain('| everything that was created is removed |  | ok |');
  expect(await account.count()).toBe(501);
});

test.concurrent('what differs is reported, and the command fails', async (context) => {
  const { fake, account } = await prepare(context, checkedPipedrive);
  await fake.control.fault({ kind: 'error_before', method: 'PATCH', path: '*/deals/*' });
  const { code, out } = await run(['pipedrive'], account.env);
  expect(code).toBe(1);
  expect(out).toMatch(/\| lists of deals show changes .* \| CrmUnreachable: .* status 500 \| differs \|/);
});

test.concurrent('accounts with many contacts, missing credentials and unknown CRMs are refused before any change', async (context) => {
  const { account } = await prepare(context, checkedPipedrive);
  await account.addContacts(501);
  const refused: [string[], Record<string, string>, RegExp][] = [
    [['pipedrive'], account.env, /more than 500 contacts\. Use a test account, or --yes/],
    [['pipedrive'], { PIPEDRIVE_DOMAIN: 'acme' }, /^Set PIPEDRIVE_DOMAIN and PIPEDRIVE_API_TOKEN\.$/m],
    [['hubspot'], {}, /HUBSPOT_ACCESS_TOKEN and HUBSPOT_CLIENT_SECRET, or HUBSPOT_SERVICE_KEY/],
    [['salesforce'], account.env, /check:crm -- pipedrive\|rd_station\|hubspot/],
    [['pipedrive', '--listen', '8080'], account.env, /--listen needs --callback-url/],
  ];
  for (const [args, env, words] of refused) {
    const { code, out } = await run(args, env);
    expect([args, code, out]).toEqual([args, 1, expect.stringMatching(words)]);
    expect(out).not.toContain(account.env.PIPEDRIVE_API_TOKEN);
  }
  expect(await account.count()).toBe(501);
});
