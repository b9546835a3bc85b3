// Schemas of settings, plan, stages, automations and logs in the admin API.
import { z } from 'zod';
import { parseInstantInUrl } from '../platform/instants.ts';
import { jsonObject, optionalEmail, required, text } from '../platform/validation.ts';
import { eventTypes } from '../records/events/event-types.ts';
import { count, dayOrInstant, flag, id, integer, name, oneOf, time } from './fields.ts';

export const settingsChange = z
  .object({
    name: name.optional(),
    time_zone: text({ maxLength: 64, filled: true }).optional().describe('A time zone of the IANA database.'),
    language: oneOf(['en', 'pt-BR']).optional().describe('Language of emails.'),
    owner_email: optionalEmail.describe('Recipient of notices.'),
    nfse_cancellation_hours: integer(1, 8760)
      .nullable()
      .optional()
      .describe(
        'Hours after issuance within which an NFS-e can be canceled. null: until the end of that day.',
      ),
  })
  .meta({ id: 'SettingsChange' });
export const settings = z
  .object({
    id,
    slug: z.string(),
    name: z.string(),
    time_zone: z.string(),
    language: z.enum(['en', 'pt-BR']),
    owner_email: z.string().nullable(),
    nfse_cancellation_hours: z.int().nullable(),
    plan: z.string(),
    environment: z.enum(['production', 'staging']),
    webhook_limits: z.object({ webhooks: z.int().nullable(), webhooks_per_host: z.int().nullable() }),
  })
  .meta({ id: 'Settings' });

const used = z.object({ used: count, max: z.int().nullable().describe('null: no limit.') });
export const plan = z
  .object({
    name: z.string(),
    users: used,
    webhooks: used,
    invitation_mails: used.describe('Invitation emails sent in the last 24 hours.'),
    requests_per_minute: z.int(),
  })
  .meta({ id: 'PlanUse' });
const limit = z.int().nullable();
export const planLimits = z
  .object({
    name: z.string(),
    requests_per_minute: z.int(),
    users: limit,
    webhooks: limit,
    invitation_mails: limit,
  })
  .meta({ id: 'Plan' });

export const newStage = z
  .object({
    name,
    position: integer(-1_000_000, 1_000_000).describe('Stages are sorted by position.'),
    probability: integer(0, 100).describe('Percent.'),
  })
  .meta({ id: 'NewStage' });
export const stageChange = newStage.partial().meta({ id: 'StageChange' });
export const adminStage = z
  .object({ id, name: z.string(), position: z.int(), probability: z.int(), deals: count, created_at: time })
  .meta({ id: 'AdminStage' });

const MAX_RULE_BYTES = 4 * 1024;
const rule = jsonObject(MAX_RULE_BYTES);
const conditions = z
  .array(rule, { error: 'must be an array of conditions' })
  .max(20, { error: 'must have at most 20 items' })
  .describe(
    'All must be met: `field`, a dotted path in the data of the event, `op` (eq, ne, gt, lt, in, contains) and `value`.',
  );
const actions = z
  .array(rule, {
    error: required('must be an array of actions'),
  })
  .min(1, { error: 'must have at least one item' })
  .max(20, { error: 'must have at most 20 items' })
  .describe(
    'In order: `type` add_tag (`tag`), assign_owner (`user`: id or email), move_stage (`stage`: id or name), create_activity ' +
      '(`activity_type`, `description`) or award_points (`points`).',
  );
export const newAutomation = z
  .object({
    name,
    event: oneOf(eventTypes),
    conditions: conditions.optional(),
    actions,
    active: flag.optional(),
  })
  .meta({ id: 'NewAutomation' });
export const automationChange = newAutomation.partial().meta({ id: 'AutomationChange' });
const stored = z.array(z.looseObject({}));
export const automation = z
  .object({
    id,
    name: z.string(),
    event: z.string(),
    conditions: stored,
    actions: stored,
    active: z.boolean(),
    created_at: time,
  })
  .meta({ id: 'Automation' });
export const automationRun = z
  .object({
    id: z.string(),
    event_id: z.string(),
    event: z.string(),
    depth: z.int().describe('Number of automations in the chain that caused the event; 0 if none did.'),
    matched: z.boolean().describe('Whether the conditions were met.'),
    outcome: z.enum(['not_matched', 'done', 'failed']),
    actions: z.array(z.looseObject({})),
    error: z
      .string()
      .nullable()
      .describe(
        'The first condition that was not met and the value it was compared with, or why the actions failed.',
      ),
    created_at: time,
  })
  .meta({ id: 'AutomationRun' });

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
  method: filter,
  path: filter.describe('Prefix of the path, such as `/v1/leads`.'),
  request_id: filter,
  ...pages,
});
const nullable = z.string().nullable();
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
    caller: z.object({ kind: z.enum(['client', 'api_key']), id: z.string(), label: nullable }).nullable(),
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
  actor: filter.describe('Id or name of who made the change: a client, API key, person or role.'),
  subject: filter.describe('What was changed: a kind such as `mission`, an id, or a name.'),
  via: z.enum(['sql', 'api', 'mcp'], { error: 'must be one of sql, api, mcp' }).optional(),
  request_id: filter,
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
