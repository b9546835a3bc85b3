// The CRMs of this deployment. Loads no adapter.
import type { Env } from '../platform/env.ts';
import type { CrmDefinition } from './crms/crm.ts';
import { hubspot } from './crms/hubspot/index.ts';
import { pipedrive } from './crms/pipedrive/index.ts';
import { rdStation } from './crms/rd-station/index.ts';

export const crms: readonly CrmDefinition[] = [rdStation, pipedrive, hubspot];

/** The definition of a CRM. Undefined for unknown names. */
export const crmNamed = (name: string): CrmDefinition | undefined => crms.find((crm) => crm.name === name);

/** The addresses from the environment variables, with the vendors' own as defaults. */
export function addressesOf(env: Env<'crms'>): Record<string, string> {
  const defaults = crms.flatMap(({ addresses }) => Object.entries(addresses));
  const given = Object.entries(env).filter(
    (entry): entry is [string, string] =>
      typeof entry[1] === 'string' && defaults.some(([name]) => name === entry[0]),
  );
  return Object.fromEntries([...defaults, ...given]);
}
