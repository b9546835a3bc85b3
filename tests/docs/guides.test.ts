// The guides work as pasted, twice.
import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { addDemoCompany } from '../../local/crms/start.ts';
import type { StackInfo } from '../../local/demo.ts';
import { atHubspot, atPipedrive, atRdStation } from '../support/connectors.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** The folder of a stack with the demo company at each CRM, as `npm start -- --providers` has it. */
const dir = mkdtempSync(join(tmpdir(), 'placar-guides-'));
const env: NodeJS.ProcessEnv = { ...process.env, LOCAL_DIR: dir, TMPDIR: dir };

beforeAll(async () => {
  const info: StackInfo = JSON.parse(readFileSync(join(inject('dir'), 'stack.json'), 'utf8'));
  const credentials = await addDemoCompany({
    rdStation: { control: atRdStation() },
    pipedrive: { control: atPipedrive() },
    hubspot: { control: atHubspot() },
  });
  const crms = { settings: info.crms?.settings ?? {}, credentials };
  writeFileSync(join(dir, 'stack.json'), JSON.stringify({ ...info, crms }));
});

afterAll(() => rmSync(dir, { recursive: true }));

/** Text that the output of each guide contains. */
const PRINTS: Readonly<Record<string, RegExp[]>> = {
  'bill-customers': [/^000201.+$/m, /\/payments\/\S+\.pdf$/m, /"status":"paid"/, /"type":"charge"/],
  'connect-hubspot': [/by_hand/, /^deal\s+create\s+24$|^deal\s+link/m, /deal_won\s+crm:hubspot/],
  'connect-pipedrive': [/^deal\s+create\s+24$|^deal\s+link/m, /deal_won\s+crm:pipedrive/],
  'connect-rd-station': [/^Connected\./m, /^deal\s+create\s+24$|^deal\s+link/m, /deal_won\s+crm:rd_station/],
  'debug-a-request': [/^HTTP\/1\.1 400/m, /"field":"email"/, /"reason":"validation","fields":\["email"\]/],
  'export-the-ledger': [/^id,created,available_on,type,/m, /^OFXHEADER:100/m],
  'issue-nfse': [/"status":"issued"/, /"cbs_amount":90/],
  'import-leads': [
    /"dry_run":true,"processed":2,"duplicates":0,"skipped":0,"invalid":0/,
    /"processed":\d,"duplicates":\d,"skipped":0,"invalid":0,"conflicts":0,"total":2/,
  ],
  leaderboard: [/^1\. \S.* \d+$/m, /"events":\["ranking\.changed"\]/],
  'pay-out': [/"status":"paid".*"purpose":"prize"/],
  refund: [/"status":"succeeded","amount":4000,"currency":"BRL","reason":"One hour less"/],
};

/** The shell blocks of a page, as pasted one after the other. */
function scriptOf(guide: string): string {
  const text = readFileSync(join(root, `docs/guides/${guide}.md`), 'utf8');
  return Array.from(text.matchAll(/^```sh\n([\s\S]*?)^```/gm), ([, block]) => block).join('\n');
}

test('every guide with commands is tested', () => {
  const guides = readdirSync(join(root, 'docs/guides'))
    .map((name) => name.replace('.md', ''))
    .filter((guide) => scriptOf(guide) !== '');
  expect(guides.sort()).toEqual(Object.keys(PRINTS).sort());
});

test.each(Object.keys(PRINTS))('%s', async (guide) => {
  for (const time of ['first', 'second']) {
    const { stdout } = await promisify(execFile)('bash', ['-euo', 'pipefail', '-c', scriptOf(guide)], {
      cwd: root,
      env,
    });
    for (const print of PRINTS[guide] ?? []) expect(stdout, `${time} time`).toMatch(print);
    expect(stdout).not.toMatch(guide === 'debug-a-request' ? /HTTP\/1\.1 5/ : /"error"|"status":4\d\d/);
  }
});
