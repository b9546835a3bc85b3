// Reads the request log and the audit trail.
import type { Context } from '../../platform/access/context.ts';
import { ApiError } from '../../platform/errors.ts';
import { withAdminErrors } from '../errors.ts';
import { type LogPage, parseCursor, toLogPage } from './cursor.ts';
import {
  type ChangeFilters,
  type ChangeRow,
  checkSpan,
  type RequestFilters,
  selectChanges,
  selectRequests,
} from './queries.ts';

const DEFAULT_LIMIT = 50;
const MAX_LIMIT = 200;

const notFound = (what: string) =>
  new ApiError('not_found', `There is no ${what} with this id.`, { reason: 'not_found' });

/** A page of the request log, newest first, with what to do about each failure. Throws `validation`. */
export async function listRequests({ read, tenantId }: Context, filters: RequestFilters): Promise<LogPage> {
  const { limit = DEFAULT_LIMIT } = filters;
  const after = filters.after === undefined ? undefined : parseCursor(filters.after, /^/);
  const { rows } = await withAdminErrors(
    read((sql) => ({
      span: checkSpan(sql, filters),
      rows: selectRequests(sql, tenantId, { filters, after, limit: limit + 1 }),
    })),
  );
  return toLogPage(rows, limit, ({ record }) => record);
}

/** The requests with this id; callers may send an id twice. Throws `not_found`. */
export async function getRequests(context: Context, requestId: string): Promise<LogPage> {
  const page = await listRequests(context, { request_id: requestId, limit: MAX_LIMIT });
  if (page.records.length === 0) throw notFound('request');
  return page;
}

const payments = ['read:payments', 'manage:payments'];
const gamification = ['read:settings', 'manage:gamification'];
const workspace = ['read:settings', 'manage:workspace'];

/** Scopes of which one permits reading the content of a change, by kind of subject. Kinds of the deployment and of persons have none. */
export const changeReaders: Readonly<Record<string, readonly string[]>> = {
  api_key: ['manage:access'],
  client: ['manage:access'],
  board: ['manage:access'],
  sso: ['manage:access'],
  user: ['manage:access'],
  balance: payments,
  cost_center: payments,
  due_limit: payments,
  payment_webhook: payments,
  payout_approval_rule: payments,
  provider_account: payments,
  provider_route: payments,
  payout: [...payments, 'approve:payouts'],
  lead: ['read:leads'],
  player: ['read:users', ...gamification],
  webhook: ['read:webhooks', 'write:webhooks'],
  automation: ['read:settings', 'manage:automations'],
  stage: workspace,
  crm_account: workspace,
  crm_stage: workspace,
  crm_activity_type: workspace,
  crm_run: workspace,
  crm_difference: workspace,
  tenant: workspace,
  activity: gamification,
  activity_code: gamification,
  badge: gamification,
  challenge: gamification,
  mission: gamification,
  point_rule: gamification,
  season: gamification,
  tier: gamification,
};

/** A page of the audit trail, newest first. Throws `validation`. */
export async function listChanges({ read, tenantId }: Context, filters: ChangeFilters): Promise<LogPage> {
  const { limit = DEFAULT_LIMIT } = filters;
  const after = filters.after === undefined ? undefined : parseCursor(filters.after, /^\d{1,18}$/);
  const rows = await read((sql) =>
    selectChanges(sql, tenantId, { filters, after, limit: limit + 1 }, changeReaders),
  );
  return toLogPage(rows, limit, serializeChange);
}

/** Throws `not_found`. */
export async function getChange(context: Context, id: string): Promise<{ record: Record<string, unknown> }> {
  const { records } = /^\d{1,18}$/.test(id) ? await listChanges(context, { id }) : { records: [] };
  const [record] = records;
  if (!record) throw notFound('change');
  return { record };
}

/** The rows of all changes are shown, but only with what the caller may also read elsewhere. */
function serializeChange({ change, is_readable, labels_readable }: ChangeRow): Record<string, unknown> {
  const { id, at, transaction, via, on_behalf_of, program, act, request_id, actor_kind, subject_kind } =
    change;
  const { before, after, reason, summary } = change;
  const isLabel = actor_kind === 'client' || actor_kind === 'api_key';
  const actorName = labels_readable || !isLabel ? change.actor_name : null;
  const subjectName = is_readable ? change.subject_name : null;
  const scopes = (changeReaders[subject_kind] ?? []).join(' or ');
  return {
    ...{ id, at, transaction, via },
    actor: { kind: actor_kind, id: change.actor_id, name: actorName },
    ...{ on_behalf_of, program, act },
    subject: { kind: subject_kind, id: change.subject_id, name: subjectName },
    ...(is_readable
      ? { before, after, reason, summary }
      : {
          before: null,
          after: null,
          reason: null,
          summary: `Reading this change needs the scope ${scopes}.`,
        }),
    request_id,
  };
}
