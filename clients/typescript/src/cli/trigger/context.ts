// What triggers are given, and what they give.
import { randomUUID } from 'node:crypto';
import type postgres from 'postgres';
import type { Placar } from '../../index.ts';
import type { SettingName, Settings } from '../settings.ts';

export interface TriggerContext {
  placar: Placar;
  settings: Settings;
  signal: AbortSignal;
  /** The database, for what has no API: badges, challenges, points by hand. */
  database(): Promise<postgres.Sql>;
}

export interface Triggered {
  /** The resource that the event is about; null where it is about several. */
  id: string | null;
  /** Takes away what would be in the way later; runs once the event was seen. */
  tidy?(): Promise<unknown>;
}

export interface Trigger {
  /** What it does, in a few words. */
  does: string;
  needs: readonly SettingName[];
  run(context: TriggerContext): Promise<Triggered>;
}

export const KEY: readonly SettingName[] = ['apiKey'];
// The key shows that the deployment is none of production.
export const RECORDS: readonly SettingName[] = ['apiKey', 'clientId', 'clientSecret'];
export const EMULATOR: readonly SettingName[] = [...KEY, 'asaasUrl'];
export const DATABASE: readonly SettingName[] = [...RECORDS, 'databaseUrl', 'tenantId'];

/** Something that nobody else has. */
export const unique = (): string => randomUUID().slice(0, 8);

/** An address that no mail reaches (RFC 2606). */
export const newEmail = (): string => `trigger-${unique()}@placar.example`;
