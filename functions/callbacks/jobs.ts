// POST /jobs/<name>: QStash reports that a row of `jobs` is due.
import { type App, addRoute } from '../../shared/platform/http/app.ts';
import type { JobLoaders } from '../../shared/platform/jobs/job.ts';
import type { LaneReference } from '../../shared/platform/jobs/queries.ts';
import { runJob } from '../../shared/platform/jobs/run-job.ts';
import { runLane } from '../../shared/platform/jobs/run-lane.ts';
import { readVerifiedBody } from '../../shared/platform/jobs/verify-qstash.ts';
import { parseJsonObject } from '../../shared/platform/request/body.ts';
import { isUuid } from '../../shared/platform/uuid.ts';
import type { Dependencies } from './app.ts';

const PATH = '/callbacks/jobs/:name';

/** Makes QStash move the message to its dead-letter queue instead of retrying it. */
const NON_RETRYABLE = { status: 489, headers: { 'Upstash-NonRetryable-Error': 'true' } };

export function addJobs(app: App, dependencies: Dependencies, jobs: JobLoaders): void {
  const loaders = new Map(Object.entries(jobs).map(([name, load]) => [name, once(load)]));
  addRoute(app, 'post', PATH, async (c) => {
    const name = c.req.param('name');
    const body = await readVerifiedBody(c, `/callbacks/jobs/${name}`, dependencies);
    const handler = await loaders.get(name)?.();
    const message = parseJsonObject(body);
    const id = idOfMessage(message);
    if (!handler || id === undefined) {
      c.get('log').error('unknown job message', { job: name });
      return Response.json({ error: handler ? 'unknown message' : 'unknown job' }, NON_RETRYABLE);
    }
    const { database, queue } = dependencies;
    const forJob = { database, queue, log: c.get('log') };
    if ('begin' in handler) {
      const outcome = await runLane(handler, laneOf(message) ?? { id }, forJob);
      // 503 makes QStash redeliver the message, because no other worker continues the lane.
      return c.json(outcome, outcome.abandoned ? 503 : 200);
    }
    const ids = [id, ...othersOf(message)];
    const ended = await Promise.allSettled(ids.map((job) => runJob(handler, job, forJob)));
    const outcomes = ended.map((result) => {
      if (result.status === 'rejected') throw result.reason;
      return result.value;
    });
    return c.json({ outcomes });
  });
}

/** The job id in a message; undefined if it has no valid id. */
const idOfMessage = ({ id }: Record<string, unknown>): string | undefined =>
  typeof id === 'string' && isUuid(id) ? id : undefined;

/** Further jobs that the message announces. */
const othersOf = ({ others }: Record<string, unknown>): string[] =>
  Array.isArray(others) ? others.filter((id) => typeof id === 'string' && isUuid(id)) : [];

/** The lane in a message. A message that names only a job is for the lane of that job. */
const laneOf = ({ lane }: Record<string, unknown>): LaneReference | undefined =>
  typeof lane === 'string' ? { lane } : undefined;

/** Loads a handler only once, because its jobs may share state such as connections. */
function once<T>(load: () => Promise<T>): () => Promise<T> {
  let loaded: Promise<T> | undefined;
  return () => {
    loaded ??= load();
    return loaded;
  };
}
