// What the API returns to a seller about herself.
import type { Context } from 'hono';
import type { AuthDouble } from './auth-double.ts';

export const SELLER = 'self read:standings';

export const ana = {
  name: 'Ana Souza',
  email: 'ana@acme.example',
  phone: '+55 11 98888-7777',
  avatar_url: null,
  role: 'sales_rep',
  team: { id: 't1', name: 'South' },
  access: 'seller',
  scopes: ['self', 'read:standings'],
  total_points: 1250,
  ranking_tier: 'Silver',
  next_tier: { name: 'Gold', min_points: 2000 },
  position: 3,
  standings_opt_out: false,
};

const none = { mission: null, activity: null, event: null, deal: null, lead: null, challenge: null };
const entry = { user_id: 'u1', created_at: '2026-03-02T15:00:00Z' };

const lists: Readonly<Record<string, object[]>> = {
  '/v1/me/points': [
    {
      ...entry,
      id: '2',
      points: 25,
      text: 'Visit: activity 002 on 2 Mar 2026 (+25).',
      cause: { ...none, kind: 'rule', deal: { id: 'd1', name: 'New roof' } },
    },
    {
      ...entry,
      id: '1',
      points: -10,
      text: 'Adjustment: entered twice (-10).',
      cause: { ...none, kind: 'adjustment' },
    },
  ],
  '/v1/me/badges': [
    {
      id: 'b1',
      name: 'Closer',
      metric: 'deals_won',
      threshold: 10,
      value: 12,
      earned_at: '2026-02-01T12:00:00Z',
    },
    { id: 'b2', name: 'Collector', metric: 'points', threshold: 5000, value: 1250, earned_at: null },
  ],
  '/v1/me/challenges': [
    {
      id: 'c1',
      name: 'March sprint',
      metric: 'deals_won',
      target: 5,
      starts_at: '2026-03-01T03:00:00Z',
      ends_at: '2026-04-01T03:00:00Z',
      reward_points: 100,
      state: 'running',
      value: 2,
      completed_at: null,
    },
  ],
  '/v1/me/missions': [
    { kind: 'mission', id: 'm1', name: 'Visit', points: 25, codes: ['002'], completions: 1 },
    { kind: 'rule', event: 'deal.stage_changed', stage: 'Proposal', points: 5, max_per_day: 20, today: 10 },
  ],
  '/v1/me/leads': [
    {
      id: 'l1',
      name: 'Padaria Central',
      email: 'p@example.com',
      status: 'new',
      created_at: entry.created_at,
    },
  ],
  '/v1/me/deals': [
    {
      id: 'd1',
      name: 'New roof',
      value: 1000,
      currency: 'BRL',
      status: 'open',
      stage: 'Proposal',
      created_at: entry.created_at,
    },
  ],
  '/v1/standings': [{ position: 1, user_id: 'u2', name: 'Bia Lima', points: 2100 }],
};

/** Answers as the API does to a seller. Other paths are 403. */
export function answerSeller(double: AuthDouble, { isEmpty = false } = {}): void {
  double.me = isEmpty
    ? { ...ana, total_points: 0, ranking_tier: null, next_tier: null, position: null }
    : { ...ana };
  double.api = (path: string, c: Context) => {
    const target = path.replace(/^\/v1\/v1/, '/v1');
    if (target === '/v1/seasons') return c.json({ data: [], meta: { total: 0, total_pages: 1 } });
    const list = lists[target];
    if (list) return c.json({ data: isEmpty ? [] : list, meta: { total: list.length, total_pages: 1 } });
    const [, name = '', id] = /^(\/v1\/me\/(?:leads|deals))\/(.+)$/.exec(target) ?? [];
    const record = lists[name]?.find((one) => 'id' in one && one.id === id);
    if (name)
      return record ? c.json({ data: record }) : c.json({ error: { code: 'not_found', message: 'No' } }, 404);
    return c.json({ error: { code: 'forbidden', message: 'No' } }, 403);
  };
}

export const TOKEN = `board_${'a'.repeat(43)}`;

/** What the API returns for a board with that many players. */
export const boardOf = (count: number): object => ({
  name: 'Sales floor',
  workspace: 'Acme',
  team: null,
  period: 'month',
  season: null,
  updated_at: '2026-03-02T15:00:00Z',
  entries: Array.from({ length: count }, (_, index) => ({
    position: index + 1,
    name: `Player ${index + 1}`,
    points: 5000 - 100 * index,
  })),
});
