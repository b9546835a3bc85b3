// Cursors of event feeds: a place in the feed of one tenant and interface, which says nothing to callers and is nothing in another feed.
import { Buffer } from 'node:buffer';
import { createHash } from 'node:crypto';
import type { DueDelivery } from '../delivery/queries.ts';

/** Whose feed it is. */
export interface Feed {
  tenantId: string;
  interface: DueDelivery['interface'];
}

/** Lengths in hex: six bytes of the place, nine of the check, which are twenty characters of base64. */
const PLACE_LENGTH = 12;
const CHECK_LENGTH = 18;
const CURSOR = /^[A-Za-z0-9_-]{20}$/;

const checkOf = ({ tenantId, interface: of }: Feed, place: string): string =>
  createHash('sha256').update(`${tenantId} ${of} ${place}`).digest('hex').slice(0, CHECK_LENGTH);

/** The cursor after the event at this place; always the same for it. */
export function cursorAt(feed: Feed, position: number): string {
  const place = position.toString(16).padStart(PLACE_LENGTH, '0');
  return Buffer.from(place + checkOf(feed, place), 'hex').toString('base64url');
}

/** The place that a cursor is after; undefined where it is none of this feed. */
export function positionOf(feed: Feed, cursor: string): number | undefined {
  if (!CURSOR.test(cursor)) return undefined;
  const text = Buffer.from(cursor, 'base64url').toString('hex');
  const place = text.slice(0, PLACE_LENGTH);
  return text.slice(PLACE_LENGTH) === checkOf(feed, place) ? Number.parseInt(place, 16) : undefined;
}
