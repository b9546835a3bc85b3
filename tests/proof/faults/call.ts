// One request as a careful client sends it, and what its answer says of what was done.
import { setTimeout as pause } from 'node:timers/promises';
import { signRequest } from '../../../shared/platform/access/signature.ts';
import type { Json } from '../../support/gamification/sync.ts';
import type { Random } from './random.ts';
import type { RunState } from './run-state.ts';

export interface Answer {
  /** Where the request went. */
  functionsUrl: string;
  status: number;
  headers: Headers;
  body: Json;
}

/** `clear`: this is the outcome. `nothing`: the service says that nothing was done. `unclear`: anything may have been. */
export type Said = { kind: 'clear'; answer: Answer } | { kind: 'nothing' } | { kind: 'unclear'; why: string };

export interface Request {
  door: 'sync' | 'payments' | 'records' | 'oauth';
  method: string;
  /** From the function's name on. */
  target: string;
  body?: unknown;
  headers: Record<string, string>;
}

const CLIENT_TIMEOUT_MS = 25_000;
/** What says that the key's first request still runs. */
const IN_USE = 'idempotency_key_in_use';
const MOVED = 421;

export interface Caller {
  /** Where its requests go; the new address once it was told that the tenant was moved. */
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

/** How an exchange with repetitions went. */
export interface Outcome {
  /** Absent when the client gave up. */
  answer?: Answer;
  /** Attempts that may have done something beside the answered one. */
  unclear: number;
  /** Attempts of which it was said that they did nothing. */
  nothing: number;
}

/** Sends until the answer is clear; now and then it gives up before, with the probability `givesUp` after each attempt. */
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

/** Headers of an API key: signed, or now and then the key alone. */
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
