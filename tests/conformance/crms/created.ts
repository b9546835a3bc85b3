/** What a run created at the CRM, and its removal. */

import { randomBytes } from 'node:crypto';
import { findCreated } from '../../../shared/connectors/crms/created.ts';
import type {
  CrmRecords,
  CrmValues,
  WebhookOrder,
  WebhookReport,
  WritableKind,
} from '../../../shared/connectors/crms/crm.ts';
import { CrmBusy, CrmUnreachable } from '../../../shared/connectors/crms/errors.ts';
import { NotTried, type RecordName, type Subject } from './subject.ts';

interface CreatedRecord {
  kind: RecordName;
  name: string;
  /** Undefined while the response to its creation is missing. */
  id: string | undefined;
  /** Finds the record if that response was lost. */
  find(): Promise<string | null>;
}

export interface Leftovers {
  /** The API cannot delete these records. */
  byHand: string[];
  /** Their removal failed, with the error. */
  failed: string[];
}

const CLEAN_UP_MS = 5 * 60_000;
const MAX_TRIES = 4;

export class Created {
  readonly #subject: Subject;
  #records: CreatedRecord[] = [];
  #hasWebhooks = false;
  /** Of its webhooks. Each run has its own. 43 letters and digits, as the engine generates it. */
  readonly secret = randomBytes(32).toString('base64url').replaceAll(/[-_]/g, 'x');

  constructor(subject: Subject) {
    this.#subject = subject;
  }

  async create<K extends WritableKind>(
    kind: K,
    values: Partial<CrmValues[K]> & { name: string },
  ): Promise<CrmRecords[K]> {
    const connection = this.#subject.connect();
    const since = new Date().toISOString();
    const find = async () => (await findCreated(connection, kind, values, since))[0] ?? null;
    const record: CreatedRecord = { kind, name: values.name, id: undefined, find };
    this.#records.push(record);
    const created = await connection.create(kind, values);
    record.id = created.id;
    return created;
  }

  /** Registers a record that `create` creates by other means than the adapter. */
  async createBy(kind: RecordName, name: string, create: () => Promise<string>): Promise<string> {
    const find = () => Promise.reject(new Error('the response to its creation was lost: look for it'));
    const record: CreatedRecord = { kind, name, id: undefined, find };
    this.#records.push(record);
    record.id = await create();
    return record.id;
  }

  /** A record whose creation was rejected. */
  forget(kind: RecordName, name: string): void {
    this.#records = this.#records.filter((record) => record.kind !== kind || record.name !== name);
  }

  async remove(kind: RecordName, id: string): Promise<void> {
    await this.#subject.tools.remove(kind, id);
    this.#records = this.#records.filter((record) => record.kind !== kind || record.id !== id);
  }

  async ensureWebhooks(reference: string | null): Promise<WebhookReport> {
    this.#hasWebhooks = true;
    return await this.#subject.connect().ensureWebhooks(this.#webhooks(reference));
  }

  /** Also those whose creation was interrupted, which are found by their address. */
  async removeWebhooks(reference: string | null): Promise<void> {
    await this.#subject.connect().removeWebhooks(this.#webhooks(reference));
    this.#hasWebhooks = false;
  }

  #webhooks(reference: string | null): WebhookOrder {
    return { url: this.#subject.webhookUrl, secret: this.secret, reference };
  }

  /** Removes everything, also after an abort of the run. */
  async cleanUp(): Promise<Leftovers> {
    const left: Leftovers = { byHand: [], failed: [] };
    this.#subject.until = AbortSignal.timeout(CLEAN_UP_MS);
    if (this.#hasWebhooks)
      await this.#attempt(left, `webhooks to ${this.#subject.webhookUrl}`, () => this.removeWebhooks(null));
    const order: RecordName[] = ['activity', 'deal', 'lead'];
    for (const kind of order)
      for (const record of this.#records.filter((each) => each.kind === kind))
        await this.#attempt(
          left,
          `${kind} "${record.name}"${record.id === undefined ? '' : ` (${record.id})`}`,
          async () => {
            record.id ??= (await record.find()) ?? undefined;
            if (record.id !== undefined) await this.#subject.tools.remove(kind, record.id);
          },
        );
    return left;
  }

  async #attempt(left: Leftovers, what: string, remove: () => Promise<void>): Promise<void> {
    for (let tries = 1; ; tries++) {
      try {
        return await remove();
      } catch (error) {
        const isTemporary = error instanceof CrmBusy || error instanceof CrmUnreachable;
        if (error instanceof NotTried) return void left.byHand.push(what);
        if (!isTemporary || tries === MAX_TRIES || this.#subject.until.aborted)
          return void left.failed.push(`${what}: ${error instanceof Error ? error.message : String(error)}`);
        const waitSeconds = (error instanceof CrmBusy ? error.retryAfterSeconds : undefined) ?? 2 ** tries;
        await this.#subject.later(waitSeconds * 1000).catch(() => {});
      }
    }
  }
}
