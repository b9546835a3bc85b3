// Error messages of the TypeScript client: sufficient for a log that stores only the message.
import { inspect } from 'node:util';
import { describe, expect, test } from 'vitest';
import { Placar, PlacarError } from '../../../clients/typescript/src/index.ts';

/** A client whose requests all get this response, except token requests. */
function answered(status: number, body: unknown): Placar {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return new Placar({
    url: 'https://example.com',
    clientId: 'client_a',
    clientSecret: 'secret_a',
    maxRetries: 0,
    fetch: async (url) =>
      String(url).endsWith('/oauth/token')
        ? Response.json({ access_token: 'token_a', expires_in: 3600 })
        : new Response(text, { status }),
  });
}

async function failure(status: number, body: unknown): Promise<PlacarError> {
  const error = await answered(status, body)
    .stages.list()
    .catch((thrown: unknown) => thrown);
  if (error instanceof PlacarError) return error;
  throw error;
}

const refusal = (details: unknown[]) => ({
  error: { code: 'VALIDATION_ERROR', message: 'Fix these fields.', details },
});

describe('faults', () => {
  test('are in the message, after the message of the API', async () => {
    const fault = { field: 'email', message: 'must be a valid email address' };
    const error = await failure(400, refusal([fault, { index: 3, field: 'x', message: 'is secret_a' }]));
    expect(error.message).toBe(
      'Fix these fields. (email: must be a valid email address; [3].x: is [hidden])',
    );
    expect(String(error)).toBe(`ValidationError: ${error.message}`);
    expect(error.said).toBe('Fix these fields.');
    expect(error.toJSON()).toMatchObject({ message: error.message, fields: [fault, { index: 3 }] });
    expect(inspect(error, { showHidden: true })).not.toContain('secret_a');
  });

  test('only the first five are listed', async () => {
    const faults = Array.from({ length: 7 }, (_, nth) => ({ field: `f${nth}`, message: 'is required' }));
    const { message, fields } = await failure(400, refusal(faults));
    expect(message).toMatch(/f4: is required and 2 more\)$/);
    expect(fields).toHaveLength(7);
  });
});

test.each([
  [404, '<html>', 'HTTP 404, not from Placar. Check the option url'],
  [301, '', 'HTTP 301, not from Placar. Check the option url'],
  [200, '<html>', 'The response is not valid JSON. Check the option url'],
  [502, '<html>', 'HTTP 502.'],
  [401, { code: 401, message: 'Missing authorization header' }, 'Missing authorization header'],
])('a response that does not come from Placar: %i %j', async (status, body, said) => {
  expect((await failure(status, body)).message).toContain(said);
});
