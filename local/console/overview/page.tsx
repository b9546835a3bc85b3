// The start page: activity in the last hour, failures, pending jobs, and first steps for new users.
import type { FC } from 'hono/jsx';
import { Bars, Sparkline } from '../../../clients/console/kit/charts.tsx';
import { number } from '../../../clients/console/kit/format.ts';
import { t, tCount, tName } from '../../../clients/console/kit/language.ts';
import { Badge, Empty, Panel, Status, Time } from '../../../clients/console/kit/small.tsx';
import type { Page } from '../view.ts';
import {
  MINUTES,
  type Minute,
  readMinutes,
  readTotals,
  readTroubles,
  readWaiting,
  type Totals,
  type Trouble,
  type Waiting,
} from './queries.ts';
import { FirstSteps, Parts } from './start.tsx';

export const overview: Page = async (view) => {
  const [minutes, totals, troubles, waiting] = await Promise.all([
    readMinutes(view),
    readTotals(view),
    readTroubles(view),
    readWaiting(view),
  ]);
  const isNew = totals?.requests_ever === 0;
  return {
    title: t('Overview'),
    lead: t(isNew ? 'Your stack is running. Try these first steps.' : 'Activity in the last hour.'),
    body: (
      <>
        {isNew && <FirstSteps view={view} />}
        <div class="tiles overview" data-live="tiles" id="live-tiles">
          {totals && <Tiles minutes={minutes} totals={totals} />}
        </div>
        <Panel title={t('Requests per minute')} live="traffic" aside={<Legend />}>
          <Bars
            label={t('Requests in the last {count} minutes', { count: number(MINUTES) })}
            ticks={[t('1 hour ago'), '45 min', '30 min', '15 min', t('now')]}
            of={minutes.map(({ at, good, refused, broken }) => ({
              label: t('{time} UTC: {good} successful, {refused} client errors, {broken} server errors', {
                time: at.toISOString().slice(11, 16),
                good: number(good),
                refused: number(refused),
                broken: number(broken),
              }),
              parts: [good, refused, broken],
            }))}
          />
        </Panel>
        <div class="columns">
          <Panel title={t('Recent failures')} live="troubles">
            <Troubles of={troubles} now={view.now} />
          </Panel>
          <Panel title={t('Pending jobs')} live="waiting" aside={<a href="/jobs">{t('All jobs')}</a>}>
            <WaitingList of={waiting} now={view.now} />
          </Panel>
        </div>
        {!isNew && (
          <details class="fold">
            <summary>{t('First steps')}</summary>
            <FirstSteps view={view} />
          </details>
        )}
        <Parts view={view} />
      </>
    ),
  };
};

const Legend: FC = () => (
  <ul class="legend">
    <li class="bar-good">{t('successful')}</li>
    <li class="bar-warn">{t('client errors (4xx)')}</li>
    <li class="bar-bad">{t('server errors (5xx)')}</li>
  </ul>
);

interface TileProps {
  href: string;
  name: string;
  value: string;
  note: string;
  course?: number[];
  tone?: 'good' | 'warn' | 'bad';
}

const Tile: FC<TileProps> = ({ href, name, value, note, course, tone = 'good' }) => (
  <a class="tile" href={href}>
    <span class="tile-name">{name}</span>
    <span class="tile-value">{value}</span>
    <span class="tile-note">{note}</span>
    {course && <Sparkline of={course} tone={tone} />}
  </a>
);

const Tiles: FC<{ minutes: Minute[]; totals: Totals }> = ({ minutes, totals }) => {
  const sum = (of: (minute: Minute) => number) => minutes.reduce((total, minute) => total + of(minute), 0);
  const refused = sum((minute) => minute.refused);
  const broken = sum((minute) => minute.broken);
  const requests = sum((minute) => minute.good) + refused + broken;
  const median =
    totals.median_ms === null
      ? t('No requests')
      : t('Median {duration} ms', { duration: number(Math.round(totals.median_ms)) });
  return (
    <>
      <Tile
        href="/requests"
        name={t('Requests')}
        value={number(requests)}
        note={median}
        course={minutes.map(({ good, refused: no, broken: bad }) => good + no + bad)}
      />
      <Tile
        href="/requests?status=failed"
        name={t('Errors')}
        value={number(refused + broken)}
        note={tCount(broken, '{count} server error', '{count} server errors')}
        course={minutes.map((minute) => minute.refused + minute.broken)}
        tone={broken > 0 ? 'bad' : 'warn'}
      />
      <Tile
        href="/events"
        name={t('Events')}
        value={number(sum((minute) => minute.events))}
        note={tCount(totals.deliveries_pending, '{count} delivery pending', '{count} deliveries pending')}
        course={minutes.map(({ events }) => events)}
      />
      <Tile
        href="/events/deliveries?status=failing"
        name={t('Failing deliveries')}
        value={number(totals.deliveries_failing)}
        note={t(totals.deliveries_failing > 0 ? 'Inspect and replay' : 'All endpoints respond')}
      />
      <Tile
        href="/jobs"
        name={t('Jobs due')}
        value={number(totals.jobs_waiting)}
        note={t('Within 1 hour; {count} failed', { count: number(totals.jobs_failed) })}
      />
      <Tile
        href="/payments?status=open"
        name={t('Open invoices')}
        value={number(totals.open_invoices)}
        note={tCount(
          totals.approvals,
          '{count} payout awaiting approval',
          '{count} payouts awaiting approval',
        )}
      />
    </>
  );
};

const LINKS: Readonly<Record<Trouble['kind'], string>> = {
  request: '/requests',
  delivery: '/events/deliveries',
  job: '/jobs',
};

const Troubles: FC<{ of: Trouble[]; now: Date }> = ({ of, now }) =>
  of.length === 0 ? (
    <Empty title={t('No failures')}>
      {t('Rejected requests, failed deliveries and failed jobs appear here.')}
    </Empty>
  ) : (
    <ul class="list">
      {of.map(({ kind, id, at, title, url, status, reason }) => (
        <li data-key={id}>
          <a href={`${LINKS[kind]}/${id}`} class="list-main">
            {url === null ? title : t('{type} to {url}', { type: title, url })}
          </a>
          <span class="list-note">
            {kind === 'job' ? <Badge of="failed" /> : <Status code={status} />}
            {reason !== null && <span class="clip">{kind === 'request' ? tName(reason) : reason}</span>}
          </span>
          <span class="list-time">
            <Time at={at} now={now} />
          </span>
        </li>
      ))}
    </ul>
  );

const WaitingList: FC<{ of: Waiting[]; now: Date }> = ({ of, now }) =>
  of.length === 0 ? (
    <Empty title={t('No pending jobs')}>{t('Scheduled background work appears here.')}</Empty>
  ) : (
    <ul class="list">
      {of.map(({ id, at, title }) => (
        <li data-key={id}>
          <a href={`/jobs/${id}`} class="list-main">
            {title}
          </a>
          <span class="list-time">
            <Time at={at} now={now} />
          </span>
        </li>
      ))}
    </ul>
  );
