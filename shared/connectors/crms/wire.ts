// Schemas of what responses of CRMs have in common. Vendors leave members out, or send null or an empty text, if there is no value.
import { z } from 'zod';
import type { CrmUser } from './crm.ts';

/** Null if it is left out. */
export const optional = <T>(schema: z.ZodType<T>) => schema.nullish().transform((value) => value ?? null);

/** Empty if it is left out. */
export const listOf = <T>(item: z.ZodType<T>) => optional(z.array(item)).transform((items) => items ?? []);

/** Numbers become texts. */
export const id = z.union([z.int(), z.string().min(1)]).transform(String);
export const optionalId = optional(id);

/** Trimmed; null if it is empty. */
export const text = optional(z.string()).transform((value) => value?.trim() || null);

/** Also of numbers that are sent as text. */
export const amount = optional(
  z.union([
    z.number(),
    z
      .string()
      .regex(/^\s*-?\d+(\.\d+)?\s*$/)
      .transform(Number),
  ]),
);

/** ISO 8601 in UTC with milliseconds. Times without a time zone are UTC. */
export const time = z
  .string()
  .transform((value) => value.trim().replace(' ', 'T'))
  .transform((value) => new Date(/(?:Z|[+-]\d\d:?\d\d)$/i.test(value) ? value : `${value}Z`))
  .refine((date) => !Number.isNaN(date.getTime()))
  .transform((date) => date.toISOString());
export const optionalTime = optional(time);

export const customFields = optional(z.record(z.string(), z.unknown())).transform((fields) => fields ?? {});

export const named = z.object({ id, name: text });
export const userSchema = named.extend({ email: text });

/** Those who have an address, in lower case. */
export const usersWithAddress = (users: readonly z.output<typeof userSchema>[]): CrmUser[] =>
  users.flatMap(({ id, name, email }) => (email ? [{ id, name, email: email.toLowerCase() }] : []));
