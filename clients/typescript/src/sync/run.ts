// Sends batches in parallel, and merges their results in the order of the list.
import { PlacarError, ValidationError } from '../errors.ts';
import type { Batch } from './batches.ts';

/** Maximum batches in flight. */
const AT_ONCE = 4;

/** Number of parts in a message; `unsent` has all of them. */
const PARTS_NAMED = 3;

export interface Progress<Result> {
  /** Number of items whose outcome is known. */
  done: number;
  /** Total number of items, if the list has a length. */
  total: number | undefined;
  /** Merged result so far. */
  result: Result;
}

/** Part of a list: `count` items from `start`. Infinity if the list has no length. */
export interface Part {
  start: number;
  count: number;
}

/** Part of a list that was not sent, with the error of its request. */
interface Failure {
  part: Part;
  error: PlacarError;
}

/** Some items were not recorded. Sending the whole list again is safe; sending `unsent` is enough, once its invalid items are corrected. */
export class SyncError<Result> extends PlacarError {
  /** Result of the items that were sent. */
  readonly result: Result;
  /** Items that were rejected, not sent, or whose outcome is unknown, in the order of the list. */
  readonly unsent: readonly Part[];

  constructor(first: PlacarError, failures: Failure[], result: Result, unsent: Part[]) {
    const { code, status, requestId, retryAfter } = first;
    const fields = failures.flatMap(({ error }) => [...error.fields]);
    super(messageFor(first, failures, unsent), { code, status, requestId, retryAfter, fields, cause: first });
    this.result = result;
    this.unsent = unsent;
  }
}

/** Requests with invalid items fail again until those are corrected; the others can be repeated. */
function messageFor(first: PlacarError, failures: readonly Failure[], unsent: readonly Part[]): string {
  const rejected = failures.filter(({ error }) => error instanceof ValidationError);
  const repeatable = unsent.filter((part) => rejected.every((one) => one.part !== part));
  return [
    ...(rejected[0]
      ? [`${partsText(rejected.map(({ part }) => part))} rejected. ${rejected[0].error.said}`]
      : []),
    ...(repeatable.length > 0 ? [`${partsText(repeatable)} not sent. Send them again: ${first.said}`] : []),
  ].join(' ');
}

/** `Item 7 was` or `Items 1000 to 1999 were`, by position in the list. */
function partsText(parts: readonly Part[]): string {
  const named = parts.slice(0, PARTS_NAMED).map(({ start, count }) => {
    if (count === Number.POSITIVE_INFINITY) return `all from ${start} on`;
    return count === 1 ? String(start) : `${start} to ${start + count - 1}`;
  });
  const more = parts.length > PARTS_NAMED ? ` and ${parts.length - PARTS_NAMED} more parts` : '';
  return parts.length === 1 && parts[0]?.count === 1
    ? `Item ${named} was`
    : `Items ${named.join(', ')}${more} were`;
}

export interface Run<Result> {
  batches: AsyncIterable<Batch>;
  total: number | undefined;
  send(batch: Batch): Promise<Result>;
  /** Merges the results of batches, given in the order of the list. */
  merge(results: { start: number; result: Result }[]): Result;
  signal?: AbortSignal | undefined;
  onProgress?: ((progress: Progress<Result>) => void) | undefined;
}

const byStart = (a: { start: number }, b: { start: number }) => a.start - b.start;

/** An invalid batch does not stop the others. Any other failure ends the run after the batches in flight. */
export async function runBatches<Result>(run: Run<Result>): Promise<Result> {
  const { signal, onProgress } = run;
  let merged: { start: number; result: Result }[] = [];
  const failures: Failure[] = [];
  const inFlight = new Set<{ keys: Set<string>; end: Promise<void> }>();
  let [stopped, done, read]: [unknown, number, number] = [undefined, 0, 0];

  async function sendOne(batch: Batch): Promise<void> {
    const { start, count } = batch;
    try {
      merged.push({ start, result: await run.send(batch) });
      done += count;
      onProgress?.({ done, total: run.total, result: run.merge(merged.sort(byStart)) });
    } catch (error) {
      if (error instanceof PlacarError)
        failures.push({ part: { start, count }, error: inList(error, start) });
      if (!(error instanceof ValidationError)) stopped ??= error;
    }
  }

  for await (const batch of run.batches) {
    read = batch.start + batch.count;
    while (!stopped && (inFlight.size >= AT_ONCE || clashes(batch, inFlight))) {
      await Promise.race([...inFlight].map(({ end }) => end));
    }
    if (stopped || signal?.aborted) {
      read = batch.start;
      break;
    }
    const entry = { keys: batch.keys, end: sendOne(batch).finally(() => inFlight.delete(entry)) };
    inFlight.add(entry);
  }
  await Promise.all([...inFlight].map(({ end }) => end));
  signal?.throwIfAborted();
  if (stopped !== undefined && !(stopped instanceof PlacarError)) throw stopped;

  merged = merged.sort(byStart);
  const result = run.merge(merged);
  if (failures.length === 0) return result;
  failures.sort((a, b) => byStart(a.part, b.part));
  const unsent = failures.map(({ part }) => part);
  const rest = (run.total ?? Number.POSITIVE_INFINITY) - read;
  if (stopped && rest > 0) unsent.push({ start: read, count: rest });
  throw new SyncError(stopped ?? (failures[0] as Failure).error, failures, result, unsent);
}

function clashes(batch: Batch, inFlight: Set<{ keys: Set<string> }>): boolean {
  return [...inFlight].some(({ keys }) => [...batch.keys].some((key) => keys.has(key)));
}

/** Converts the indexes of faults to positions in the whole list. */
function inList(error: PlacarError, start: number): PlacarError {
  if (!(error instanceof ValidationError)) return error;
  const fields = error.fields.map((fault) =>
    fault.index === undefined ? fault : { ...fault, index: fault.index + start },
  );
  const { said, code, status, requestId, retryAfter } = error;
  return new ValidationError(said, { code, status, requestId, retryAfter, fields });
}
