// One delivery with its attempts, and the inbox.

import type { FC } from 'hono/jsx';
import { number } from '../../../clients/console/kit/format.ts';
import { Action } from '../../../clients/console/kit/forms.tsx';
import { t } from '../../../clients/console/kit/language.ts';
import {
  Badge,
  Code,
  Due,
  Empty,
  Facts,
  Json,
  Panel,
  Status,
  Time,
} from '../../../clients/console/kit/small.tsx';
import { parseJson, toJson } from '../../../clients/typescript/src/core/json.ts';
import type { RecordedRequest } from '../../emulators/inbox.ts';
import type { Page } from '../view.ts';
import { type AttemptRow, readAttempts, readDeliveries, readEvent } from './queries.ts';

export const delivery: Page = async (view) => {
  const id = view.param('id');
  const [[row], attempts] = await Promise.all([readDeliveries(view, { id }), readAttempts(view, id)]);
  if (!row) return undefined;
  const event = await readEvent(view, row.event_id);
  const received = view.inbox.newestFirst().filter(({ headers }) => headers['webhook-id'] === id);
  return {
    title: row.type,
    lead: <a href="/events/deliveries">{t('All deliveries')}</a>,
    actions: row.active && (
      <Action action={`/events/deliveries/${id}/replay`} kind="primary">
        {t('Replay')}
      </Action>
    ),
    body: (
      <>
        <Panel title={t('Delivery')} live="delivery">
          <Facts
            of={[
              [t('Status'), <Badge of={row.status} />],
              [t('Endpoint'), <span class="path">{row.url}</span>],
              [t('Attempts'), number(row.attempts)],
              [t('Next attempt'), row.next_at && <Due at={row.next_at} now={view.now} />],
              [t('Event'), <a href={`/events/${row.event_id}`}>{row.event_id}</a>],
              [t('Delivery id'), <code>{row.id}</code>],
            ]}
          />
        </Panel>
        <Panel title={t('Attempts')} live="attempts">
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
            <Empty title={t('Not sent yet')}>{t('The first attempt is pending.')}</Empty>
          )}
        </Panel>
        {event && received.length === 0 && (
          <Panel title={t('Event data as stored')}>
            <p class="panel-text muted">
              {t('The receiver is outside this stack, so the exact request is not recorded.')}{' '}
              {t('Each attempt sends the event with this data, in the format of the interface.')}
            </p>
            <Json label={t('event data')} of={event.data} />
          </Panel>
        )}
      </>
    ),
  };
};

/** Whether this attempt sent the request that arrived at that time. */
function isOf({ at, response_ms: tookMs }: AttemptRow, arrivedAt: string): boolean {
  const distanceMs = Math.abs(at.getTime() - new Date(arrivedAt).getTime());
  return distanceMs <= tookMs + 1000;
}

interface AttemptProps {
  of: AttemptRow;
  number: number;
  now: Date;
  sent: RecordedRequest | undefined;
}

const Attempt: FC<AttemptProps> = ({ of: attempt, number: count, now, sent }) => (
  <li data-key={attempt.id}>
    <div class="attempt-head">
      <strong>{t('Attempt {number}', { number: number(count) })}</strong>
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
          <h3>{t('Sent')}</h3>
          <Code label={t('request of attempt {number}', { number: number(count) })}>{asSent(sent)}</Code>
        </div>
      )}
      <div>
        <h3>{t('Received')}</h3>
        {attempt.response_excerpt ? (
          <Code label={t('response to attempt {number}', { number: number(count) })}>
            {attempt.response_excerpt}
          </Code>
        ) : (
          <p class="muted">{t('Empty.')}</p>
        )}
      </div>
    </div>
  </li>
);

/** The raw request, with indented JSON. */
export function asSent({ path, headers, body }: RecordedRequest): string {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  return [`POST ${path}`, ...lines, '', pretty(body)].join('\n');
}

function pretty(body: string): string {
  try {
    return toJson(parseJson(body), 2);
  } catch {
    return body;
  }
}

export const inbox: Page = async (view) => {
  const kept = view.inbox.newestFirst().slice(0, 100);
  return {
    title: t('Inbox'),
    lead: t('Requests received by the inbox of this stack, for all tenants.'),
    body: (
      <>
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
                    <Code label={t('request to {path}', { path: one.path })}>{asSent(one)}</Code>
                  </details>
                </li>
              ))}
            </ul>
          ) : (
            <Empty title={t('The inbox is empty')}>
              {t('Requests to this URL appear here:')} <code>{view.url}/inbox/anything</code>
            </Empty>
          )}
        </Panel>
      </>
    ),
  };
};

const typeOf = ({ headers }: RecordedRequest) =>
  headers['x-service-event'] ?? headers['x-pay-event'] ?? t('Request');
