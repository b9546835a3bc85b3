// A workspace that moved to another project: the client reports it, and follows only if it is configured to, and only to https.
import { expect, test } from 'vitest';
import { Placar } from '../../../clients/typescript/src/index.ts';

const OLD = 'https://old.example/functions/v1';
const NEW = 'https://new.example/functions/v1';

/** A client whose old project has moved to `movedTo`, and the URLs that it calls. */
function clientOf({ movedTo = NEW, followMoves }: { movedTo?: string; followMoves?: boolean } = {}) {
  const urls: string[] = [];
  const placar = new Placar({
    url: OLD,
    apiKey: `sk_test_${'a'.repeat(32)}`,
    maxRetries: 0,
    ...(followMoves !== undefined && { followMoves }),
    fetch: async (url) => {
      urls.push(String(url));
      if (String(url).startsWith(NEW)) return Response.json({ data: [] });
      const body = { code: 'tenant_moved', detail: 'This workspace has moved.', moved_to: movedTo };
      return Response.json(body, { status: 421 });
    },
  });
  return { placar, urls };
}

test('the error contains the new URL, and nothing is sent there', async () => {
  const { placar, urls } = clientOf();
  await expect(placar.balance()).rejects.toMatchObject({
    name: 'TenantMovedError',
    status: 421,
    movedTo: NEW,
  });
  expect(urls).toEqual([`${OLD}/payments/balance`]);
});

test('with followMoves, the request and later ones go to the new URL', async () => {
  const { placar, urls } = clientOf({ followMoves: true });
  await placar.balance();
  await placar.balance();
  expect(urls).toEqual([`${OLD}/payments/balance`, `${NEW}/payments/balance`, `${NEW}/payments/balance`]);
});

test.each(['http://new.example/functions/v1', OLD])('never to %s', async (movedTo) => {
  const { placar, urls } = clientOf({ followMoves: true, movedTo });
  await expect(placar.balance()).rejects.toMatchObject({ name: 'TenantMovedError' });
  expect(urls.every((url) => url.startsWith('https:'))).toBe(true);
  expect(urls.length).toBeLessThan(3);
});
