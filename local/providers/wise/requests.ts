/** Request validation as strict as that of Wise, and versioned routes. */
import type { Context, MiddlewareHandler } from 'hono';
import { Hono } from 'hono';
import type { z } from 'zod';
import type { ProviderEnvironment } from '../old/provider-server.ts';
import { type ErrorItem, forbidden, invalid, refusal, systemError } from './errors.ts';
import type { Account, Profile } from './state.ts';

/** Environment after authentication, with the account. */
export type WiseEnvironment = ProviderEnvironment & { Variables: { account: Account } };
export type WiseContext = Context<WiseEnvironment>;
type Handler = (c: WiseContext) => Response | Promise<Response>;

/** Supported API quarters. Later ones return 404 until they begin. */
const QUARTERS = ['2026Q3', '2026Q4'];

/** Registers operations by method, older versions and path. */
export class WiseRoutes {
  readonly app = new Hono<WiseEnvironment>();
  readonly #access: MiddlewareHandler<WiseEnvironment>;

  constructor(access: MiddlewareHandler<WiseEnvironment>) {
    this.#access = access;
  }

  /** @param versions older versions such as `v1`, in addition to the quarters */
  on(method: string, versions: readonly string[], path: string, handler: Handler): void {
    const paths = [...QUARTERS, ...versions].map((version) => `/${version}${path}`);
    this.app.on(method, paths, this.#access, handler);
  }
}

/** Whether the request uses an older version of the path. */
export const isVersion = (c: WiseContext, version: string): boolean => c.req.path.startsWith(`/${version}/`);

/** A numeric path parameter. */
export function numberIn(c: WiseContext, name: string): number {
  const text = c.req.param(name) ?? '';
  if (!/^\d{1,15}$/.test(text)) throw refusal(400, 'bad.request', `'${name}' should be a valid 'Long'`);
  return Number(text);
}

/** The caller's profile in the path. */
export function profileIn(c: WiseContext): Profile {
  const id = numberIn(c, 'profile');
  const profile = c.get('account').profiles.find((candidate) => candidate.id === id);
  if (profile === undefined) throw forbidden();
  return profile;
}

/** Validates the body. Drops unknown members. Throws a 400 that names each invalid member. */
export async function readBody<Schema extends z.ZodType>(
  c: WiseContext,
  schema: Schema,
  contentType = 'application/json',
): Promise<z.output<Schema>> {
  const text = await c.req.text();
  const sent = c.req.header('content-type') ?? '';
  if (text !== '' && sent.split(';')[0]?.trim().toLowerCase() !== contentType) {
    throw systemError(415, `Content type '${sent}' not supported`, c.req.path);
  }
  let body: unknown;
  try {
    body = text === '' ? {} : JSON.parse(text);
  } catch {
    throw refusal(400, 'BAD_REQUEST', 'JSON parse error');
  }
  return check(schema, body);
}

export function check<Schema extends z.ZodType>(schema: Schema, body: unknown): z.output<Schema> {
  const result = schema.safeParse(body, { reportInput: true });
  if (result.success) return result.data;
  throw invalid(400, result.error.issues.map(errorOf));
}

function errorOf({ path, message, input, code }: z.core.$ZodIssue): ErrorItem {
  const member = path.join('.');
  // Rules with their own code put it before the message: see `ruled`.
  const [own, words] = code === 'custom' ? message.split('|') : [];
  if (own !== undefined && words !== undefined) return { code: own, message: words, path: member };
  return input === undefined
    ? { code: 'NotNull', message: 'must not be null', path: member }
    : { code: 'BAD_REQUEST', message, path: member };
}

/** The message of a rule with its own code. */
export const ruled = (code: string, message: string): string => `${code}|${message}`;

/** A point in time in the query; undefined if absent. */
export function readTime(c: WiseContext, name: string): number | undefined {
  const text = c.req.query(name);
  if (text === undefined || text === '') return undefined;
  const timeMs = /^\d{4}-\d{2}-\d{2}/.test(text) ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(timeMs)) throw refusal(400, 'BAD_REQUEST', `${name} is not a date`, name);
  return timeMs;
}

/** An integer in the query. */
export function readCount(c: WiseContext, name: string, fallback: number): number {
  const text = c.req.query(name);
  if (text === undefined || text === '') return fallback;
  if (!/^\d{1,15}$/.test(text)) throw refusal(400, 'BAD_REQUEST', `${name} is not a number`, name);
  return Number(text);
}
