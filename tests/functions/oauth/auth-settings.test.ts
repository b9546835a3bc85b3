// Exchanges while Auth lets anyone take any address, and while it does not answer.
import { createServer } from 'node:http';
import { expect, inject, onTestFinished, test } from 'vitest';
import { connectDatabase, createTenant } from '../../support/database.ts';
import { startOwnFunction } from '../../support/functions.ts';
import { createPerson, exchange } from '../../support/persons.ts';

const sql = connectDatabase();

/** Auth of the stack with these settings, or none that answers. */
async function functionWith(settings: object | undefined): Promise<string> {
  const real = inject('env').SUPABASE_URL ?? '';
  const server = createServer(async (request, reply) => {
    reply.statusCode = settings ? 200 : 500;
    const isKeys = request.url?.endsWith('jwks.json');
    reply.end(isKeys ? await (await fetch(real + request.url)).text() : JSON.stringify(settings ?? {}));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : 0;
  const env = { SUPABASE_URL: `http://127.0.0.1:${port}`, AUTH_ISSUER: `${real}/auth/v1` };
  return (await startOwnFunction('oauth', env)).baseUrl;
}

const personOf = async () => createPerson(sql, (await createTenant(sql)).id);

test('while anyone can sign up with an address that is not checked, nobody gets a token', async () => {
  const baseUrl = await functionWith({ disable_signup: false, mailer_autoconfirm: true });
  const { status, body } = await exchange((await personOf()).authToken, {}, { baseUrl });
  expect([status, body]).toEqual([
    503,
    { error: 'temporarily_unavailable', error_description: expect.stringContaining('Turn on') },
  ]);
  // Tokens that Auth did not issue are refused as usual.
  const invalid = await exchange('a.b.c', {}, { baseUrl });
  expect([invalid.status, invalid.body.reason]).toEqual([400, 'subject_token_invalid']);
});

test('with sign-ups off, or addresses confirmed, the same person gets one', async () => {
  const baseUrl = await functionWith({ disable_signup: true, mailer_autoconfirm: true });
  expect((await exchange((await personOf()).authToken, {}, { baseUrl })).status).toBe(200);
});

test('while the settings of Auth cannot be read, it is 503 with Retry-After', async () => {
  const baseUrl = await functionWith(undefined);
  const { status, body, headers } = await exchange((await personOf()).authToken, {}, { baseUrl });
  expect([status, body.error, Number(headers.get('retry-after'))]).toEqual([
    503,
    'temporarily_unavailable',
    5,
  ]);
});
