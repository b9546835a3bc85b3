// `placar requests tail`: prints the request log with the reason of each rejection.
import type { Command } from 'commander';
import { InvalidArgumentError } from 'commander';
import { wait } from '../../core/wait.ts';
import { countOf } from '../arguments.ts';
import type { Context } from '../context.ts';
import type { Run } from '../main.ts';
import { printable } from '../output.ts';
import { FIRST_FAILURE, type LogFilter, type LogRow, openRequestLog } from '../request-log.ts';

interface Options extends LogFilter {
  follow?: boolean;
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
    .description('Print the latest requests of the workspace, or with PLACAR_DATABASE_URL of all workspaces')
    .option('--failed', 'only requests with an error status')
    .option('--follow', 'keep printing requests as they arrive, until Ctrl-C')
    .option('--limit <count>', 'number of past requests to print', countOf('--limit'), 20)
    .option('--tenant <id>', 'only requests of this tenant; needs the database', uuid)
    .option('--function <name>', 'only requests of this function, such as v1')
    .option('--request <id>', 'only the request with this X-Request-Id')
    .option('--trace <id>', 'only requests of this trace; needs the database', traceId)
    .action((options: Options) => run((context) => tail(context, options)));
}

async function tail(context: Context, options: Options): Promise<undefined> {
  const { out, signal } = context;
  const log = await openRequestLog(context, options);
  try {
    const latest = await log.latest();
    for (const row of latest) show(context, row);
    if (!options.follow) return;
    const seen = new Set(latest.map(({ place }) => place));
    out.note('Following the request log.');
    let since = latest.at(-1)?.at ?? (await log.now());
    // Rows before the first printed one were excluded by --limit.
    const begin = since;
    while (!signal.aborted) {
      await wait(log.lookEveryMs, signal);
      for (const row of await log.since(since)) {
        if (seen.has(row.place) || (row.at < begin && latest.length >= options.limit)) continue;
        seen.add(row.place);
        show(context, row);
        if (row.at > since) since = row.at;
      }
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  } finally {
    await log.close();
  }
}

function show({ out }: Context, { place: _place, at, ...row }: LogRow): void {
  out.json({ at: at.toISOString(), ...row });
  const { green, red, yellow, dim } = out.colors;
  const color = row.status >= 500 ? red : row.status >= FIRST_FAILURE ? yellow : green;
  const more = [
    row.reason,
    row.fields?.length ? `fields ${row.fields.join(', ')}` : '',
    row.query?.length ? `query ${row.query.join(', ')}` : '',
    row.requests > 1 ? `${row.requests} requests` : '',
    row.remedy ?? '',
  ];
  const rest = more.filter(Boolean).join('; ');
  out.say(
    `${dim(at.toISOString())}  ${color(String(row.status))}  ${row.method.padEnd(6)} ${printable(row.path)}  ${row.duration_ms} ms  ${printable(rest)}  ${dim(printable(row.request_id))}`,
  );
}
