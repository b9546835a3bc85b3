// Stages and automations as named resources.
import type { Fragment, Sql } from '../../platform/db/database.ts';
import { columnsOf } from '../../platform/db/sql.ts';
import { invalid } from '../../platform/errors.ts';
import { idNamed } from '../named/queries.ts';
import type { Body, NamedResource } from '../named/resource.ts';
import { newAutomation, newStage } from './schema.ts';

export const stages: NamedResource = {
  kind: 'stage',
  table: 'pipeline_stages',
  columns: columnsOf(newStage),
  counted: ['deals'],
  readers: ['read:deals', 'read:settings', 'manage:workspace'],
  record: (sql) => sql`json_build_object(
    'id', r.id, 'name', r.name, 'position', r.position, 'probability', r.probability,
    'deals', (select count(*) from public.deals d where d.tenant_id = r.tenant_id and d.stage_id = r.id),
    'created_at', app.format_utc(r.created_at))`,
  isInUse: (sql) =>
    sql`exists (select from public.deals d where d.tenant_id = r.tenant_id and d.stage_id = r.id)`,
};

type Action = Readonly<Record<string, unknown>>;

const actionsIn = ({ actions }: Body): readonly Action[] => (actions ?? []) as Action[];

/** The name of a stage or user in an action. Throws 400 if it is not a text. */
function referenceIn(action: Action, place: number): { member: 'stage' | 'user'; ref: string } | undefined {
  const member = (['stage', 'user'] as const).find((one) => Object.hasOwn(action, one));
  if (!member) return undefined;
  const ref = action[member];
  if (typeof ref === 'string') return { member, ref };
  throw invalid('field', `actions[${place}].${member}`, 'must be a string', 'validation');
}

/** The actions with ids instead of the names of stages and users. */
const resolveActions = (sql: Sql, tenantId: string, actions: readonly Action[]): Fragment =>
  actions.reduce<Fragment>((all, action, place) => {
    const reference = referenceIn(action, place);
    if (!reference) return sql`${all} || jsonb_build_array(${JSON.stringify(action)}::jsonb)`;
    const { member, ref } = reference;
    const { [member]: _, ...others } = action;
    const field = `actions[${place}].${member}`;
    const id =
      member === 'stage' ? idNamed(sql, stages, tenantId, ref, field) : sql`app.find_user(${ref}, ${field})`;
    return sql`${all} || jsonb_build_array(
        ${JSON.stringify(others)}::jsonb || jsonb_build_object(${`${member}_id`}::text, ${id}))`;
  }, sql`'[]'::jsonb`);

/** An action in place of one whose name is not resolved yet. */
const PLACEHOLDER: Action = { type: 'add_tag', tag: 'x' };

/** Faults of form come before names that do not exist. */
function checkForm(sql: Sql, body: Body): Fragment[] {
  const { event, conditions = [] } = body;
  if (event === undefined || body.actions === undefined) return [];
  const named = (action: Action) =>
    (action.type === 'move_stage' && 'stage' in action) ||
    (action.type === 'assign_owner' && 'user' in action);
  const actions = actionsIn(body).map((action) => (named(action) ? PLACEHOLDER : action));
  return [
    sql`select app.check_automation(${String(event)}, ${JSON.stringify(conditions)}::jsonb, ${JSON.stringify(actions)}::jsonb)`,
  ];
}

/** An automation acts without a token later, so its author needs the scopes of its actions. */
const expectScopes = (sql: Sql, row: Fragment): Fragment => sql`
  select app.expect_own_scopes(
    array[case split_part(r.event, '.', 1) when 'lead' then 'read:leads' when 'deal' then 'read:deals' else 'read:users' end]
    || array(select case when a ->> 'type' = 'award_points' then 'manage:gamification'
                         when split_part(r.event, '.', 1) = 'deal' then 'write:deals' else 'write:leads' end
             from jsonb_array_elements(r.actions) as a),
    'automation_not_allowed')
  from ${row} r`;

/** Anyone who manages automations may stop one. */
const onlyStops = (body: Body) => Object.keys(body).length === 1 && body.active === false;

export const automations: NamedResource = {
  kind: 'automation',
  table: 'automations',
  columns: columnsOf(newAutomation),
  defaults: { conditions: [], active: true },
  record: (sql) => sql`json_build_object(
    'id', r.id, 'name', r.name, 'event', r.event, 'conditions', r.conditions, 'actions', r.actions, 'active', r.active,
    'created_at', app.format_utc(r.created_at))`,
  resolve: (sql, body, tenantId) =>
    body.actions === undefined ? {} : { actions: resolveActions(sql, tenantId, actionsIn(body)) },
  authorize: (sql, { row, body }) =>
    onlyStops(body) ? [] : [expectScopes(sql, row), ...checkForm(sql, body)],
  // An automation whose stage or user is gone can still be stopped and renamed.
  check: (sql, { row, old }) => sql`
    select app.check_automation(r.event, r.conditions, r.actions) from ${row} r
    where r.active or not exists (
      select from ${old} o where (o.event, o.conditions, o.actions) = (r.event, r.conditions, r.actions))`,
};
