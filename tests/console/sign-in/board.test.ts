// Standings on a screen: who may see them, what the address gives away, and what they show while the API is unreachable.
import { expect, test } from 'vitest';
import { startAuthDouble } from '../../support/clients/auth-double.ts';
import { boardOf, TOKEN } from '../../support/clients/own-data.ts';
import { Browser, serveOnWeb } from '../../support/clients/served-sign-in.ts';

async function start() {
  const double = await startAuthDouble();
  double.boards.set(TOKEN, boardOf(12));
  const clock = { ms: Date.now(), now: () => clock.ms };
  const browser = new Browser(await serveOnWeb(double, { clock }));
  return { double, clock, browser };
}

test('shows ten names without signing in, sets no cookie and is in no index', async () => {
  const { browser } = await start();
  const page = await browser.get(`/board/${TOKEN}`);
  expect(page.status).toBe(200);
  expect(page.cookies).toEqual([]);
  expect(page.headers).toMatchObject({
    'referrer-policy': 'no-referrer',
    'x-robots-tag': 'noindex',
    'cache-control': 'no-store',
    'x-frame-options': 'DENY',
  });
  expect(page.text).toContain('Player 10');
  expect(page.text).not.toContain('Player 11');
  expect(page.text).toContain('This month · Top 10');
  expect(page.text).toContain('<meta http-equiv="refresh" content="60"/>');
  expect(page.text).not.toContain(TOKEN);
});

test('an unknown or ended board is 404, and guesses are limited', async () => {
  const { double, clock, browser } = await start();
  expect((await browser.get('/board/board_x')).status).toBe(404);
  expect((await browser.get(`/board/${TOKEN}`)).status).toBe(200);
  double.boards.clear();
  clock.ms += 15_000;
  expect((await browser.get(`/board/${TOKEN}`)).status).toBe(404);
  for (let count = 0; count < 8; count++) await browser.get(`/board/board_${'x'.repeat(43)}`);
  const asked = double.count('GET /functions/v1/v1/board');
  expect((await browser.get(`/board/board_${'y'.repeat(43)}`)).status).toBe(429);
  expect(double.count('GET /functions/v1/v1/board')).toBe(asked);
});

test('while the API is unreachable, the last standings stay, with their time', async () => {
  const { double, clock, browser } = await start();
  expect((await browser.get(`/board/${TOKEN}`)).text).not.toContain('Last updated');
  double.isDown = true;
  clock.ms += 15_000;
  const page = await browser.get(`/board/${TOKEN}`);
  expect(page.status).toBe(200);
  expect(page.text).toContain('Player 1');
  expect(page.text).toMatch(/Last updated .*\d{2}:\d{2}.* UTC/);
  double.boards.set(`board_${'z'.repeat(43)}`, boardOf(1));
  expect((await browser.get(`/board/board_${'z'.repeat(43)}`)).status).toBe(503);
});

test('screens that show the same board share a request', async () => {
  const { double, browser } = await start();
  for (let count = 0; count < 5; count++) await browser.get(`/board/${TOKEN}`);
  expect(double.count('GET /functions/v1/v1/board')).toBe(1);
});
