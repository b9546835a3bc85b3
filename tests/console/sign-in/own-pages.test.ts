// The pages of what people see and change of themselves.
import { expect, test } from 'vitest';
import { type AuthDouble, startAuthDouble } from '../../support/clients/auth-double.ts';
import { answerSeller, SELLER } from '../../support/clients/own-data.ts';
import { Browser, serveOnWeb } from '../../support/clients/served-sign-in.ts';

const EMAIL = 'ana@acme.example';

async function seller(
  options: { isEmpty?: boolean } = {},
): Promise<{ double: AuthDouble; browser: Browser }> {
  const double = await startAuthDouble();
  double.addAccount({ email: EMAIL, workspaces: [{ slug: 'acme', name: 'Acme', scopes: SELLER }] });
  answerSeller(double, options);
  const browser = new Browser(await serveOnWeb(double));
  await browser.signIn(EMAIL);
  return { double, browser };
}

test('a seller begins with points: total, tier, the way to the next, rank, and entries by day', async () => {
  const { browser } = await seller();
  const { text } = await browser.get('/');
  for (const part of ['<h1>My points</h1>', '1,250', 'Tier Silver', 'Rank 3', '750 more points to Gold'])
    expect(text).toContain(part);
  expect(text).toContain('Visit: activity 002 on 2 Mar 2026 (+25).');
  expect(text).toContain('<a href="/me/deals/d1">New roof</a>');
  // The page of missions needs another scope.
  expect(text).not.toContain('/gamification/missions');
});

test.each([
  ['/standings', ['Bia Lima', '2,100']],
  ['/me/badges', ['Closer', 'Earned on', 'Collector', '1,250 of 5,000']],
  ['/me/challenges', ['March sprint', '2 of 5', '100 points']],
  ['/me/missions', ['Visit', '002', 'done 1 time', 'Proposal', 'At most 20 points a day', '10 of 20']],
  ['/me/leads', ['<a href="/me/leads/l1">Padaria Central</a>']],
  ['/me/deals', ['<a href="/me/deals/d1">New roof</a>', 'Proposal']],
  ['/me/leads/l1', ['Padaria Central', 'p@example.com']],
  ['/me/deals/d1', ['New roof', 'R$']],
  ['/me/profile', ['Ana Souza', 'South', 'see and change your own data']],
])('%s', async (path, parts) => {
  const { double, browser } = await seller();
  await browser.get('/');
  const before = double.requests.length;
  const page = await browser.get(path);
  expect(page.status).toBe(200);
  for (const part of parts) expect(page.text).toContain(part);
  expect(page.text).not.toContain('/records/users/');
  expect(double.requests.length - before).toBeLessThanOrEqual(6);
});

test.each(['/', '/standings', '/me/badges', '/me/challenges', '/me/missions', '/me/leads', '/me/deals'])(
  '%s without data',
  async (path) => {
    const { browser } = await seller({ isEmpty: true });
    const page = await browser.get(path);
    expect(page.status).toBe(200);
    expect(page.text).toContain('class="empty"');
  },
);

test('the lead of someone else does not exist', async () => {
  const { browser } = await seller();
  expect((await browser.get('/me/leads/l2')).status).toBe(404);
});

test('a seller changes the profile, and hides in the standings', async () => {
  const { double, browser } = await seller();
  const saved = await browser.submit('/me/profile/edit', '/me/profile/edit', {
    phone: '+55 11 90000-0000',
    standings_opt_out: 'true',
  });
  expect(saved.status).toBe(303);
  expect(double.changes).toEqual([{ phone: '+55 11 90000-0000', avatar_url: null, standings_opt_out: true }]);
});

test('a person changes the password from the profile', async () => {
  const { double, browser } = await seller();
  const page = '/sign-in/password?next=/me/profile';
  expect((await browser.get('/me/profile')).text).toContain(`href="${page}"`);
  const saved = await browser.submit(page, '/sign-in/password', { password: 'another password' });
  expect(saved).toMatchObject({ status: 303, location: '/me/profile' });
  expect(double.accounts.get(EMAIL)?.password).toBe('another password');
});

test('in Portuguese', async () => {
  const { browser } = await seller();
  const page = await browser.get('/', { 'Accept-Language': 'pt-BR' });
  expect(page.text).toContain('<h1>Meus pontos</h1>');
  expect(page.text).toContain('Faltam 750 pontos para Gold');
});

test('a manager begins with the standings of their team, and can see the others', async () => {
  const double = await startAuthDouble();
  const scopes = `${SELLER} read:leads read:users read:teams read:settings read:payments`;
  double.addAccount({ email: EMAIL, workspaces: [{ slug: 'acme', name: 'Acme', scopes }] });
  answerSeller(double);
  const answer = double.api;
  double.api = (path, c) => (/\/(badges|tiers|teams)$/.test(path) ? c.json({ data: [] }) : answer(path, c));
  const browser = new Browser(await serveOnWeb(double));
  await browser.signIn(EMAIL);
  const page = await browser.get('/');
  expect(page.status).toBe(200);
  expect(page.text).toContain('Bia Lima');
  expect(double.requests.find((request) => request.includes('/v1/standings'))).toContain('team_id=t1');
  await browser.get('/standings?team_id=');
  expect(double.requests.findLast((request) => request.includes('/v1/standings'))).not.toContain('team_id');
});
