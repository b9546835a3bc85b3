// The start page: activity of the last hour, failures, pending jobs, and first steps for new users.
import type { FC } from 'hono/jsx';
import { Bars, Sparkline } from '../kit/charts.tsx';
import { number, plural, words } from '../kit/format.ts';
import { Badge, Empty, Panel, Status, Time } from '../kit/small.tsx';
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
    title: 'Overview',
    lead: isNew ? 'Your stack is running. Try these first steps.' : 'Activity of the last hour.',
    body: (
      <>
        {isNew && <FirstSteps view={view} />}
        <div class="tiles overview" data-live="tiles" id="live-tiles">
          {totals && <Tiles minutes={minutes} totals={totals} />}
        </div>
        <Panel title="Requests per minute" live="traffic" aside={<Legend />}>
          <Bars
            label={`Requests of the last ${MINUTES} minutes`}
            ticks={['1 hour ago', '45 min', '30 min', '15 min', 'now']}
            of={minutes.map(({ at, good, refused, broken }) => ({
              label: `${at.toISOString().slice(11, 16)} UTC: ${good} successful, ${refused} client errors, ${broken} server errors`,
              parts: [good, refused, broken],
            }))}
          />
        </Panel>
        <div class="columns">
          <Panel title="Recent failures" live="troubles">
            <Troubles of={troubles} now={view.now} />
          </Panel>
          <Panel title="Pending jobs" live="waiting" aside={<a href="/jobs">All jobs</a>}>
            <WaitingList of={waiting} now={view.now} />
          </Panel>
        </div>
        {!isNew && (
          <details class="fold">
            <summary>First steps</summary>
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
    <li class="bar-good">successful</li>
    <li class="bar-warn">client errors (4xx)</li>
    <li class="bar-bad">server errors (5xx)</li>
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
  const median = totals.median_ms === null ? 'No requests' : `Median ${Math.round(totals.median_ms)} ms`;
  return (
    <>
      <Tile
        href="/requests"
        name="Requests"
        value={number(requests)}
        note={median}
        course={minutes.map(({ good, refused: no, broken: bad }) => good + no + bad)}
      />
      <Tile
        href="/requests?status=failed"
        name="Errors"
        value={number(refused + broken)}
        note={plural(broken, 'server error')}
        course={minutes.map((minute) => minute.refused + minute.broken)}
        tone={broken > 0 ? 'bad' : 'warn'}
      />
      <Tile
        href="/events"
        name="Events"
        value={number(sum((minute) => minute.events))}
        note={`${plural(totals.deliveries_pending, 'delivery', 'deliveries')} pending`}
        course={minutes.map(({ events }) => events)}
      />
      <Tile
        href="/events/deliveries?status=failing"
        name="Failing deliveries"
        value={number(totals.deliveries_failing)}
        note={totals.deliveries_failing > 0 ? 'Inspect and replay' : 'All endpoints respond'}
      />
      <Tile
        href="/jobs"
        name="Jobs due"
        value={number(totals.jobs_waiting)}
        note={`Within 1 hour; ${totals.jobs_failed} failed`}
      />
      <Tile
        href="/payments?status=open"
        name="Open invoices"
        value={number(totals.open_invoices)}
        note={`${plural(totals.approvals, 'payout')} awaiting approval`}
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
    <Empty title="No failures">Rejected requests, failed deliveries and failed jobs appear here.</Empty>
  ) : (
    <ul class="list">
      {of.map(({ kind, id, at, title, status, reason }) => (
        <li data-key={id}>
          <a href={`${LINKS[kind]}/${id}`} class="list-main">
            {title}
          </a>
          <span class="list-note">
            {kind === 'job' ? <Badge of="failed" /> : <Status code={status} />}
            {reason !== null && <span class="clip">{words(reason)}</span>}
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
    <Empty title="No pending jobs">Scheduled background work appears here.</Empty>
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
