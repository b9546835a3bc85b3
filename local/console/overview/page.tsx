// What opens first: what came in during the last hour, what failed, what waits; for a newcomer, what to try.
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
    lead: isNew
      ? 'Your stack is up. Nothing has called it so far: here is what to try.'
      : 'The last hour of this stack.',
    body: (
      <>
        {isNew && <FirstSteps view={view} />}
        <div class="tiles overview" data-live="tiles" id="live-tiles">
          {totals && <Tiles minutes={minutes} totals={totals} />}
        </div>
        <Panel title="Requests, by the minute" live="traffic" aside={<Legend />}>
          <Bars
            label={`Requests of the last ${MINUTES} minutes`}
            ticks={['1 hour ago', '45 min', '30 min', '15 min', 'now']}
            of={minutes.map(({ at, good, refused, broken }) => ({
              label: `${at.toISOString().slice(11, 16)} UTC: ${good} fine, ${refused} refused, ${broken} failed`,
              parts: [good, refused, broken],
            }))}
          />
        </Panel>
        <div class="columns">
          <Panel title="What failed" live="troubles">
            <Troubles of={troubles} now={view.now} />
          </Panel>
          <Panel title="What waits" live="waiting" aside={<a href="/jobs">All jobs</a>}>
            <WaitingList of={waiting} now={view.now} />
          </Panel>
        </div>
        {!isNew && (
          <details class="fold">
            <summary>Things to try</summary>
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
    <li class="bar-good">answered</li>
    <li class="bar-warn">refused (4xx)</li>
    <li class="bar-bad">failed (5xx)</li>
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
  const median = totals.median_ms === null ? 'none yet' : `half within ${Math.round(totals.median_ms)} ms`;
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
        name="Refused or failed"
        value={number(refused + broken)}
        note={broken > 0 ? `${broken} of them by us` : 'none of them by us'}
        course={minutes.map((minute) => minute.refused + minute.broken)}
        tone={broken > 0 ? 'bad' : 'warn'}
      />
      <Tile
        href="/events"
        name="Events"
        value={number(sum((minute) => minute.events))}
        note={`${plural(totals.deliveries_pending, 'delivery', 'deliveries')} under way`}
        course={minutes.map(({ events }) => events)}
      />
      <Tile
        href="/events/deliveries?status=failing"
        name="Deliveries in trouble"
        value={number(totals.deliveries_failing)}
        note={totals.deliveries_failing > 0 ? 'see why, and send again' : 'every receiver answers'}
      />
      <Tile
        href="/jobs"
        name="Jobs due"
        value={number(totals.jobs_waiting)}
        note={`within the hour; ${totals.jobs_failed} given up`}
      />
      <Tile
        href="/payments?status=open"
        name="Open invoices"
        value={number(totals.open_invoices)}
        note={`${plural(totals.approvals, 'payout')} to approve`}
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
    <Empty title="Nothing failed">
      Refused requests, deliveries that nobody took and jobs that were given up show here.
    </Empty>
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
    <Empty title="Nothing waits">Whatever is to happen later is a job; the next ones show here.</Empty>
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
