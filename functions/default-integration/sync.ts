// POST /: one endpoint, two actions.
import { syncActivities } from '../../shared/activity/activities/sync.ts';
import { syncCollaborators } from '../../shared/activity/collaborators/sync.ts';
import { MAX_ACTIVITIES, MAX_COLLABORATORS } from '../../shared/activity/schemas.ts';
import { ApiError } from '../../shared/platform/errors.ts';
import type { CallerRequest, Endpoint } from '../../shared/platform/http/app.ts';
import { metaOf } from '../../shared/platform/http/error-responses.ts';

/** What each action takes, and the operation that does it. */
const actions = {
  sync_collaborators: { member: 'collaborators', max: MAX_COLLABORATORS, run: syncCollaborators },
  sync_activities: { member: 'activities', max: MAX_ACTIVITIES, run: syncActivities },
} as const;

export const sync: Endpoint = {
  method: 'post',
  path: '',
  scope: 'default:sync',
  successStatus: 200,
  body: 'required',
  docs: async () => (await import('./sync.openapi.ts')).syncDocs,
  async handle({ context, call, json }: CallerRequest) {
    const { member, max, run } = actionOf(json.action);
    const data = await run(context, itemsOf(json[member], member, max));
    return { status: 200, body: { data, meta: metaOf(call.requestId) } };
  },
};

function actionOf(name: unknown): (typeof actions)[keyof typeof actions] {
  if (name === 'sync_collaborators' || name === 'sync_activities') return actions[name];
  const message = `${name === undefined ? 'is required' : 'is unknown'}: send sync_collaborators or sync_activities`;
  throw new ApiError('validation', 'The action is missing or unknown.', {
    details: [{ field: 'action', message }],
  });
}

function itemsOf(value: unknown, member: string, max: number): unknown[] {
  if (Array.isArray(value) && value.length <= max) return value;
  const fault = Array.isArray(value) ? `must have at most ${max} items` : 'must be an array';
  const message = value === undefined ? 'is required' : fault;
  throw new ApiError('validation', `The member ${member} is missing or invalid.`, {
    details: [{ field: member, message }],
  });
}
