/** Validation of requests, with Wise's errors. Unknown members and filters are errors, because they are mistakes of the adapter. */
import type { Context, Hono } from 'hono';
import { z } from 'zod';
import type { FakeEnvironment } from '../../fakes/fake.ts';
import { type Desk, invalid, refusal, systemError, unauthorized } from './desk.ts';

/** Environment after authentication. */
export type WiseEnvironment = FakeEnvironment & { Variables: { desk: Desk } };
type WiseContext = Context<WiseEnvironment>;
export type WiseApp = Hono<WiseEnvironment>;

/** Details as sent: strings, with a nested `address`. */
export const Details = z.record(z.string(), z.union([z.string(), z.record(z.string(), z.string())]));

/** Flattens details to form keys. */
export function flat(details: z.output<typeof Details>): Record<string, string> {
  const entries = Object.entries(details).flatMap(([name, value]): [string, string][] =>
    typeof value === 'string'
      ? [[name, value]]
      : Object.entries(value).map(([inner, one]) => [`${name}.${inner}`, one]),
  );
  return Object.fromEntries(entries);
}

/** The caller's business profile in the path. */
export function deskIn(c: WiseContext): Desk {
  const desk = c.get('desk');
  if (c.req.param('profile') !== String(desk.business.id)) throw unauthorized();
  return desk;
}

export async function readBody<Schema extends z.ZodType>(
  c: WiseContext,
  schema: Schema,
  contentType = 'application/json',
): Promise<z.output<Schema>> {
  const sent = c.req.header('content-type')?.split(';')[0] ?? '';
  if (sent !== contentType) throw systemError(415, `Content type '${sent}' not supported`);
  const result = schema.safeParse(JSON.parse((await c.req.text()) || '{}'));
  if (result.success) return result.data;
  const errors = result.error.issues.map(({ path, message }) => ({
    code: 'BAD_REQUEST',
    message,
    path: path.join('.'),
  }));
  throw invalid(400, errors);
}

/** The query. */
export function readQuery(c: WiseContext, names: string): Record<string, string> {
  const query = c.req.query();
  const unknown = Object.keys(query).find((name) => !names.split(' ').includes(name));
  if (unknown !== undefined) throw refusal(400, 'BAD_REQUEST', 'is unknown', unknown);
  return query;
}

/** Strong customer authentication (SCA), which only a user can complete. */
export function requireSca({ account }: Desk): void {
  if (account.options.sca !== 'refuse') return;
  throw unauthorized({ 'x-2fa-approval-result': 'REJECTED', 'x-2fa-approval': crypto.randomUUID() });
}
