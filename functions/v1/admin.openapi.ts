// OpenAPI descriptions of the admin API, made from its operations. Only the generator of the documents loads this file.
import { z } from 'zod';
import type { NamingVariant } from '../../shared/platform/access/context.ts';
import type { Operation } from '../../shared/platform/http/openapi.ts';
import { allOperations } from './admin/all.ts';
import { endpointsOf } from './admin/endpoints.ts';
import { type AdminOperation, PAGE_SORTS } from './admin/operation.ts';
import { type Description, describeAll } from './openapi.ts';
import { paging, parametersIn, searchFilter } from './parameters.openapi.ts';

/** Descriptions of path parameters by name. */
const parameters: Readonly<Record<string, z.ZodType>> = {
  id: z.string().max(255).describe('Id or name, percent-encoded.'),
  code: z.string().max(64).describe('The code.'),
  account_id: z
    .string()
    .max(64)
    .describe('Id of the account; to connect one, the name of the provider or CRM.'),
  player_id: z.uuid().describe('`user_id` or `collaborator_id`.'),
  payout_id: z.string().max(64),
  webhook_id: z.uuid(),
  delivery_id: z.string().max(64),
  replay_id: z.uuid(),
  client_id: z.string().max(255).describe('Client id or label, percent-encoded.'),
  request_id: z.string().max(128).describe('`X-Request-Id` of the request.'),
  change_id: z.string().max(20),
};

function queryOf(
  { form, sorts = PAGE_SORTS, searchable = true, query }: AdminOperation,
  variant: NamingVariant,
): z.ZodObject | undefined {
  const pages = form === 'page' && {
    ...paging(variant, [...sorts]),
    ...(searchable && { search: searchFilter }),
  };
  const all = { ...pages, ...query?.shape };
  return Object.keys(all).length > 0 ? z.object(all) : undefined;
}

function descriptionOf(it: AdminOperation, variant: NamingVariant): Description {
  const { method, path, form = 'record', data, body, versioned, status } = it;
  const writes = method !== 'get';
  const params = parametersIn(path, parameters, z.string());
  const isPut = method === 'put' && status === 201;
  const query = queryOf(it, variant);
  return {
    summary: it.summary,
    ...(it.description && { description: it.description }),
    tag: path.startsWith('/crm-accounts') ? 'CRM accounts' : 'Administration',
    params,
    ...(query && { query }),
    ...(body && { body }),
    ...(status && !isPut && { status }),
    ...(data && { data: form === 'record' ? data : z.array(data) }),
    list: form === 'log' ? 'log' : form === 'record' && writes ? 'act' : undefined,
    ...(isPut && { createdStatus: 201 }),
    ...(versioned && {
      entityTag:
        versioned === 'demanded' || !data
          ? 'demanded'
          : method === 'post' && Object.keys(params).length === 0
            ? 'shown'
            : 'conditional',
    }),
    failures: writes ? [409, 422] : [],
  };
}

/** The operations are described but never called. */
export const UNUSED = { destinations: { allowInsecure: false, resolve: async () => [] }, functionsUrl: '' };

/** Descriptions by the name of the operation. */
export function adminDescriptions(variant: NamingVariant): Readonly<Record<string, Operation>> {
  const operations = allOperations(UNUSED);
  const descriptions = Object.entries<object>(operations).map(([name, it]) => [
    name,
    descriptionOf(it as AdminOperation, variant),
  ]);
  return describeAll(variant, endpointsOf(operations), Object.fromEntries(descriptions));
}
