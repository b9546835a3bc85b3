// `placar events tail`: prints events of the feed as they happen.
import type { Command } from 'commander';
import { countOf } from '../arguments.ts';
import type { Context } from '../context.ts';
import { type FeedEvent, feedsFor, type Interface, patternsOf, sinceText, startOf } from '../feed.ts';
import { follow } from '../follow.ts';
import type { Run } from '../main.ts';
import { printable } from '../output.ts';
import { warnOfUnknown } from '../unknown-types.ts';

interface Options {
  types?: string;
  since?: string;
  limit?: number;
}

export function eventsCommand(parent: Command, run: Run): void {
  const events = parent.command('events').description('Events of a deployment');
  events
    .command('tail')
    .description('Print events as they happen, until Ctrl-C')
    .option('--types <types>', 'such as invoice.paid,lead.* (default: all)')
    .option(
      '--since <cursor>',
      'start after this cursor, or at the "oldest" retained event (default: only new events)',
    )
    .option('--limit <count>', 'stop after this many events', countOf('--limit'))
    .action((options: Options) => run((context) => tail(context, options)));
}

async function tail(context: Context, { types, since, limit }: Options): Promise<undefined> {
  const { out, signal } = context;
  const patterns = patternsOf(types);
  const feeds = feedsFor(patterns, context, 'placar events tail');
  await warnOfUnknown(patterns, context);
  const start = await startOf(feeds, since, signal);
  const cursors: Partial<Record<Interface, string | undefined>> = { ...start };
  const enough = new AbortController();
  let left = limit ?? Number.POSITIVE_INFINITY;
  out.note(`Following ${feeds.map((feed) => feed.interface).join(' and ')} events.`);
  await follow({
    feeds,
    patterns,
    start,
    signal: AbortSignal.any([signal, enough.signal]),
    onEvents(page, { nextCursor }, feed) {
      for (const event of page) {
        if (left <= 0) break;
        show(context, feed.interface, event);
        cursors[feed.interface] = event.cursor;
        left -= 1;
      }
      if (left <= 0) enough.abort();
      else cursors[feed.interface] = nextCursor;
    },
    onTrouble: (error, waitMs) =>
      out.warn(`${printable(error.message)} Retrying in ${Math.round(waitMs / 1000)} s.`),
  });
  out.note(`To continue from here: --since ${sinceText(cursors)}`);
}

function show({ out }: Context, name: Interface, event: FeedEvent): void {
  out.json({ interface: name, ...event });
  const { bold, dim } = out.colors;
  const { id } = (event.data ?? {}) as { id?: unknown };
  const about = typeof id === 'string' ? id : '';
  const changed = event.changed.length > 0 ? `changed ${event.changed.join(', ')}` : '';
  const marks = [event.silent ? 'silent' : '', event.origin ? `origin ${event.origin}` : ''];
  const rest = [changed, ...marks].filter(Boolean).join('; ');
  out.say(
    `${dim(event.created_at)}  ${bold(printable(event.type).padEnd(22))} ${printable(about)}  ${dim(printable(rest))}`,
  );
}
