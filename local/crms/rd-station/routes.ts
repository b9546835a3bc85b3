/** Records: lists, single ones, creation and changes. Bodies are `{"data": {...}}`. */
import type { Context, Hono } from 'hono';
import type { FakeEnvironment } from '../../fakes/fake.ts';
import { parse } from '../members.ts';
import type { Row } from '../shared.ts';
import { pageOf } from './lists.ts';
import { type Desk, invalid, refusal } from './records.ts';
import { BODIES, type Kind, LISTS, type RdRow } from './state.ts';

export type Environment = FakeEnvironment & { Variables: { desk: Desk } };
export type RdContext = Context<Environment>;

export async function dataOf(c: RdContext): Promise<unknown> {
  const body: unknown = await c.req.json().catch(() => null);
  const isWrapped =
    typeof body === 'object' && body !== null && 'data' in body && Object.keys(body).length === 1;
  if (!isWrapped) throw refusal(400, 'the body must be {"data": {...}}');
  return body.data;
}

const CREATED_AS: Partial<Record<Kind, string>> = { deals: 'ongoing', tasks: 'open' };

/** A record as the API shows it. */
function shown({ account }: Desk, kind: Kind, row: RdRow): Row {
  const { pipeline_id: _, ...stage } = row;
  if (kind === 'stages') return { ...stage, description: null, objective: null };
  if (kind !== 'pipelines') return row;
  const stages = account.rows.stages.filter(({ pipeline_id: pipeline }) => pipeline === row.id);
  return { ...row, stage_ids: stages.map(({ id }) => id) };
}

function kindRoutes(app: Hono<Environment>, kind: Kind): void {
  const body = BODIES[kind];
  app.get(`/${kind}`, (c) => {
    const desk = c.get('desk');
    return c.json(pageOf(kind, desk.account.rows[kind], new URL(c.req.url), (row) => shown(desk, kind, row)));
  });
  const answer = (c: RdContext, row: RdRow, status: 200 | 201 = 200) =>
    c.json({ data: shown(c.get('desk'), kind, row) }, status);
  app.get(`/${kind}/:id`, (c) => answer(c, c.get('desk').find(kind, c.req.param('id'))));
  if (!body) return;
  app.post(`/${kind}`, async (c) => {
    const values: Row = parse(body, await dataOf(c), invalid);
    if (!('name' in values)) throw invalid('name is required');
    const only = CREATED_AS[kind];
    if ((values.status ?? only) !== only) throw invalid(`status must be ${only} at creation`);
    return answer(c, c.get('desk').create(kind, values), 201);
  });
  app.put(`/${kind}/:id`, async (c) => {
    const { id } = c.get('desk').find(kind, c.req.param('id'));
    return answer(c, c.get('desk').change(kind, id, parse(body, await dataOf(c), invalid)));
  });
}

export function recordRoutes(app: Hono<Environment>): void {
  // The keys of a constant have its type.
  for (const kind of Object.keys(LISTS) as Kind[]) if (kind !== 'stages') kindRoutes(app, kind);
  app.get('/pipelines/:pipeline/stages', (c) => {
    const desk = c.get('desk');
    const { id } = desk.find('pipelines', c.req.param('pipeline'));
    const rows = desk.account.rows.stages.filter(({ pipeline_id: pipeline }) => pipeline === id);
    return c.json(pageOf('stages', rows, new URL(c.req.url), (row) => shown(desk, 'stages', row)));
  });
}
