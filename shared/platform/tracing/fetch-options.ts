import { traceHeaders } from './scope.ts';

/** The method of a `fetch`, and its headers with the one that continues the trace. For libraries that call a given `fetch`. */
export function traceFetch(init: object | undefined): { method: string; headers: Headers } {
  // With Node's types loaded, Deno's type of `init` has no members.
  const { method = 'GET', headers: given } = { ...init } as { method?: string; headers?: HeadersInit };
  const headers = new Headers(given);
  for (const [name, value] of Object.entries(traceHeaders())) headers.set(name, value);
  return { method, headers };
}
