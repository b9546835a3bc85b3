// An event of the feed in a response.
import type { Payload } from '../../webhooks/delivery/signed-request.ts';

/** The payload of a webhook, and the members that only the feed has. */
export interface FeedEventResponse extends Payload {
  changed: string[];
  silent: boolean;
  /** Continues the feed after this event. */
  cursor: string;
}
