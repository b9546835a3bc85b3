// Schemas of accounts at CRMs and their mappings in the admin API.
import { z } from 'zod';
import { crms } from '../../connectors/registry.ts';
import { jsonObject, required, text } from '../../platform/validation.ts';
import { count, flag, namedRecord, nullable, oneOf, reference, time } from '../fields.ts';

const MAX_JSON_BYTES = 64 * 1024;
const MAX_ROWS = 5000;
const idInCrm = text({ maxLength: 255, filled: true });

export const crmNames = crms.map(({ name }) => name);
const statuses = ['authorizing', 'connecting', 'active', 'failing', 'paused', 'disconnected'] as const;
const webhookStates = ['missing', 'active', 'by_hand', 'polling'] as const;
const fieldNames = z.record(z.string(), z.string({ error: 'must be the name of a field in the CRM' }), {
  error: 'must be an object of our fields and those of the CRM',
});

export const settings = z
  .strictObject(
    {
      direction: oneOf(['in', 'both'])
        .optional()
        .describe(
          'in (default): the CRM writes to Placar. both: changes in Placar are also sent to the CRM.',
        ),
      conflict: oneOf(['crm', 'placar', 'latest'])
        .optional()
        .describe('The value that counts if both sides changed the same field. Default: crm.'),
      on_delete: oneOf(['keep', 'delete'])
        .optional()
        .describe('What happens here to a record that is deleted in the CRM. Default: keep.'),
      pipelines: z
        .union([z.literal('all'), z.array(idInCrm).min(1)], {
          error: 'must be "all" or an array of ids of pipelines',
        })
        .optional()
        .describe('Pipelines whose deals are read. Default: all.'),
      create_out: flag.optional().describe('Whether new records are created in the CRM. Default: false.'),
      objects: z
        .array(oneOf(['leads', 'deals', 'activities']), { error: 'must be an array' })
        .optional()
        .describe('Kinds of records that are read. Default: all.'),
      fields: z
        .strictObject({ lead: fieldNames.optional(), deal: fieldNames.optional() })
        .optional()
        .describe(
          'Fields of the CRM by our member: `custom_fields.<name>` or `company`; for leads also `phone`, `position` and `source`.',
        ),
    },
    { error: required('must be an object') },
  )
  .meta({ id: 'CrmSettings' });

export const accountInput = z
  .object({
    credentials: jsonObject(MAX_JSON_BYTES).describe(
      'rd_station: `client_id`, `client_secret`, and `refresh_token` if you have one. pipedrive: `domain`, `api_token`. ' +
        'hubspot: `access_token`, `client_secret`, or only `service_key`.',
    ),
    settings: settings.optional().describe('The account keeps its other settings.'),
  })
  .meta({ id: 'CrmAccountInput' });
export const accountChange = z
  .object({ settings: settings.optional().describe('The account keeps its other settings.') })
  .meta({ id: 'CrmAccountChange' });
export const account = z
  .object({
    id: z.string(),
    crm: z.enum(crmNames as [string, ...string[]]),
    status: z
      .enum(statuses)
      .describe(
        'authorizing: a person has to agree in the CRM. connecting: the credentials are being checked. failing: see `reason`.',
      ),
    reason: nullable.describe('Why the account is failing.'),
    settings: z.looseObject({}),
    webhook_state: z
      .enum(webhookStates)
      .describe('by_hand: a person sets the webhooks up. polling: changes are read every minute.'),
    last_event_at: time.nullable(),
    rejected_events: count.describe('Webhooks without a valid proof.'),
    imported_at: time.nullable().describe('When the first import ended. Before, changes are not applied.'),
    last_reconciled_at: time.nullable(),
    waiting_until: time.nullable().describe('The CRM receives no requests until then.'),
    unmapped_stages: count.describe('Stages of the CRM without a stage here.'),
    open_differences: count,
    created_at: time,
    disconnected_at: time.nullable(),
  })
  .meta({ id: 'CrmAccount' });
export const authorization = z
  .object({
    url: z
      .string()
      .optional()
      .describe(
        'Works once within ten minutes. An admin of the CRM opens it and agrees. Only in this response.',
      ),
  })
  .meta({ id: 'CrmAuthorization' });
export const webhookSetup = z.object({ text: z.string() }).meta({ id: 'CrmWebhookSetup' });

export const stageMappingInput = z
  .object({
    stages: z
      .array(z.object({ crm_id: idInCrm, stage: reference.nullable().describe('Id or name.') }), {
        error: required('must be an array'),
      })
      .max(MAX_ROWS)
      .refine(isUnique('crm_id'), { error: 'must have each crm_id only once' })
      .describe(
        'Replaces the mapping. Stages that are not listed, or have null, get the stage of their name.',
      ),
  })
  .meta({ id: 'CrmStageMappingInput' });
export const stageMapping = z
  .object({
    stages: z.array(
      z.object({
        crm_id: z.string(),
        name: z.string(),
        pipeline: z.object({ id: z.string(), name: z.string() }),
        closes: z.enum(['won', 'lost']).nullable().describe('What a deal in this stage is.'),
        present: z.boolean().describe('Whether the CRM still has the stage.'),
        mapped_to: namedRecord.describe('The stage that was chosen.'),
        stage: namedRecord.describe('The stage that deals get: the chosen one, or the one of the same name.'),
      }),
    ),
  })
  .meta({ id: 'CrmStageMapping' });
export const activityMappingInput = z
  .object({
    activity_types: z
      .array(
        z.object({
          crm_type: idInCrm,
          code: z
            .string({ error: required('must be a string') })
            .regex(/^(00[1-9]|0[1-9]\d|[1-9]\d{2})$/, { error: 'must be a code from 001 to 999' })
            .nullable(),
        }),
        { error: required('must be an array') },
      )
      .max(MAX_ROWS)
      .refine(isUnique('crm_type'), { error: 'must have each crm_type only once' })
      .describe('Replaces the mapping. Types that are not listed, or have null, are not read.'),
  })
  .meta({ id: 'CrmActivityMappingInput' });
export const activityMapping = z
  .object({
    activity_types: z.array(
      z.object({
        crm_type: z.string(),
        code: nullable,
        mission: namedRecord.describe('What the code counts for.'),
      }),
    ),
  })
  .meta({ id: 'CrmActivityMapping' });

/** Whether all objects of a list differ in a member. */
function isUnique<K extends string>(member: K) {
  return (rows: readonly Record<K, string>[]): boolean =>
    new Set(rows.map((row) => row[member])).size === rows.length;
}
