// Schemas of users' access in the admin API.
import { z } from 'zod';
import { personScopes, presets, recordsScopes } from '../../platform/access/scopes.ts';
import { required } from '../../platform/validation.ts';
import { id, oneOf, time } from '../fields.ts';

const scopes = z
  .array(oneOf([...personScopes, ...recordsScopes]), { error: required('must be an array of scopes') })
  .transform((all) => [...new Set(all)]);

export const accessChange = z
  .object({
    preset: oneOf(presets).optional().describe('The scopes of this preset.'),
    scopes: scopes
      .optional()
      .describe('These scopes, and those of `seller`. Your token must have each of them.'),
  })
  .refine(({ preset, scopes: list }) => (preset === undefined) !== (list === undefined), {
    path: ['preset'],
    error: 'send either preset or scopes',
  })
  .meta({ id: 'AccessChange' });

export const accessFilters = z.object({
  access: oneOf(presets).optional().describe('Only users with exactly the scopes of this preset.'),
});

export const userAccess = z
  .object({
    user_id: id,
    name: z.string(),
    email: z.string(),
    role: z.string(),
    status: z.string(),
    access: z.enum(presets).nullable().describe('The preset with exactly these scopes. null: none has them.'),
    scopes: z.array(z.string()),
    linked: z.boolean().describe('Whether the user is linked to an account of Auth, and so can sign in.'),
    last_active_at: time.nullable(),
  })
  .meta({ id: 'UserAccess' });
