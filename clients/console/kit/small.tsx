// Small components shared by all pages.

import type { Child, FC } from 'hono/jsx';
import { parseJson, toJson } from '../../typescript/src/core/json.ts';
import { absolute, initials, relative } from './format.ts';
import { t, tName } from './language.ts';

/** Placeholder for an absent value. */
export const None: FC = () => <span class="none muted">–</span>;

export const Time: FC<{ at: Date | string | null; now: Date }> = ({ at, now }) => {
  if (at === null) return <None />;
  const moment = new Date(at);
  return (
    <time datetime={moment.toISOString()} title={absolute(moment)}>
      {relative(moment, now)}
    </time>
  );
};

/** A time at which something is due. A time in the past is due now. */
export const Due: FC<{ at: Date; now: Date }> = ({ at, now }) =>
  at <= now ? <span>{t('due now')}</span> : <Time at={at} now={now} />;

export type Tone = 'good' | 'bad' | 'warn' | 'info' | 'quiet';

const TONES: Readonly<Record<string, Tone>> = {
  paid: 'good',
  won: 'good',
  delivered: 'good',
  finished: 'good',
  issued: 'good',
  active: 'good',
  converted: 'good',
  qualified: 'good',
  failed: 'bad',
  lost: 'bad',
  exhausted: 'bad',
  unqualified: 'bad',
  pending: 'warn',
  paused: 'warn',
  suspended: 'warn',
  deactivated: 'bad',
  waiting: 'warn',
  creating: 'warn',
  processing: 'warn',
  incoming_payment_waiting: 'warn',
  running: 'info',
  open: 'info',
  new: 'info',
  created: 'info',
  contacted: 'info',
  high: 'warn',
  approved: 'good',
  rejected: 'bad',
  done: 'good',
  failing: 'bad',
  connecting: 'info',
  authorizing: 'warn',
  queued: 'info',
  create: 'good',
  update: 'info',
  invited: 'info',
};

/** A status with its color. */
export const Badge: FC<{ of: string; tone?: Tone }> = ({ of, tone }) => (
  <span class={`badge ${tone ?? TONES[of] ?? 'quiet'}`}>{tName(of)}</span>
);

/** An HTTP status. */
export const Status: FC<{ code: number | null }> = ({ code }) => {
  if (code === null) return <span class="badge bad">{t('no response')}</span>;
  const tone = code >= 500 ? 'bad' : code >= 400 ? 'warn' : 'good';
  return <span class={`badge ${tone}`}>{code}</span>;
};

export const Method: FC<{ of: string }> = ({ of }) => <span class={`method ${of.toLowerCase()}`}>{of}</span>;

const COLORS = 6;

export const Avatar: FC<{ name: string }> = ({ name }) => {
  const sum = [...name].reduce((total, letter) => total + (letter.codePointAt(0) ?? 0), 0);
  return (
    <span class={`avatar hue-${sum % COLORS}`} aria-hidden="true">
      {initials(name)}
    </span>
  );
};

export const Panel: FC<{ title?: Child; aside?: Child; live?: string; class?: string; children?: Child }> = ({
  title,
  aside,
  live,
  class: more = '',
  children,
}) => (
  <section class={`panel ${more}`} {...(live !== undefined && { 'data-live': live, id: `live-${live}` })}>
    {title !== undefined && (
      <header class="panel-head">
        <h2>{title}</h2>
        {aside !== undefined && <div class="panel-aside">{aside}</div>}
      </header>
    )}
    {children}
  </section>
);

/** Placeholder for an empty region, with a hint for the next step. */
export const Empty: FC<{ title: string; children?: Child }> = ({ title, children }) => (
  <div class="empty">
    <svg viewBox="0 0 48 32" width="48" height="32" aria-hidden="true">
      <rect x="2" y="18" width="10" height="12" rx="2" />
      <rect x="19" y="10" width="10" height="20" rx="2" />
      <rect x="36" y="2" width="10" height="28" rx="2" />
    </svg>
    <p class="empty-title">{title}</p>
    {children !== undefined && <div class="empty-text">{children}</div>}
  </div>
);

const isGiven = (value: Child) => value !== null && value !== undefined && value !== '' && value !== false;

/** A list of names and values. Omits empty values. */
export const Facts: FC<{ of: [name: string, value: Child][] }> = ({ of }) => (
  <dl class="facts">
    {of
      .filter(([, value]) => isGiven(value))
      .map(([name, value]) => (
        <div>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
  </dl>
);

export const Code: FC<{ label: string; copy?: boolean; children?: Child }> = ({
  label,
  copy = true,
  children,
}) => (
  <figure class="code">
    <section tabindex={0} aria-label={label}>
      <pre>
        <code>{children}</code>
      </pre>
    </section>
    {copy && (
      <button type="button" class="copy" data-copy hidden>
        <span data-copy-text data-copied={t('Copied')}>
          {t('Copy')}
        </span>
        <span class="visually-hidden"> {label}</span>
      </button>
    )}
  </figure>
);

/** Indents JSON; shows other text unchanged. */
export const Json: FC<{ label: string; of: unknown }> = ({ label, of }) => (
  <Code label={label}>{typeof of === 'string' ? indented(of) : toJson(of, 2)}</Code>
);

function indented(text: string): string {
  try {
    return toJson(parseJson(text), 2);
  } catch {
    return text;
  }
}

/** A progress bar. */
export const Progress: FC<{ value: number; of: number; label: string }> = ({ value, of, label }) => (
  <progress class="progress" max={of} value={Math.max(0, Math.min(value, of))} aria-label={label} />
);

export const Tabs: FC<{ path: string; label: string; of: [path: string, name: string][] }> = ({
  path,
  label,
  of,
}) => (
  <nav class="tabs" aria-label={label}>
    {of.map(([to, name]) => (
      <a href={to} {...(to === path && { 'aria-current': 'page' as const })}>
        {name}
      </a>
    ))}
  </nav>
);
