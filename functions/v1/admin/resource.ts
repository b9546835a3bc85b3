// The operations of a named resource: list, create, get, update and delete.
import type { z } from 'zod';
import type { Scope } from '../../../shared/platform/access/scopes.ts';
import { type AdminOperation, operation } from './operation.ts';

interface ManagedResource<One extends string, Many extends string> {
  /** As in `private.managed_kinds`. */
  kind: string;
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
  kind,
  path,
  names: [one, many],
  scopes,
  create,
  change,
  data,
}: ManagedResource<One, Many>): Operations<One, Many> {
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
      call: ({ query }) => ({ name: 'list_records', args: { kind, page: query } }),
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
      call: ({ body, caller }) => ({ name: 'create_record', args: { kind, body, caller } }),
    }),
    [`get${one}`]: operation({
      method: 'get',
      path: record,
      scopes: scopes.read,
      summary: `Get ${a} ${kind}`,
      data,
      versioned: true,
      call: ({ params }) => ({ name: 'read_record', args: { kind, ref: params.id } }),
    }),
    [`update${one}`]: operation({
      method: 'patch',
      path: record,
      scopes: scopes.write,
      summary: `Update ${a} ${kind}`,
      body: change,
      data,
      versioned: true,
      call: ({ params, body, versions, caller }) => ({
        name: 'update_record',
        args: { kind, ref: params.id, body, versions, caller },
      }),
    }),
    [`delete${one}`]: operation({
      method: 'delete',
      path: record,
      scopes: scopes.write,
      summary: `Delete ${a} ${kind}`,
      versioned: true,
      call: ({ params, versions }) => ({ name: 'delete_record', args: { kind, ref: params.id, versions } }),
    }),
  };
  // TypeScript cannot infer computed keys.
  return operations as unknown as Operations<One, Many>;
}
