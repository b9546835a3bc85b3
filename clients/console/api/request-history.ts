// Requests of the last 24 hours. The log only has pages, so the process keeps what it has read, and each page of the console reads on.
import { isOwnRequest } from './deployment.ts';
import { asText, type Json } from './json.ts';
import type { PageApi } from './page-api.ts';

const DAY_MS = 86_400_000;
/** Maximum page size of the request log. */
const LOG_ROWS = 200;

const timeOf = (row: Json | undefined): number => Date.parse(asText(row?.at));
const keyOf = (row: Json): string => `${asText(row.request_id)} ${asText(row.at)}`;

export interface ReadRequests {
  /** Newest first, without a gap and without the console's own. */
  rows: readonly Json[];
  /** Whether these are all of the last 24 hours. */
  isComplete: boolean;
}

export class RequestHistory {
  #rows: readonly Json[] = [];
  /** Of the page after the oldest row. */
  #older: string | undefined;

  /** Reads the newest page, and with the calls that the page has left older ones. */
  async read(api: PageApi, now: Date): Promise<ReadRequests> {
    const since = now.getTime() - DAY_MS;
    const { rows, next } = await api.rows('/v1/admin/requests', { limit: LOG_ROWS });
    const newest = timeOf(this.#rows[0]);
    if (next === undefined || !(timeOf(rows.at(-1)) <= newest)) {
      // All there is, or more than a page since the last read: what was kept would leave a gap.
      this.#rows = rows;
      this.#older = next;
    } else {
      const seen = new Set(rows.map(keyOf));
      this.#rows = [...rows, ...this.#rows.filter((row) => !seen.has(keyOf(row)) && timeOf(row) > since)];
    }
    while (this.#older !== undefined && api.left > 0) {
      const older = await api.rows('/v1/admin/requests', { limit: LOG_ROWS, after: this.#older });
      this.#rows = [...this.#rows, ...older.rows];
      this.#older = older.next;
    }
    return { rows: this.#rows.filter((row) => !isOwnRequest(row)), isComplete: this.#older === undefined };
  }
}
