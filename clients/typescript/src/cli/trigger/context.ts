// The input and output of triggers.
import { randomUUID } from 'node:crypto';
import type postgres from 'postgres';
import type { Placar } from '../../index.ts';
import type { SettingName, Settings } from '../settings.ts';

export interface TriggerContext {
  placar: Placar;
  settings: Settings;
  signal: AbortSignal;
  /** The database, for features outside the API: badges, challenges and manual points. */
  database(): Promise<postgres.Sql>;
}

export interface Triggered {
  /** The resource of the event; null if the event covers several. */
  id: string | null;
  /** Removes leftovers that would disturb later runs. Runs after the event has arrived. */
  tidy?(): Promise<unknown>;
}

export interface Trigger {
  /** A short description of its effect. */
  does: string;
  needs: readonly SettingName[];
  run(context: TriggerContext): Promise<Triggered>;
}

export const KEY: readonly SettingName[] = ['apiKey'];
// The API key proves that the deployment is not production.
export const RECORDS: readonly SettingName[] = ['apiKey', 'clientId', 'clientSecret'];
export const FAKE: readonly SettingName[] = [...KEY, 'asaasUrl'];
export const DATABASE: readonly SettingName[] = [...RECORDS, 'databaseUrl', 'tenantId'];

/** A random suffix for unique names. */
export const unique = (): string => randomUUID().slice(0, 8);

/** An undeliverable address (RFC 2606). */
export const newEmail = (): string => `trigger-${unique()}@placar.example`;
