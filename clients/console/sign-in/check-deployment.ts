// Checks when the console starts that people can sign in to the deployment.
import { asJson, asTexts } from '../api/json.ts';
import { type AuthApi, AuthRejected } from './auth-api.ts';
import { TOKEN_EXCHANGE } from './exchange.ts';

const TIMEOUT_MS = 15_000;

/** Throws an error that says what to do. */
export async function checkDeployment(auth: AuthApi, functions: string, projectUrl: string): Promise<void> {
  await auth.settings().catch((error: unknown) => {
    if (error instanceof AuthRejected)
      throw new Error(`${projectUrl} rejects the publishable key (${error.status}).`);
    throw new Error(`Supabase Auth at ${projectUrl} does not answer.`);
  });
  const metadata = await fetch(`${functions}/oauth/.well-known/oauth-authorization-server`, {
    signal: AbortSignal.timeout(TIMEOUT_MS),
    redirect: 'manual',
  })
    .then(async (response) => (response.ok ? asJson(await response.json()) : undefined))
    .catch(() => undefined);
  if (!metadata)
    throw new Error(`${functions} does not answer. Check the URL and that the functions are deployed.`);
  if (!asTexts(metadata.grant_types_supported).includes(TOKEN_EXCHANGE))
    throw new Error(`${functions} does not let people sign in. Deploy the current version.`);
}
