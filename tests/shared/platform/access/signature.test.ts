import { expect, test } from 'vitest';
import { signRequest } from '../../../../shared/platform/access/api-keys.ts';

const key = 'sk_test_4dFq9sVb2LkXc7Rm0TzYw8Nh5JgPe3Ua';
const timestamp = '1767225600';

test.each([
  [
    'POST',
    '/default-integration',
    '{"action":"sync_activities","activities":[]}',
    '445db074fce43a9e092f65b66164915f37710cf249fe80024a0075e289964add',
  ],
  [
    'GET',
    '/payments/invoices?status=open&created[gte]=2026-01-01T00:00:00Z&limit=2',
    '',
    '599bac9ba76eb98073972d071a443f73b09eb5246c67e3d23dd8d3ff8bed2edf',
  ],
  [
    'POST',
    '/payments/invoices',
    '{"description":"Consulta – José"}',
    'bee1f3e595563d0d4846baec9579ec5e62c66294a51db92890115dd6872c7b39',
  ],
])('%s %s %s', (method, target, body, signature) => {
  expect(signRequest(key, { timestamp, method, target, body: new TextEncoder().encode(body) })).toBe(
    signature,
  );
});
