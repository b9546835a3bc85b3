// One request of a careful client, and whether the response says that the request had an effect.
import { setTimeout as pause } from 'node:timers/promises';
import { signRequest } from '../../../shared/platform/access/api-keys.ts';
import type { Json } from '../../support/gamification/sync.ts';
import type { Random } from './random.ts';
import type { RunState } from './run-state.ts';

export interface Answer {
  /** The address of the request. */
  functionsUrl: string;
  status: number;
  headers: Headers;
  body: Json;
}

/** `clear`: this is the outcome. `nothing`: the service reports no effect. `unclear`: the request may have had an effect. */
export type Said = { kind: 'clear'; answer: Answer } | { kind: 'nothing' } | { kind: 'unclear'; why: string };

export interface Request {
  door: 'sync' | 'payments' | 'records' | 'oauth';
  method: string;
  /** Starts with the function's name. */
  target: string;
  body?: unknown;
  headers: Record<string, string>;
}

const CLIENT_TIMEOUT_MS = 25_000;
/** Codes which mean that the key's first request is still running. */
const IN_USE = 'idempotency_key_in_use';
const MOVED = 421;

export interface Caller {
  /** The address for requests: the new one after a response has reported the tenant's move. */
  readonly functionsUrl: string;
  send(request: Request): Promise<Said>;
}

export function createCaller(functionsUrl: string, state: RunState): Caller {
  const caller = {
    functionsUrl,
    async send({ door, method, target, body, headers }: Request): Promise<Said> {
      const say = (what: string) => state.count(state.answers, `${door} ${what}`);
      let answer: Answer;
      const { functionsUrl } = caller;
      try {
        const response = await fetch(`${functionsUrl}${target}`, {
          method,
          headers: { ...(body !== undefined && { 'Content-Type': 'application/json' }), ...headers },
          ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
          signal: AbortSignal.timeout(CLIENT_TIMEOUT_MS),
        });
        const text = await response.text();
        answer = {
          functionsUrl,
          status: response.status,
          headers: response.headers,
          body: text ? JSON.parse(text) : undefined,
        };
      } catch (error) {
        if (error instanceof SyntaxError) state.wrong(`${method} ${target}: an answer that is no JSON`);
        say('no answer');
        return { kind: 'unclear', why: String(error) };
      }
      const said = read(answer);
      say(said.kind === 'clear' ? String(answer.status) : `${answer.status} (${said.kind})`);
      state.check(answer.status !== 500, () => `${method} ${target}: 500 ${JSON.stringify(answer.body)}`);
      if (answer.status === MOVED)
        caller.functionsUrl = answer.body?.error?.moved_to ?? answer.body?.moved_to;
      return said;
    },
  };
  return caller;
}

function read(answer: Answer): Said {
  const { status, body } = answer;
  const text: string = body?.error?.message ?? body?.detail ?? body?.message ?? '';
  if (status === MOVED) return { kind: 'nothing' };
  if (status === 409 && body?.code === IN_USE) return { kind: 'unclear', why: 'in use' };
  if (status < 500 && status !== 429 && status !== 408) return { kind: 'clear', answer };
  if (status === 503 && (body?.error?.effect ?? body?.effect) === 'none') return { kind: 'nothing' };
  return { kind: 'unclear', why: `${status} ${text}` };
}

/** The result of a request with its retries. */
export interface Outcome {
  /** Absent if the client gave up. */
  answer?: Answer;
  /** Attempts that may have had an effect in addition to the answered one. */
  unclear: number;
  /** Attempts whose response reported no effect. */
  nothing: number;
}

/** Retries until the response is clear. After each attempt, it gives up with the probability `givesUp`. */
export async function sendUntilClear(
  caller: Caller,
  make: () => Request | Promise<Request>,
  random: Random,
  givesUp: number,
): Promise<Outcome> {
  let unclear = 0;
  let nothing = 0;
  for (;;) {
    const said = await caller.send(await make());
    if (said.kind === 'clear') return { answer: said.answer, unclear, nothing };
    if (said.kind === 'nothing') nothing++;
    else unclear++;
    if (random.chance(givesUp)) return { unclear, nothing };
    await pause(said.kind === 'unclear' && said.why === 'in use' ? 500 : random.between(100, 400));
  }
}

/** Headers with an API key: usually signed, sometimes only the key. */
export function signed(
  apiKey: string,
  method: string,
  target: string,
  body: string | undefined,
): Record<string, string> {
  const timestamp = String(Math.floor(Date.now() / 1000));
  const bytes = new TextEncoder().encode(body ?? '');
  const signature = signRequest(apiKey, { timestamp, method, target, body: bytes });
  return { Authorization: `SVC-SIGN-V1 ${apiKey}:${timestamp}:${signature}` };
}
