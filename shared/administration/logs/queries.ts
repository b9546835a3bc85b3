// SQL of the request log and the audit trail. Only the conditions of filters that were sent, so that an index serves each of them.
import type { z } from 'zod';
import type { Fragment, Sql, Statement } from '../../platform/db/database.ts';
import { all, equals, moment } from '../statements.ts';
import type { Cursor } from './cursor.ts';
import type { changeFilters, requestFilters } from './schema.ts';

export type RequestFilters = z.output<typeof requestFilters>;
export type ChangeFilters = z.output<typeof changeFilters> & { id?: string };

/** A log query: its filters, where its page begins, and how many rows to select. */
interface LogQuery<F> {
  filters: F;
  after: Cursor | undefined;
  limit: number;
}

const given = <T>(sql: Sql, value: T | undefined, condition: (value: T) => Fragment): Fragment =>
  value === undefined ? sql`true` : condition(value);

// Request log -----------------------------------------------------------------------------------------------------------

interface Span {
  begins: Fragment;
  ends: Fragment;
}

/** The time of the query: by default the last 24 hours, and all of it for a request id. */
function spanOf(sql: Sql, { from, to, request_id: id }: RequestFilters): Span {
  const ends = to !== undefined ? moment(sql, to) : id ? sql`'infinity'::timestamptz` : sql`now()`;
  const day = id ? sql`'-infinity'::timestamptz` : sql`${ends} - interval '24 hours'`;
  return { begins: from !== undefined ? moment(sql, from) : day, ends };
}

/** Raises `to_before_from` or `time_too_long`. */
export function checkSpan(sql: Sql, filters: RequestFilters): Fragment[] {
  if (filters.request_id) return [];
  const { begins, ends } = spanOf(sql, filters);
  return [
    sql`
      select app.raise_domain_error(case when s.begins > s.ends then 'to_before_from' else 'time_too_long' end)
      from (select ${begins} as begins, ${ends} as ends) as s
      where s.begins > s.ends or s.ends - s.begins > interval '31 days'`,
  ];
}

function statusCondition(sql: Sql, status: string): Fragment {
  if (status === 'failed') return sql`r.status >= 400`;
  return status.endsWith('xx')
    ? sql`r.status / 100 = ${Number(status[0])}`
    : sql`r.status = ${Number(status)}`;
}

/** Labels of keys and clients are shown to those who may read them. */
const mayReadLabels = (sql: Sql): Fragment => sql`(select app.caller_has('{manage:access}'))`;

type RequestRow = Cursor & { record: Record<string, unknown> };

