// The last line of a deployment that did not succeed: which version runs, and how to continue.
import { StartError } from '../../local/start-error.ts';
import type { Deployment } from './deployment.ts';
import type { Release } from './release.ts';

/** The command that deploys the functions of an earlier version. */
export const rollbackCommand = ({ envFile }: Deployment, { name }: Release): string =>
  `npm run deploy -- --env-file ${envFile} --rollback --tag ${name}`;

/** The functions are ready, but `placar doctor` could not say whether they work. */
export function runsUnexamined(
  deployment: Deployment,
  { name }: Release,
  previous: Release | undefined,
): string {
  const back = previous
    ? ` Nothing was rolled back. To go back: ${rollbackCommand(deployment, previous)}`
    : '';
  return `${name} runs, and its functions are ready. See above for what placar doctor reports, and run it: npx placar doctor --env-file ${deployment.envFile}.${back}`;
}

/** Step 4 or 5 failed, and no version is known to go back to. `failed`: the functions that could not be deployed, `callbacks` first. */
export function staysWithoutPrevious(
  { ref, functions: [first] }: Release,
  failed: readonly string[] | undefined,
): string {
  if (!failed)
    return `${ref} does not work, and there is no previous version: its functions and migrations stay.`;
  const others = failed.includes(first ?? '')
    ? 'The functions were not deployed: those that ran before still run'
    : `Only ${first} was deployed for certain: the other functions may still be those that ran before`;
  return `${others}. The migrations of ${ref} stay. Correct what the Supabase CLI reports, and run this again.`;
}

/** Rethrows why the migrations failed, with what runs. */
export function failBeforeFunctions(error: unknown): never {
  if (!(error instanceof StartError)) throw error;
  throw new StartError(`${error.message} The functions were not deployed: those that ran before still run.`);
}
