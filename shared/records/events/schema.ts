// An event of the feed in an answer.
import type { Payload } from '../../webhooks/delivery/signed-request.ts';

/** What a webhook would bring, and what only the feed says. */
export interface FeedEventResponse extends Payload {
  changed: string[];
  silent: boolean;
  /** Goes on after this event. */
  cursor: string;
}
