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
}

export type ToRecords<K extends RecordKind> = (rows: Row[]) => Promise<CrmRecords[K][]>;

/** Properties as HubSpot names and formats them. An empty text clears a property. */
export type Properties = Record<string, string>;

export interface Writer<V> {
  object: ObjectName;
  /** Writes what is no property, and returns the properties to write. Throws `CrmRecordGone` if there is no such record. */
  prepareUpdate(id: string, change: Partial<V>): Promise<Properties>;
  /** Returns the body of the request. */
  prepareCreate(values: Partial<V>): Promise<{ properties: Properties; associations: unknown[] }>;
  findCreated(values: Partial<V>, sinceMs: number): Promise<string[]>;
}

export type Writers = { [K in WritableKind]: Writer<CrmValues[K]> };
