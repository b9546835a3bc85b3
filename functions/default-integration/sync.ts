// POST /: one endpoint with two actions, `sync_collaborators` and `sync_activities`.
import type { Context } from '../../shared/platform/access/context.ts';
import { ApiError } from '../../shared/platform/errors.ts';
import { type Endpoints, endpoint } from '../../shared/platform/http/endpoint.ts';
import { metaOf } from '../../shared/platform/request/error-formats.ts';

/** For each action, the field that contains its items, and a function that loads its code with the first request. */
const actions = {
  sync_collaborators: { member: 'collaborators', load: loadCollaborators },
  sync_activities: { member: 'activities', load: loadActivities },
} as const;

async function loadCollaborators() {
  const { MAX_COLLABORATORS, parseCollaborators, syncCollaborators } = await import(
    '../../shared/activity/collaborators.ts'
  );
  const run = (context: Context, items: unknown[]) => syncCollaborators(context, parseCollaborators(items));
  return { max: MAX_COLLABORATORS, run };
}

async function loadActivities() {
  const { MAX_ACTIVITIES, parseActivities, syncActivities } = await import(
    '../../shared/activity/activities.ts'
  );
  const run = (context: Context, items: unknown[]) => syncActivities(context, parseActivities(items));
  return { max: MAX_ACTIVITIES, run };
}

export const syncEndpoints = {
  syncBatch: endpoint({
    method: 'post',
    path: '',
    scopes: ['default:sync'],
    body: 'required',
    idempotencyKeyOwner: () => ({ scope: 'activity-sync', others: [] }),
    async handle({ context, requestContext, json }) {
      const { member, load } = actionOf(json.action);
      const { max, run } = await load();
      const data = await run(context(200), itemsOf(json[member], member, max));
      return { status: 200, body: { data, meta: metaOf(requestContext.requestId) } };
    },
  }),
} satisfies Endpoints;

function actionOf(name: unknown): (typeof actions)[keyof typeof actions] {
  if (name === 'sync_collaborators' || name === 'sync_activities') return actions[name];
  const message =
    name === undefined
      ? 'is required: sync_collaborators or sync_activities'
      : 'must be sync_collaborators or sync_activities';
  throw new ApiError('validation', 'The action is missing or unknown.', {
    details: [{ field: 'action', message }],
  });
}

function itemsOf(value: unknown, member: string, max: number): unknown[] {
  if (Array.isArray(value) && value.length <= max) return value;
  const fault = Array.isArray(value) ? `must have at most ${max} items` : 'must be an array';
  const message = value === undefined ? 'is required' : fault;
  throw new ApiError('validation', `The field ${member} is missing or invalid.`, {
    details: [{ field: member, message }],
  });
}
