// Cursors of event feeds: an opaque position in the feed of one tenant and interface. A cursor is invalid in any other feed.
import { Buffer } from 'node:buffer';
import { sha256Hex } from '../../platform/crypto.ts';
import type { DueDelivery } from '../delivery/queries.ts';

/** Identifies a feed. */
export interface Feed {
  tenantId: string;
  interface: DueDelivery['interface'];
}

/** Lengths in hex digits: 6 bytes of position and 9 bytes of checksum make 20 characters of base64. */
const POSITION_LENGTH = 12;
const CHECKSUM_LENGTH = 18;
const CURSOR = /^[A-Za-z0-9_-]{20}$/;

const checksumOf = ({ tenantId, interface: of }: Feed, hexPosition: string): string =>
  sha256Hex(`${tenantId} ${of} ${hexPosition}`).slice(0, CHECKSUM_LENGTH);

/** The cursor after the event at this position. A position always has the same cursor. */
export function cursorAt(feed: Feed, position: number): string {
  const hexPosition = position.toString(16).padStart(POSITION_LENGTH, '0');
  return Buffer.from(hexPosition + checksumOf(feed, hexPosition), 'hex').toString('base64url');
}

/** The position of a cursor; undefined if the cursor does not belong to this feed. */
export function positionOf(feed: Feed, cursor: string): number | undefined {
  if (!CURSOR.test(cursor)) return undefined;
  const text = Buffer.from(cursor, 'base64url').toString('hex');
  const hexPosition = text.slice(0, POSITION_LENGTH);
  return text.slice(POSITION_LENGTH) === checksumOf(feed, hexPosition)
    ? Number.parseInt(hexPosition, 16)
    : undefined;
}
