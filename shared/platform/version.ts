/** The version of this deployment, the same as in package.json. */
export const VERSION = '0.1.0';

/** `git archive` replaces it by the commit: see .gitattributes. */
const ARCHIVED: string = '$Format:%H$';

/** The commit of this deployment. Undefined if it was not deployed by `npm run deploy`. */
export const COMMIT = /^[0-9a-f]{40}$/.test(ARCHIVED) ? ARCHIVED : undefined;

/** The Deno version of the tests, the same as in package.json. The hosted runtime says with which version it is compatible. */
export const TESTED_DENO = '2.1.4';

/** The Deno version of this runtime, such as `2.1.4` or `supabase-edge-runtime-1.69.0 (compatible with Deno v2.1.4)`. */
export function runtimeVersion(): string | undefined {
  const { Deno: deno } = globalThis as { Deno?: { version: { deno: string } } };
  return deno?.version.deno;
}
