// One delivery with each attempt, and what arrived in the inbox.
import type { FC } from 'hono/jsx';
import type { KeptRequest } from '../../emulators/inbox.ts';
import { number } from '../kit/format.ts';
import { Action } from '../kit/forms.tsx';
import { Badge, Code, Empty, Facts, Json, Panel, Status, Time } from '../kit/small.tsx';
import type { Page } from '../view.ts';
import { EventTabs } from './page.tsx';
import { type AttemptRow, readAttempts, readDeliveries, readEvent } from './queries.ts';

export const delivery: Page = async (view) => {
  const id = view.param('id');
  const [[row], attempts] = await Promise.all([readDeliveries(view, { id }), readAttempts(view, id)]);
  if (!row) return undefined;
  const event = await readEvent(view, row.event_id);
  const received = view.inbox.newestFirst().filter(({ headers }) => headers['webhook-id'] === id);
  return {
    title: row.type,
    lead: <a href="/events/deliveries">All deliveries</a>,
    actions: row.active && (
      <Action action={`/events/deliveries/${id}/replay`} kind="primary">
        Replay
      </Action>
    ),
    body: (
      <>
        <Panel title="Delivery" live="delivery">
          <Facts
            of={[
              ['State', <Badge of={row.status} />],
              ['To', <span class="path">{row.url}</span>],
              ['Attempts', number(row.attempts)],
              ['Next attempt', row.next_at && <Time at={row.next_at} now={view.now} />],
              ['Event', <a href={`/events/${row.event_id}`}>{row.event_id}</a>],
              ['Delivery id', <code>{row.id}</code>],
            ]}
          />
        </Panel>
        <Panel title="Attempts" live="attempts">
          {attempts.length > 0 ? (
            <ol class="attempts">
              {attempts.map((attempt, index) => (
                <Attempt
                  of={attempt}
                  number={attempts.length - index}
                  now={view.now}
                  sent={received.find(({ at }) => isOf(attempt, at))}
                />
              ))}
            </ol>
          ) : (
            <Empty title="Not sent yet">The first attempt is on its way.</Empty>
          )}
        </Panel>
        {event && received.length === 0 && (
          <Panel title="What the event says, in stored form">
            <p class="panel-text muted">
              The receiver is none of this stack's, so what was sent is not here word for word. Each attempt
              sends the event with this data, as the interface shows it.
            </p>
            <Json label="the data" of={event.data} />
          </Panel>
        )}
      </>
    ),
  };
};

/** Whether what arrived then was sent by this attempt: it began before, and had its answer afterwards. */
function isOf({ at, response_ms: tookMs }: AttemptRow, arrivedAt: string): boolean {
  const distanceMs = Math.abs(at.getTime() - new Date(arrivedAt).getTime());
  return distanceMs <= tookMs + 1000;
}

interface AttemptProps {
  of: AttemptRow;
  number: number;
  now: Date;
  sent: KeptRequest | undefined;
}

const Attempt: FC<AttemptProps> = ({ of: attempt, number: count, now, sent }) => (
  <li data-key={attempt.id}>
    <div class="attempt-head">
      <strong>Attempt {count}</strong>
      <Status code={attempt.response_status} />
      <span class="muted">{number(attempt.response_ms)} ms</span>
      <span class="list-time">
        <Time at={attempt.at} now={now} />
      </span>
    </div>
    {attempt.error !== null && <p class="attempt-error">{attempt.error}</p>}
    <div class="attempt-parts">
      {sent && (
        <div>
          <h3>Sent</h3>
          <Code label={`what attempt ${count} sent`}>{asSent(sent)}</Code>
        </div>
      )}
      <div>
        <h3>Answered</h3>
        {attempt.response_excerpt ? (
          <Code label={`the answer to attempt ${count}`}>{attempt.response_excerpt}</Code>
        ) : (
          <p class="muted">Nothing.</p>
        )}
      </div>
    </div>
  </li>
);

/** As it came over the wire, with a body that is JSON indented. */
export function asSent({ path, headers, body }: KeptRequest): string {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  return [`POST ${path}`, ...lines, '', pretty(body)].join('\n');
}

function pretty(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body), null, 2);
  } catch {
    return body;
  }
}

export const inbox: Page = async (view) => {
  const kept = view.inbox.newestFirst().slice(0, 100);
  return {
    title: 'Inbox',
    lead: 'What the receiver of this stack got, of all tenants.',
    body: (
      <>
        <EventTabs path={view.path} />
        <Panel live="inbox">
          {kept.length > 0 ? (
            <ul class="messages">
              {kept.map((one) => (
                <li data-key={`${one.at} ${one.path}`}>
                  <details>
                    <summary>
                      <span class="list-main">{typeOf(one)}</span>
                      <span class="path muted">/inbox{one.path}</span>
                      <span class="list-time">
                        <Time at={one.at} now={view.now} />
                      </span>
                    </summary>
                    <Code label={`what came to ${one.path}`}>{asSent(one)}</Code>
                  </details>
                </li>
              ))}
            </ul>
          ) : (
            <Empty title="The inbox is empty">
              Whatever is sent to <code>{view.url}/inbox/anything</code> is kept here.
            </Empty>
          )}
        </Panel>
      </>
    ),
  };
};

const typeOf = ({ headers }: KeptRequest) =>
  headers['x-service-event'] ?? headers['x-pay-event'] ?? 'a request';
