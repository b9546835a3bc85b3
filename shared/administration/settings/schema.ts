// Schemas of settings and plans in the admin API.
import { z } from 'zod';
import { optionalEmail, text } from '../../platform/validation.ts';
import { count, flag, id, integer, name, oneOf } from '../fields.ts';

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
    sign_in: flag
      .optional()
      .describe('Whether users may sign in. Off ends their tokens. Also requires `manage:access`.'),
    require_mfa: flag
      .optional()
      .describe('Whether signing in needs a second factor. Also requires `manage:access`.'),
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
    sign_in: z.boolean(),
    require_mfa: z.boolean(),
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
