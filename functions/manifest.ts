// What each function is deployed with. Data alone: every entry point loads it at its start.
import type { Env, SettingGroup } from '../shared/platform/env.ts';

export interface FunctionNeeds {
  /** The groups of settings that it reads; it is given no others. */
  settings: readonly SettingGroup[];
  /** It connects to addresses that no setting names, such as webhooks'. */
  anyDestination?: true;
  /** It connects to payment providers, wherever they answer by default. */
  asksProviders?: true;
  /** It asks the name servers. */
  resolvesNames?: true;
}

export const manifest = {
  'default-integration': { settings: ['app', 'database', 'redis', 'address'] },
  payments: {
    settings: ['app', 'database', 'redis', 'qstash', 'storage', 'sandbox', 'providers', 'destinations'],
    asksProviders: true,
    resolvesNames: true,
  },
  oauth: { settings: ['app', 'database', 'redis', 'oauth'] },
  v1: {
    settings: ['app', 'database', 'redis', 'qstash', 'oauth', 'destinations'],
    resolvesNames: true,
  },
  callbacks: {
    settings: [
      'app',
      'database',
      'qstash',
      'callbacks',
      'webhooks',
      'destinations',
      'mail',
      'storage',
      'sandbox',
      'providers',
    ],
    anyDestination: true,
  },
} as const satisfies Record<string, FunctionNeeds>;

export type FunctionName = keyof typeof manifest;

/** `Object.keys` forgets which names there are. */
export const functionNames = Object.keys(manifest) as FunctionName[];

/** The settings that a function reads. */
export type EnvOf<N extends FunctionName> = Env<(typeof manifest)[N]['settings'][number]>;
