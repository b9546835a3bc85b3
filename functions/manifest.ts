// The settings and network access of each function. It contains only data, because every entry point loads it on startup.
import type { Env, SettingGroup } from '../shared/platform/env.ts';

export interface FunctionNeeds {
  /** The groups of settings that the function reads. It does not receive others. */
  settings: readonly SettingGroup[];
  /** Whether it connects to addresses that are not in its settings, such as webhook URLs. */
  anyDestination?: true;
  /** Whether it connects to the default addresses of payment providers. */
  callsProviders?: true;
  /** Whether it makes DNS queries. */
  resolvesNames?: true;
  /** Whether a deployment works without it. */
  optional?: true;
}

export const manifest = {
  'default-integration': { settings: ['app', 'telemetry', 'database', 'redis', 'address'] },
  payments: {
    settings: [
      'app',
      'telemetry',
      'database',
      'redis',
      'qstash',
      'oauth',
      'storage',
      'sandbox',
      'providers',
      'destinations',
    ],
    callsProviders: true,
    resolvesNames: true,
  },
  oauth: { settings: ['app', 'telemetry', 'database', 'redis', 'oauth', 'auth'] },
  v1: {
    settings: ['app', 'telemetry', 'database', 'redis', 'qstash', 'oauth', 'destinations', 'console'],
    resolvesNames: true,
  },
  mcp: {
    settings: ['app', 'telemetry', 'database', 'redis', 'qstash', 'oauth', 'mcp'],
    optional: true,
  },
  callbacks: {
    settings: [
      'app',
      'telemetry',
      'database',
      'qstash',
      'callbacks',
      'webhooks',
      'destinations',
      'console',
      'mail',
      'storage',
      'sandbox',
      'providers',
      'crms',
    ],
    anyDestination: true,
  },
} as const satisfies Record<string, FunctionNeeds>;

export type FunctionName = keyof typeof manifest;

/** All function names. The cast is needed because `Object.keys` returns `string[]`. */
export const functionNames = Object.keys(manifest) as FunctionName[];

/** The settings that a function reads. */
export type EnvOf<N extends FunctionName> = Env<(typeof manifest)[N]['settings'][number]>;
