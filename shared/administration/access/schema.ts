// Schemas of API keys, OAuth clients and persons in the admin API.
import { z } from 'zod';
import { namingVariants } from '../../platform/access/context.ts';
import { apiKeyScopes, recordsScopes } from '../../platform/access/scopes.ts';
import { email, required, text } from '../../platform/validation.ts';
import { id, integer, moment, name, oneOf, reference, time } from '../fields.ts';

const scopesOf = <const T extends readonly [string, ...string[]]>(known: T) =>
  z
    .array(oneOf(known), {
      error: required('must be an array of scopes'),
    })
    .min(1, { error: 'must have at least one item' })
    .transform((scopes) => [...new Set(scopes)]);

const keyMembers = {
  label: name,
  scopes: scopesOf(apiKeyScopes).describe('Your token must have the corresponding scope for each.'),
  requests_per_hour: integer(1, 10_000_000).optional().describe('Default: 1000.'),
  ip_allowlist: z
    .array(text({ maxLength: 50, filled: true }), { error: 'must be an array of IP addresses or networks' })
    .max(100, { error: 'must have at most 100 items' })
    .optional()
    .describe('Addresses or networks that may use the key. Default: any.'),
  expires_at: moment.nullable().optional(),
};
export const newApiKey = z.object(keyMembers).meta({ id: 'NewApiKey' });
export const apiKeyChange = newApiKey.partial().meta({ id: 'ApiKeyChange' });
const state = z.enum(['active', 'expired', 'revoked']);
export const apiKey = z
  .object({
    id,
    label: z.string(),
    key_start: z.string().describe('The first characters of the key.'),
    scopes: z.array(z.string()),
    requests_per_hour: z.int(),
    ip_allowlist: z.array(z.string()),
    expires_at: time.nullable(),
    state,
    last_used_at: time.nullable(),
    created_at: time,
  })
  .meta({ id: 'ApiKey' });
export const apiKeyWithSecret = apiKey
  .extend({ api_key: z.string().optional().describe('The key. Only in this response; copy it.') })
  .meta({ id: 'ApiKeyWithSecret' });

const clientMembers = {
  label: name,
  scopes: scopesOf(recordsScopes).describe('Your token must have each of these scopes.'),
  variant: oneOf(namingVariants).optional().describe('Naming variant. Default: a.'),
  user: reference.nullable().optional().describe('Id or email address of the user that the client acts as.'),
};
export const newClient = z.object(clientMembers).meta({ id: 'NewClient' });
export const clientChange = newClient.partial().meta({ id: 'ClientChange' });
export const client = z
  .object({
    client_id: z.string(),
    label: z.string(),
    scopes: z.array(z.string()),
    variant: z.enum(namingVariants),
    user: z.object({ id, email: z.string() }).nullable(),
    state: z.enum(['active', 'revoked']),
    created_at: time,
  })
  .meta({ id: 'Client' });
export const clientWithSecret = client
  .extend({ client_secret: z.string().optional().describe('The secret. Only in this response; copy it.') })
  .meta({ id: 'ClientWithSecret' });

export const person = z.object({ email }).meta({ id: 'PersonRequest' });
export const erasure = z
  .object({ email, confirm: email.describe('Must repeat `email`, to confirm the erasure.') })
  .refine(({ email: given, confirm }) => given === confirm, {
    path: ['confirm'],
    error: 'must be the same as email',
  })
  .meta({ id: 'ErasureRequest' });
export const personData = z.looseObject({}).meta({ id: 'PersonData' });
