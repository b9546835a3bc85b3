// Webhook secrets in the documents and snippets: the libraries of Standard Webhooks accept each of them unchanged.
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Webhook } from 'standardwebhooks';
import { expect, test } from 'vitest';
import { generateSecret, standardSignature } from '../../../shared/webhooks/delivery/signed-request.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const files = [
  'README.md',
  ...['docs', 'supabase/snippets'].flatMap((folder) =>
    readdirSync(`${root}/${folder}`, { recursive: true, encoding: 'utf8' })
      .filter((file) => /\.(md|ts|py|sh|sql|json)$/.test(file))
      .map((file) => `${folder}/${file}`),
  ),
];

/** Complete secrets, not only the prefix or code that creates a secret. */
const shown = files.flatMap((file) =>
  [...readFileSync(`${root}/${file}`, 'utf8').matchAll(/whsec_[\w+/=.-]+/g)].map(([secret]) => ({
    file,
    secret,
  })),
);

test('the documents contain secrets', () => expect(shown).not.toEqual([]));

test.each([...shown, { file: 'made here', secret: generateSecret() }])('$file: $secret', ({ secret }) => {
  const bytes = Buffer.from(secret.slice('whsec_'.length), 'base64');
  expect(`whsec_${bytes.toString('base64')}`).toBe(secret);
  expect(bytes.length).toBeGreaterThanOrEqual(24);
  const timestamp = Math.floor(Date.now() / 1000);
  const body = '{"type":"lead.created"}';
  const signature = standardSignature([secret], 'whd_1', timestamp, new TextEncoder().encode(body));
  const headers = {
    'webhook-id': 'whd_1',
    'webhook-timestamp': String(timestamp),
    'webhook-signature': signature,
  };
  expect(new Webhook(secret).verify(body, headers)).toEqual({ type: 'lead.created' });
});
