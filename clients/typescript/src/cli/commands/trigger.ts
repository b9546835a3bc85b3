// `placar trigger`: causes an event by calling the API.
import type { Command } from 'commander';
import type postgres from 'postgres';
import { type Context, placarOf } from '../context.ts';
import { CliError, usageError } from '../exit-codes.ts';
import { type FeedEvent, feedsFor, startOf } from '../feed.ts';
import { follow } from '../follow.ts';
import type { Run } from '../main.ts';
import { printable } from '../output.ts';
import { required } from '../settings.ts';
import type { Trigger, TriggerContext, Triggered } from '../trigger/context.ts';

/** The sandbox settles in seconds. Changes made by SQL wait for the sweep, which runs once a minute. */
const LONGEST_WAIT_MS = 150_000;

interface Options {
  list?: boolean;
  wait: boolean;
}

export function triggerCommand(parent: Command, run: Run): void {
  parent
    .command('trigger [event]')
    .description('Cause an event on a local or staging deployment')
    .option('--list', 'list all events and what causes each')
    .option('--no-wait', 'exit without waiting for the event')
    .action((type: string | undefined, options: Options) =>
      run((context) => trigger(context, type, options)),
    );
}

async function trigger(context: Context, type: string | undefined, options: Options): Promise<undefined> {
  const { triggers } = await import('../trigger/triggers.ts');
  if (options.list) return list(context, triggers);
  const chosen = type === undefined ? undefined : triggers[type];
  if (type === undefined || !chosen) {
    const fault = type === undefined ? 'No event type given.' : `Unknown event type: ${type}.`;
    const [resource = ''] = (type ?? '').split('.');
    const related = Object.keys(triggers).filter((one) => one.startsWith(`${resource}.`));
    const hint = related.length > 0 ? ` Events of ${resource}: ${related.join(', ')}.` : '';
    throw usageError(`${fault}${hint} Run placar trigger --list to see all.`);
  }
  required(context.settings, ['url', ...chosen.needs], `placar trigger ${type}`);
  const { refuseProduction } = await import('../trigger/environment.ts');
  await refuseProduction(context);
  const { triggerContext, close } = open(context);
  try {
    await make(context, triggerContext, type, chosen, options.wait);
  } finally {
    await close();
  }
}

async function list({ out }: Context, triggers: Readonly<Record<string, Trigger>>): Promise<undefined> {
  const entries = Object.entries(triggers);
  for (const [event, { does, needs }] of entries) out.json({ event, does, needs });
  await out.table(
    ['event', 'how it is caused'],
    entries.map(([event, { does }]) => [event, does]),
  );
}

function open(context: Context): { triggerContext: TriggerContext; close(): Promise<void> } {
  const { settings, signal } = context;
  const { databaseUrl } = settings;
  let sql: Promise<postgres.Sql> | undefined;
  const triggerContext: TriggerContext = {
    // The triggers use the member names of variant A.
    placar: placarOf({ ...context, settings: { ...settings, variant: 'a' } }, [], 'placar trigger'),
    settings,
    signal,
    async database() {
      if (databaseUrl === undefined)
        throw usageError('This trigger needs PLACAR_DATABASE_URL (databaseUrl in .placarrc).');
      const { connectDatabase } = await import('../database.ts');
      sql ??= connectDatabase(databaseUrl);
      return sql;
    },
  };
  const close = async () => void (await (await sql)?.end({ timeout: 1 }));
  return { triggerContext, close };
}

async function make(
  context: Context,
  triggerContext: TriggerContext,
  type: string,
  { run }: Trigger,
  waits: boolean,
): Promise<void> {
  const { out } = context;
  const asVariantA = { ...context, settings: { ...context.settings, variant: 'a' } };
  const feeds = feedsFor([type], asVariantA, `placar trigger ${type}`);
  const start = waits ? await startOf(feeds, undefined, context.signal) : undefined;
  const startedAt = performance.now();
  const made = await run(triggerContext);
  if (!start) {
    out.show(`${type}  requested  ${made.id ?? ''}`, { type, id: made.id });
    return;
  }
  const event = await waitFor(asVariantA, feeds, start, type, made).finally(() => made.tidy?.());
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
  out.show(
    `${out.colors.green(type)}  ${printable(event.id)}  ${printable(made.id ?? '')}  after ${seconds} s`,
    {
      type,
      event: event.id,
      id: made.id,
      seconds: Number(seconds),
    },
  );
}

async function waitFor(
  context: Context,
  feeds: Parameters<typeof follow>[0]['feeds'],
  start: Parameters<typeof follow>[0]['start'],
  type: string,
  { id }: Triggered,
): Promise<FeedEvent> {
  const found = new AbortController();
  const limit = AbortSignal.timeout(LONGEST_WAIT_MS);
  let event: FeedEvent | undefined;
  await follow({
    feeds,
    patterns: [type],
    start,
    signal: AbortSignal.any([context.signal, found.signal, limit]),
    onEvents(events) {
      event ??= events.find(({ data }) => id === null || isAbout(data, id));
      if (event) found.abort();
    },
    onTrouble: (error) => context.out.warn(printable(error.message)),
  });
  if (event) return event;
  context.signal.throwIfAborted();
  throw new CliError(
    `The action succeeded, but no ${type} event arrived within ${LONGEST_WAIT_MS / 1000} s. Run placar doctor to check the deployment.`,
  );
}

/** Whether the id is that of the resource or its player. */
function isAbout(data: unknown, id: string): boolean {
  const { id: own, user_id: player } = (data ?? {}) as { id?: unknown; user_id?: unknown };
  return own === id || player === id;
}
