// Errors of CRMs, each of which says whether anything was done and when to try again.

import type { CrmResponse } from './crm-http.ts';

/** The CRM rejects the credentials, or they lack a right. Nothing was done. */
export class CrmCredentialsRejected extends Error {
  override readonly name = 'CrmCredentialsRejected';
  /** What the CRM answered, for its adapter. */
  readonly response: CrmResponse | undefined;
  constructor(message: string, response?: CrmResponse) {
    super(message);
    this.response = response;
  }
}

/** The CRM is refusing requests because of a limit. Nothing was done. */
export class CrmBusy extends Error {
  override readonly name = 'CrmBusy';
  /** Seconds until the limit is over, if the CRM said so or its rules do. */
  readonly retryAfterSeconds: number | undefined;
  /** What the CRM answered, for its adapter. */
  readonly response: CrmResponse | undefined;
  constructor(message: string, retryAfterSeconds?: number, response?: CrmResponse) {
    super(message);
    this.retryAfterSeconds = retryAfterSeconds;
    this.response = response;
  }
}

/** The CRM rejected what was written, in its own words. Nothing was done. */
export class CrmRejected extends Error {
  override readonly name = 'CrmRejected';
}

/** The record to write is not in the CRM. */
export class CrmRecordGone extends Error {
  override readonly name = 'CrmRecordGone';
}

/** No response in time, a 5xx, or a response in another format. A write may have been done. */
export class CrmUnreachable extends Error {
  override readonly name = 'CrmUnreachable';
}

/** A response to a read with an unexpected status or format: about one record or one list, and not an outage. */
export class CrmUnreadable extends CrmUnreachable {}

/** Whether an error concerns all records of the account: limits, credentials, outages, or the end of the worker's time. */
export const isAboutAccount = (error: unknown): boolean =>
  !(error instanceof CrmUnreadable) &&
  ([CrmBusy, CrmCredentialsRejected, CrmUnreachable].some((kind) => error instanceof kind) ||
    (error instanceof DOMException && (error.name === 'AbortError' || error.name === 'TimeoutError')));

/** What is read after a write: other errors would say that nothing was written. */
export async function readWritten<T>(title: string, reading: Promise<T>): Promise<T> {
  try {
    return await reading;
  } catch (cause) {
    throw new CrmUnreachable(`${title}: the record was written, but could not be read`, { cause });
  }
}