export function selectRequests(
  sql: Sql,
  tenantId: string,
  { filters, after, limit }: LogQuery<RequestFilters>,
): Statement<RequestRow> {
  const { status, caller, reason, method, path, request_id: id } = filters;
  const { begins, ends } = spanOf(sql, filters);
  const where = all(sql, [
    sql`r.tenant_id = ${tenantId} and r.at >= ${begins} and r.at < ${ends}`,
    equals(sql, sql`r.request_id`, id),
    equals(sql, sql`r.reason`, reason),
    equals(sql, sql`r.function`, filters.function),
    equals(sql, sql`r.method`, method),
    given(sql, status, (sent) => statusCondition(sql, sent)),
    // Paths begin with a slash.
    given(sql, path, (sent) => sql`starts_with(r.path, ${`/${sent.replace(/^\//, '')}`})`),
    given(
      sql,
      caller,
      (sent) => sql`(
        ${sent} in (r.client_id, r.api_key_id::text, r.user_id::text) or lower(${sent}) = u.email or ${mayReadLabels(sql)}
        and app.normalize_name(${sent}) in (app.normalize_name(c.label), app.normalize_name(k.label)))`,
    ),
    given(
      sql,
      after,
      ({ seconds, key }) => sql`r.at <= to_timestamp(${seconds}::numeric)
        and (r.at, ${requestKey(sql)}) < (to_timestamp(${seconds}::numeric), ${key})`,
    ),
  ]);
  return sql`
    select extract(epoch from r.at)::text as seconds, r.key, json_build_object(
      'at', app.format_utc(r.at), 'request_id', r.request_id, 'function', r.function, 'method', r.method, 'path', r.path,
      'status', r.status, 'reason', r.reason, 'fields', coalesce(r.fields, '{}'), 'query', coalesce(r.query, '{}'),
      'caller', case when r.client_id is not null then json_build_object('kind', 'client', 'id', r.client_id, 'label', r.label)
                     when r.api_key_id is not null then json_build_object('kind', 'api_key', 'id', r.api_key_id, 'label', r.label)
                     when r.user_id is not null then json_build_object('kind', 'person', 'id', r.user_id, 'label', r.person) end,
      'ip', host(r.ip), 'duration_ms', r.duration_ms, 'requests', r.requests, 'remedy', app.remedy(r.status, r.reason)) as record
    from (
      select r.*, ${requestKey(sql)} as key, case when ${mayReadLabels(sql)} then coalesce(c.label, k.label) end as label, u.name as person
      from public.request_log r
      left join public.api_keys k on k.id = r.api_key_id
      left join public.oauth_clients c on c.client_id = r.client_id
      left join public.users u on u.tenant_id = r.tenant_id and u.id = r.user_id
      where ${where} order by r.at desc, key desc limit ${limit}
    ) as r
    order by r.at desc, r.key desc`;
}

/** Orders requests of the same time. */
const requestKey = (sql: Sql): Fragment => sql`md5(r.request_id || r.at::text || r.path)`;

// Audit trail -----------------------------------------------------------------------------------------------------------

export interface ChangeRow extends Cursor {
  change: Record<string, unknown> & { actor_kind: string; subject_kind: string };
  /** Whether the caller may read the content of the change, and the labels of keys and clients. */
  is_readable: boolean;
  labels_readable: boolean;
}

/** `readers`: scopes of which one permits reading the content of changes of each kind of subject. */
export function selectChanges(
  sql: Sql,
  tenantId: string,
  { filters, after, limit }: LogQuery<ChangeFilters>,
  readers: Readonly<Record<string, readonly string[]>>,
): Statement<ChangeRow> {
  const { id, from, to, act, actor, subject, via, request_id: requestId } = filters;
  const kinds = Object.entries(readers).map(([kind, scopes]) => ({ kind, scopes }));
  const where = all(sql, [
    sql`c.tenant_id = ${tenantId}`,
    given(sql, id, (sent) => sql`c.id = ${sent}::bigint`),
    given(sql, from, (sent) => sql`c.at >= ${moment(sql, sent)}`),
    given(sql, to, (sent) => sql`c.at < ${moment(sql, sent)}`),
    given(sql, after, ({ key }) => sql`c.id < ${key}::bigint`),
    given(sql, act, (sent) =>
      sent.endsWith('.*') ? sql`starts_with(c.act, ${sent.slice(0, -1)})` : sql`c.act = ${sent}`,
    ),
    given(
      sql,
      actor,
      (sent) => sql`(
        ${sent} = c.actor_id or strpos(app.normalize_name(c.actor_name), app.normalize_name(${sent})) > 0
        and (reader.labels or c.actor_kind not in ('client', 'api_key')))`,
    ),
    given(
      sql,
      subject,
      (sent) => sql`(${sent} in (c.subject_kind, c.subject_id)
        or strpos(app.normalize_name(c.subject_name), app.normalize_name(${sent})) > 0 and c.subject_kind <> all (reader.hidden))`,
    ),
    equals(sql, sql`c.via`, via),
    equals(sql, sql`c.request_id`, requestId),
  ]);
  return sql`
    with reader as materialized (
      select app.caller_has('{manage:access}') as labels, array(
        select k.kind from jsonb_to_recordset(${JSON.stringify(kinds)}::jsonb) as k (kind text, scopes text[])
        where not app.caller_has(k.scopes)) as hidden
    )
    select extract(epoch from c.at)::text as seconds, c.id::text as key, c.subject_kind <> all (reader.hidden) as is_readable,
           reader.labels as labels_readable, json_build_object(
             'id', c.id::text, 'at', app.format_utc(c.at), 'transaction', c.transaction::text, 'via', c.via, 'actor_kind', c.actor_kind,
             'actor_id', c.actor_id, 'actor_name', c.actor_name, 'on_behalf_of', c.on_behalf_of, 'program', c.program, 'act', c.act,
             'subject_kind', c.subject_kind, 'subject_id', c.subject_id, 'subject_name', c.subject_name, 'before', c.before,
             'after', c.after, 'reason', c.reason, 'summary', c.summary, 'request_id', c.request_id) as change
    from public.admin_changes c cross join reader
    where ${where}
    order by c.id desc limit ${limit}`;
}
