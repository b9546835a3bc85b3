// `placar requests tail`: prints the request log with the reason of each rejection. Needs the database URL.
import type { Command } from 'commander';
import { InvalidArgumentError } from 'commander';
import type postgres from 'postgres';
import type { Tables } from '../../../../../shared/platform/db/database.types.ts';
import { wait } from '../../core/wait.ts';
import { countOf } from '../arguments.ts';
import type { Context } from '../context.ts';
import { connectDatabase } from '../database.ts';
import type { Run } from '../main.ts';
import { printable } from '../output.ts';
import { required } from '../settings.ts';

const LOOK_EVERY_MS = 1000;
/** Rows become visible when their transaction commits, which can be after later rows. */
const OVERLAP_SECONDS = 60;
const FIRST_FAILURE = 400;

interface Options {
  failed?: boolean;
  follow?: boolean;
  limit: number;
  tenant?: string;
  function?: string;
  request?: string;
  trace?: string;
}

interface Row extends Omit<Tables['request_log'], 'api_key_id' | 'at' | 'ip'> {
  /** Identifies a row; the log has no primary key. */
  place: string;
  at: Date;
}

const uuid = (text: string) => {
  if (/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text)) return text;
  throw new InvalidArgumentError('It must be the UUID of a tenant.');
};

const traceId = (text: string) => {
  const id = text.replaceAll('-', '');
  if (/^[0-9a-f]{32}$/i.test(id)) return id;
  throw new InvalidArgumentError('It must be a trace id of 32 hex digits.');
};

export function requestsCommand(parent: Command, run: Run): void {
  const requests = parent.command('requests').description('The request log');
  requests
    .command('tail')
    .description('Print the latest requests; needs PLACAR_DATABASE_URL')
    .option('--failed', 'only requests with an error status')
    .option('--follow', 'keep printing requests as they arrive, until Ctrl-C')
    .option('--limit <count>', 'number of past requests to print', countOf('--limit'), 20)
    .option('--tenant <id>', 'only requests of this tenant', uuid)
    .option('--function <name>', 'only requests of this function, such as v1')
    .option('--request <id>', 'only the request with this X-Request-Id')
    .option('--trace <id>', 'only requests of this trace', traceId)
    .action((options: Options) => run((context) => tail(context, options)));
}

async function tail(context: Context, options: Options): Promise<undefined> {
  const { out, settings, signal } = context;
  const { databaseUrl } = required(settings, ['databaseUrl'], 'placar requests tail');
  const sql = await connectDatabase(databaseUrl);
  try {
    const latest = await readLatest(sql, options);
    for (const row of latest) show(context, row);
    if (!options.follow) return;
    const seen = new Set(latest.map(({ place }) => place));
    out.note('Following the request log.');
    let since = latest.at(-1)?.at ?? (await clockOf(sql));
    // Rows before the first printed one were excluded by --limit.
    const begin = since;
    while (!signal.aborted) {
      await wait(LOOK_EVERY_MS, signal);
      for (const row of await readSince(sql, options, since)) {
        if (seen.has(row.place) || (row.at < begin && latest.length >= options.limit)) continue;
        seen.add(row.place);
        show(context, row);
        if (row.at > since) since = row.at;
      }
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  } finally {
    await sql.end({ timeout: 1 });
  }
}

const clockOf = async (sql: postgres.Sql): Promise<Date> =>
  (await sql<{ now: Date }[]>`select clock_timestamp() as now`)[0]?.now ?? new Date();

function selected(sql: postgres.Sql, { failed, tenant, function: name, request, trace }: Options) {
  return sql`
    select tableoid::text || ':' || ctid::text as place, at, request_id, tenant_id, client_id, function, method, path,
           status, reason, fields, query, duration_ms, requests, trace_id
    from public.request_log
    where (${failed !== true} or status >= ${FIRST_FAILURE})
      and (${tenant ?? null}::uuid is null or tenant_id = ${tenant ?? null}::uuid)
      and (${name ?? null}::text is null or function = ${name ?? null}::text)
      and (${request ?? null}::text is null or request_id = ${request ?? null}::text)
      and (${trace ?? null}::uuid is null or trace_id = ${trace ?? null}::uuid)`;
}

async function readLatest(sql: postgres.Sql, options: Options): Promise<Row[]> {
  const rows = await sql<Row[]>`${selected(sql, options)} order by at desc limit ${options.limit}`;
  return [...rows].reverse();
}

const readSince = (sql: postgres.Sql, options: Options, since: Date) => sql<Row[]>`
  ${selected(sql, options)} and at > ${since}::timestamptz - make_interval(secs => ${OVERLAP_SECONDS}) order by at`;

function show({ out }: Context, { place: _place, at, ...row }: Row): void {
  out.json({ at: at.toISOString(), ...row });
  const { green, red, yellow, dim } = out.colors;
  const color = row.status >= 500 ? red : row.status >= FIRST_FAILURE ? yellow : green;
  const more = [
    row.reason,
    row.fields?.length ? `fields ${row.fields.join(', ')}` : '',
    row.query?.length ? `query ${row.query.join(', ')}` : '',
    row.requests > 1 ? `${row.requests} requests` : '',
  ];
  const rest = more.filter(Boolean).join('; ');
  out.say(
    `${dim(at.toISOString())}  ${color(String(row.status))}  ${row.method.padEnd(6)} ${printable(row.path)}  ${row.duration_ms} ms  ${printable(rest)}  ${dim(printable(row.request_id))}`,
  );
}
