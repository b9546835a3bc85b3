// Schemas of the request log and the audit trail in the admin API.
import { z } from 'zod';
import { parseInstantInUrl } from '../../platform/instants.ts';
import { text } from '../../platform/validation.ts';
import { dayOrInstant, nullable, oneOf, time } from '../fields.ts';

const MOMENT =
  'A date, which means midnight in the time zone of the workspace, or a timestamp with an offset.';
const bound = z.string().transform(dayOrInstant(parseInstantInUrl)).optional();
const filter = text({ maxLength: 255 }).optional();
const pages = {
  limit: z
    .string()
    .regex(/^([1-9]|[1-9]\d|1\d\d|200)$/, { error: 'must be an integer from 1 to 200' })
    .transform(Number)
    .optional()
    .describe('Default: 50.'),
  after: text({ maxLength: 500 }).optional().describe('`meta.next_cursor` of the previous page.'),
};

export const requestFilters = z.object({
  from: bound.describe(
    `${MOMENT} Default: 24 hours before \`to\`. At most 31 days before \`to\`, unless \`request_id\` is sent.`,
  ),
  to: bound.describe('Exclusive. Default: now.'),
  status: z
    .string()
    .regex(/^([1-5]\d\d|[45]xx|failed)$/, { error: 'must be a status such as 404, or 4xx, 5xx or failed' })
    .optional()
    .describe('A status such as `404`, or `4xx`, `5xx`, or `failed`: 400 and more.'),
  caller: filter.describe('Id or label of an API key or OAuth client.'),
  reason: filter.describe('As in `reason` of the entries, such as `validation` or `insufficient_scope`.'),
  function: filter.describe(
    'Such as `default-integration` (activity sync), `payments`, `v1`, `oauth` or `mcp`.',
  ),
  method: filter.describe('Such as `POST`.'),
  path: filter.describe('Prefix of the path, such as `/v1/leads`.'),
  request_id: filter.describe('`X-Request-Id` of a request.'),
  ...pages,
});
export const loggedRequest = z
  .object({
    at: time,
    request_id: z.string(),
    function: z.string(),
    method: z.string(),
    path: z.string(),
    status: z.int(),
    reason: nullable,
    fields: z.array(z.string()).describe('Names of the invalid members.'),
    query: z.array(z.string()).describe('Names of the query parameters.'),
    caller: z
      .object({ kind: z.enum(['client', 'api_key', 'person']), id: z.string(), label: nullable })
      .nullable(),
    ip: nullable,
    duration_ms: z.int(),
    requests: z.int().describe('Number of similar requests that the entry stands for.'),
    remedy: nullable.describe('What to do about the failure.'),
  })
  .meta({ id: 'LoggedRequest' });

export const changeFilters = z.object({
  from: bound.describe(`${MOMENT} Default: no limit.`),
  to: bound.describe('Exclusive.'),
  act: z
    .string()
    .regex(/^[a-z_]{1,100}(\.([a-z_]{1,100}|\*))?$/, {
      error: 'must be such as mission.created or mission.*',
    })
    .transform((act) => (act.includes('.') ? act : `${act}.*`))
    .optional()
    .describe(
      'Kind of the subject and what was done, such as `mission.created`; `mission` or `mission.*` for all acts.',
    ),
  actor: filter.describe(
    'Id, or part of the name, of who made the change: a client, API key, person or role.',
  ),
  subject: filter.describe('What was changed: a kind such as `mission`, an id, or part of the name.'),
  via: oneOf(['sql', 'api', 'mcp']).optional().describe('How the change was made.'),
  request_id: filter.describe('`X-Request-Id` of a request.'),
  ...pages,
});
export const change = z
  .object({
    id: z.string(),
    at: time,
    transaction: z.string().describe('The same for all changes of one transaction.'),
    via: z.enum(['sql', 'api', 'mcp']),
    actor: z.object({ kind: z.enum(['client', 'api_key', 'person', 'role']), id: nullable, name: nullable }),
    on_behalf_of: nullable,
    program: nullable,
    act: z.string(),
    subject: z.object({ kind: z.string(), id: nullable, name: nullable }),
    before: z
      .looseObject({})
      .nullable()
      .describe('Values of the changed members before the change. null if the subject was created.'),
    after: z
      .looseObject({})
      .nullable()
      .describe('Values of the changed members after the change. null if the subject was deleted.'),
    reason: nullable,
    summary: z.string(),
    request_id: nullable,
  })
  .meta({ id: 'Change' });
