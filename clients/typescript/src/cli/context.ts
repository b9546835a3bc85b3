// The context that every command receives.
import type { ClientOptions } from '../core/options.ts';
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
    ...options,
  });
}
