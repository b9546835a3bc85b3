// The operations of a named resource: list, create, get, update and delete.
import type { z } from 'zod';
import { getNamed, listNamed } from '../../../shared/administration/named/reads.ts';
import type { NamedResource } from '../../../shared/administration/named/resource.ts';
import {
  createNamed,
  deleteNamedRecord,
  updateNamedRecord,
} from '../../../shared/administration/named/writes.ts';
import type { Scope } from '../../../shared/platform/access/scopes.ts';
import { type AdminOperation, operation } from './operation.ts';

interface ManagedResource<One extends string, Many extends string> {
  resource: NamedResource;
  path: `/${string}`;
  /** Singular and plural in operation ids. */
  names: readonly [One, Many];
  scopes: { read: readonly Scope[]; write: readonly Scope[] };
  create: z.ZodObject;
  change: z.ZodObject;
  data: z.ZodObject;
}

type Operations<One extends string, Many extends string> = Record<
  `list${Many}` | `create${One}` | `get${One}` | `update${One}` | `delete${One}`,
  AdminOperation
>;

export function managedResource<const One extends string, const Many extends string>({
  resource,
  path,
  names: [one, many],
  scopes,
  create,
  change,
  data,
}: ManagedResource<One, Many>): Operations<One, Many> {
  const { kind } = resource;
  const a = /^[aeiou]/.test(kind) ? 'an' : 'a';
  const record = `${path}/:id` as const;
  const operations = {
    [`list${many}`]: operation({
      method: 'get',
      path,
      scopes: scopes.read,
      summary: `List ${many.toLowerCase()}`,
      form: 'page',
      data,
      run: ({ paging }, context) => listNamed(context, resource, paging),
    }),
    [`create${one}`]: operation({
      method: 'post',
      path,
      scopes: scopes.write,
      summary: `Create ${a} ${kind}`,
      status: 201,
      body: create,
      data,
      versioned: true,
      run: ({ body }, context) => createNamed(context, resource, body),
    }),
    [`get${one}`]: operation({
      method: 'get',
      path: record,
      scopes: scopes.read,
      summary: `Get ${a} ${kind}`,
      data,
      versioned: true,
      run: ({ params }, context) => getNamed(context, resource, params.id),
    }),
    [`update${one}`]: operation({
      method: 'patch',
      path: record,
      scopes: scopes.write,
      summary: `Update ${a} ${kind}`,
      body: change,
      data,
      versioned: true,
      run: ({ params, body, versions }, context) =>
        updateNamedRecord(context, resource, { ref: params.id, versions }, body),
    }),
    [`delete${one}`]: operation({
      method: 'delete',
      path: record,
      scopes: scopes.write,
      summary: `Delete ${a} ${kind}`,
      versioned: true,
      run: ({ params, versions }, context) =>
        deleteNamedRecord(context, resource, { ref: params.id, versions }),
    }),
  };
  // TypeScript cannot infer computed keys.
  return operations as unknown as Operations<One, Many>;
}
