// The context that every command receives.
import type { ClientOptions } from '../core/options.ts';
import { ConnectionError } from '../errors.ts';
import { Placar } from '../index.ts';
import type { Variant } from '../records.ts';
import type { Output } from './output.ts';
import { required, type SettingName, type Settings } from './settings.ts';

export interface Context {
  out: Output;
  settings: Settings;
  /** Aborts on the first Ctrl-C. */
  signal: AbortSignal;
}

/** The client of the deployment. Throws a usage error that names missing settings. */
export function placarOf(
  { settings }: Context,
  needs: readonly SettingName[],
  what: string,
  options: Partial<ClientOptions> = {},
): Placar {
  const { url } = required(settings, ['url', ...needs], what);
  const { apiKey, clientId, clientSecret, variant } = settings;
  const client = clientId && clientSecret ? { clientId, clientSecret } : {};
  return new Placar({
    url,
    apiKey,
    ...client,
    // The client rejects unknown variants.
    ...(variant !== undefined && { variant: variant.toLowerCase() as Variant }),
    fetch: fetchOrReportUnreachable(),
    ...options,
  });
}

const UNREACHABLE = ['ECONNREFUSED', 'ENOTFOUND'];

/** A `fetch` without retries until something has responded: a stopped stack or a wrong URL is reported immediately. */
function fetchOrReportUnreachable(): typeof fetch {
  let isReached = false;
  return async (input, init) => {
    try {
      const response = await fetch(input, init);
      isReached = true;
      return response;
    } catch (error) {
      const { code = '' } = ((error as Error).cause ?? {}) as { code?: string };
      if (isReached || !UNREACHABLE.includes(code)) throw error;
      const { origin } = new URL(input instanceof Request ? input.url : input);
      throw new ConnectionError(
        `Nothing responds at ${origin} (${code}). Check the URL. For a local stack, run npm start.`,
        { code: 'connection_failed' },
      );
    }
  };
}
