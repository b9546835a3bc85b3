// Each function serves its own OpenAPI document without authentication.
import { expect, inject, test } from 'vitest';
import { openApiFiles } from '../support/documents/openapi-files.ts';

const functionsUrl = `${inject('stack').base_url}/functions/v1`;
const LOCAL_URL = 'http://127.0.0.1:54321/functions/v1';
const at: Record<string, string> = {
  'default-integration': '/default-integration/openapi.json',
  payments: '/payments/openapi.json',
  oauth: '/oauth/openapi.json',
  v1: '/v1/openapi.json',
  'v1-b': '/v1/openapi-b.json',
  'v1-c': '/v1/openapi-c.json',
};

test.each(Object.entries(openApiFiles))('%s, with the URL of the deployment', async (name, text) => {
  const response = await fetch(`${functionsUrl}${at[name]}`);
  expect([response.status, response.headers.get('content-type')]).toEqual([200, 'application/json']);
  const expected = JSON.parse(text.replaceAll(LOCAL_URL, functionsUrl));
  expect(await response.json()).toEqual({ ...expected, servers: [{ url: functionsUrl }] });
  expect(Object.keys(expected.paths)).toContain(at[name]);
});
