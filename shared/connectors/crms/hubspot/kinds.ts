// What the files of leads, deals and activities have in common.
import type { CrmRecords, CrmStage, CrmValues, RecordKind, WritableKind } from '../crm.ts';
import type { HubSpotClient } from './client.ts';
import type { ObjectName } from './facts.ts';
import type { Fields } from './fields.ts';
import type { Row } from './rows.ts';

/** Definitions are read when they are first needed, once per connection. */
export interface Account {
  client: HubSpotClient;
  /** Mapped properties. */
  fields(kind: WritableKind): Promise<Fields>;
  stages(): Promise<CrmStage[]>;
  /** The day of a time in the account's time zone, in which HubSpot's pages show it: `YYYY-MM-DD`. */
  dayOf(iso: string): Promise<string>;
}

/** Properties as HubSpot names and formats them. An empty text clears a property. */
export type Properties = Readonly<Record<string, unknown>>;

export interface Kind<K extends RecordKind> {
  objects: readonly ObjectName[];
  toRecords(rows: Row[]): Promise<CrmRecords[K][]>;
}

export interface Writable<K extends WritableKind> extends Kind<K> {
  objects: readonly [ObjectName];
  /** Writes what is no property, and returns the properties to write. Throws `CrmRecordGone` if there is no such record. */
  prepareUpdate(id: string, change: Partial<CrmValues[K]>): Promise<Properties>;
  /** Returns the body of the request. */
  prepareCreate(values: Partial<CrmValues[K]>): Promise<{ properties: Properties; associations: unknown[] }>;
}

export type Writables = { [K in WritableKind]: Writable<K> };
