// `placar listen`: forwards events to a program on this machine, in the form of webhook deliveries.
import type { Command } from 'commander';
import type { PlacarError } from '../../errors.ts';
import type { Context } from '../context.ts';
import { usageError } from '../exit-codes.ts';
import { type Feed, feedsFor, type Interface, patternsOf, sinceText, startOf } from '../feed.ts';
import { follow } from '../follow.ts';
import type { Forwarded } from '../listen/forwarder.ts';
import type { Run } from '../main.ts';
import { printable } from '../output.ts';
import { required } from '../settings.ts';
import { warnOfUnknown } from '../unknown-types.ts';

/** Delays before each retry. Deployed webhooks wait minutes to hours. */
const RETRY_DELAYS_MS = [1000, 2000, 5000, 10_000, 30_000];
/** Limits how far the feed is read ahead of a slow receiver. */
const MAX_OPEN = 500;

interface Options {
  forwardTo: string;
  events?: string;
  since?: string;
  secretEnv?: string;
}

export function listenCommand(parent: Command, run: Run): void {
  parent
    .command('listen')
    .description('Forward events to a local program, signed like webhooks')
    .requiredOption('--forward-to <url>', 'URL that receives the events')
    .option('--events <types>', 'such as invoice.paid,lead.* (default: all)')
    .option(
      '--since <cursor>',
      'start after this cursor, or at the "oldest" retained event (default: only new events)',
    )
    .option(
      '--secret-env <name>',
      'environment variable with the signing secret (default: a secret that placar creates and stores)',
    )
    .action((options: Options) => run((context) => listen(context, options)));
}

async function listen(context: Context, options: Options): Promise<undefined> {
  const { settings, signal } = context;
  const url = addressOf(options.forwardTo);
  const patterns = patternsOf(options.events);
  required(settings, ['url'], 'placar listen');
  const feeds = feedsFor(patterns, context, 'placar listen');
  await warnOfUnknown(patterns, context);
  const { Forwarder } = await import('../listen/forwarder.ts');
  const { FeedProgress } = await import('../listen/feed-progress.ts');
  const { keptSigningKey } = await import('../listen/secret.ts');
  const secret = await secretOf(context, options.secretEnv);
  const signingKey = keptSigningKey(nameOf(context));
  const start = await startOf(feeds, options.since, signal);
  const progressByFeed = new Map(
    feeds.map((feed) => [feed.interface, new FeedProgress(start[feed.interface])]),
  );
  const forwarder = new Forwarder({
    url,
    secret,
    signingKey,
    retryDelaysMs: RETRY_DELAYS_MS,
    onOutcome: (outcome) => tellOutcome(context, outcome),
  });
  tellStart(context, feeds, url, {
    secret: options.secretEnv === undefined ? secret : undefined,
    publicKey: signingKey.publicKey,
  });
  let room = () => {};
  try {
    await follow({
      feeds,
      patterns,
      start,
      signal,
      async onEvents(events, page, feed) {
        const progress = progressByFeed.get(feed.interface);
        if (!progress) return;
        // Webhooks do not deliver silent imports.
        for (const event of events.filter(({ silent }) => silent !== true)) {
          const settle = progress.begin(event.cursor);
          forwarder.add(feed.interface, event, () => {
            settle();
            room();
          });
        }
        // Moves the cursor past events that the filter dropped.
        progress.begin(page.nextCursor)();
        while (progress.open > MAX_OPEN && !signal.aborted) {
          await new Promise<void>((resolve) => {
            room = resolve;
            signal.addEventListener('abort', () => resolve(), { once: true });
          });
        }
      },
      onTrouble: (error, waitMs) => tellTrouble(context, error, waitMs),
    });
  } finally {
    await forwarder.stop();
    const cursors = Object.fromEntries(
      [...progressByFeed].map(([name, progress]) => [name, progress.cursor]),
    );
    tellEnd(context, cursors);
  }
}

function addressOf(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url && /^https?:$/.test(url.protocol) && !url.username && !url.password) return url;
  throw usageError(
    '--forward-to must be an http or https URL without credentials, such as http://localhost:3000/hook.',
  );
}

/** Key of the stored secrets of this deployment. */
const nameOf = ({ settings }: Context): string => settings.profile ?? settings.url ?? '';

async function secretOf(context: Context, variable: string | undefined): Promise<string> {
  if (variable !== undefined) {
    const secret = process.env[variable];
    if (!secret) throw usageError(`--secret-env: the variable ${variable} is not set or is empty.`);
    context.out.hide(secret);
    return secret;
  }
  const { keptSecret } = await import('../listen/secret.ts');
  return keptSecret(nameOf(context));
}

function tellStart(
  { out, settings }: Context,
  feeds: Feed[],
  url: URL,
  { secret, publicKey }: { secret: string | undefined; publicKey: string },
): void {
  const names = feeds.map((feed) => feed.interface);
  out.json({
    listening: true,
    forward_to: url.href,
    interfaces: names,
    ...(secret !== undefined && { secret }),
    public_key: publicKey,
  });
  out.say(`Forwarding ${names.join(' and ')} events of ${settings.url} to ${url.href}`);
  if (secret !== undefined) out.say(`Signing secret ${out.colors.bold(secret)}`);
  out.say(`Public key ${out.colors.bold(publicKey)}`);
  out.say(out.colors.dim('Press Ctrl-C to stop.\n'));
}

function tellOutcome({ out }: Context, { event, attempt, answer, retryInMs, ...outcome }: Forwarded): void {
  const { status, durationMs, error } = answer;
  out.json({
    event: event.id,
    type: event.type,
    interface: outcome.interface,
    delivery: outcome.deliveryId,
    attempt,
    status: status ?? null,
    duration_ms: durationMs,
    error: error ?? null,
    again_in_ms: retryInMs ?? null,
    cursor: event.cursor,
  });
  const { green, red, dim } = out.colors;
  const result = error === undefined ? green(String(status)) : red(printable(error));
  const rest = retryInMs === undefined ? 'gave up' : `retrying in ${retryInMs / 1000} s`;
  const time = new Date().toTimeString().slice(0, 8);
  const line = `${dim(time)}  ${printable(event.type).padEnd(22)} ${dim(printable(event.id))}  ${result}  ${durationMs} ms`;
  out.say(error === undefined ? line : `${line}  ${dim(`attempt ${attempt}, ${rest}`)}`);
}

function tellTrouble({ out }: Context, error: PlacarError, waitMs: number): void {
  out.warn(`${printable(error.message)} Retrying in ${Math.round(waitMs / 1000)} s.`);
}

function tellEnd({ out }: Context, cursors: Partial<Record<Interface, string | undefined>>): void {
  const since = sinceText(cursors);
  out.json({ listening: false, since: since || null });
  if (since) out.say(`\nTo continue from here: --since ${since}`);
}
