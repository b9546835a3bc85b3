// Standings on a screen, by the token of a board: without signing in, without cookies.
import { type Context, Hono } from 'hono';
import type { FC } from 'hono/jsx';
import QuickLRU from 'quick-lru';
import { asJson, asNumber, asRows, asText, type Json } from '../api/json.ts';
import { number } from '../kit/format.ts';
import { moment } from '../kit/format-time.ts';
import { language, type Message, t, tName } from '../kit/language.ts';
import { sendPage } from '../render.tsx';
import { AttemptsByAddress } from './attempts-by-address.ts';
import type { Clock } from './sealed.ts';

const NAMES = 10;
const POLL_MS = 15_000;
/** Without scripts. */
const RELOAD_SECONDS = 60;
const TIMEOUT_MS = 10_000;
const MAX_BOARDS = 1000;
/** Screens that show the same board share a request to the API. */
const KEPT_MS = 10_000;

interface Shown {
  board: Json;
  /** When the API last returned it. */
  atMs: number;
  isStale: boolean;
}

interface BoardOptions {
  /** URL of the functions. */
  functions: string;
  program: string;
  clock: Clock;
  /** Address of the browser. */
  addressOf(c: Context): string;
}

/** Reads boards, and remembers them for the time that the API is unreachable. */
class Boards {
  readonly #options: BoardOptions;
  readonly #known = new QuickLRU<string, { board: Json; atMs: number }>({ maxSize: MAX_BOARDS });

  constructor(options: BoardOptions) {
    this.#options = options;
  }

  /** `unknown` if there is no such board, `unreachable` if the API has not returned it yet. */
  async read(token: string): Promise<Shown | 'unknown' | 'unreachable'> {
    const { functions, program, clock } = this.#options;
    const known = this.#known.get(token);
    if (known && clock.now() - known.atMs < KEPT_MS) return { ...known, isStale: false };
    const response = await fetch(`${functions}/v1/board`, {
      headers: { Authorization: `Bearer ${token}`, 'User-Agent': program },
      redirect: 'manual',
      signal: AbortSignal.timeout(TIMEOUT_MS),
    }).catch(() => undefined);
    if (response?.status === 401) {
      this.#known.delete(token);
      return 'unknown';
    }
    const board = response?.ok ? asJson(asJson(await response.json().catch(() => ({}))).data) : undefined;
    if (!board) return known ? { ...known, isStale: true } : 'unreachable';
    const entry = { board, atMs: clock.now() };
    this.#known.set(token, entry);
    return { ...entry, isStale: false };
  }
}

export function boardRoutes(options: BoardOptions): Hono {
  const app = new Hono();
  const boards = new Boards(options);
  const guesses = new AttemptsByAddress(options.clock);
  app.get('/board/:token', async (c) => {
    c.header('Cache-Control', 'no-store');
    c.header('X-Robots-Tag', 'noindex');
    const { token } = c.req.param();
    // The API sees only the address of the console, so the console limits guesses.
    const counted = guesses.begin(options.addressOf(c));
    if ('waitSeconds' in counted) {
      c.header('Retry-After', String(counted.waitSeconds));
      return sendBoard(c, t('Too many requests'), 429);
    }
    const shown = /^board_[\w-]{43}$/.test(token) ? await boards.read(token) : 'unknown';
    if (shown !== 'unknown') counted.succeeded();
    if (shown === 'unknown') return sendBoard(c, t('This board does not exist or has ended.'), 404);
    if (shown === 'unreachable') return sendBoard(c, t('The standings are unreachable at the moment.'), 503);
    return sendPage(c, <BoardPage shown={shown} />);
  });
  return app;
}

const sendBoard = (c: Context, text: string, status: 404 | 429 | 503) =>
  sendPage(
    c,
    <Frame title={t('Standings')}>
      <h1>{t('Standings')}</h1>
      <p>{text}</p>
    </Frame>,
    status,
  );

const Frame: FC<{ title: string; children?: unknown }> = ({ title, children }) => (
  <html lang={language()} data-poll={String(POLL_MS)} data-theme="dark">
    <head>
      <meta charset="utf-8" />
      <meta name="viewport" content="width=device-width, initial-scale=1" />
      <meta name="robots" content="noindex" />
      <title>{`${title} · Placar`}</title>
      <link rel="icon" href="/console/icon.svg" type="image/svg+xml" />
      <link rel="stylesheet" href="/console/console.css" />
      <script src="/console/console.js" />
      <noscript>
        <meta http-equiv="refresh" content={String(RELOAD_SECONDS)} />
      </noscript>
    </head>
    <body class="wall">
      <main id="main" tabindex={-1}>
        {children}
      </main>
    </body>
  </html>
);

const PERIODS: Readonly<Record<string, Message>> = {
  today: 'Today',
  week: 'This week',
  month: 'This month',
  quarter: 'This quarter',
  year: 'This year',
};

function periodText(period: string): string {
  const text = PERIODS[period];
  return text ? t(text) : tName(period);
}

const BoardPage: FC<{ shown: Shown }> = ({ shown: { board, atMs, isStale } }) => {
  const season = asText(asJson(board.season).name) || asText(board.season);
  const all = asRows(board.entries);
  const entries = all.slice(0, NAMES);
  const about = [
    asText(asJson(board.team).name) || asText(board.team),
    season || periodText(asText(board.period)),
    all.length > NAMES && t('Top {count}', { count: NAMES }),
  ];
  return (
    <Frame title={asText(board.name)}>
      <header>
        <h1>{asText(board.name)}</h1>
        <p>{[asText(board.workspace), ...about].filter(Boolean).join(' · ')}</p>
      </header>
      <section data-live="wall" id="live-wall">
        {entries.length === 0 ? (
          <p>{t('No players yet')}</p>
        ) : (
          <ol>
            {entries.map(({ position, name, points }) => (
              <li data-key={asText(name)} data-value={asText(points)}>
                <span>{asText(position)}</span>
                <strong>{asText(name)}</strong>
                <span>{number(asNumber(points) ?? 0)}</span>
              </li>
            ))}
          </ol>
        )}
        {isStale && (
          <p class="wall-stale" role="status">
            {t('The standings are unreachable. Last updated {time}.', {
              time: `${moment(new Date(atMs))} UTC`,
            })}
          </p>
        )}
      </section>
    </Frame>
  );
};
