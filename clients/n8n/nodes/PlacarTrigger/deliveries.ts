// Which deliveries have already run the workflow. Placar sends an event again if it did not get the response.
import type { IDataObject } from 'n8n-workflow';

const MAX_REMEMBERED = 1000;

/**
 * By webhook. n8n stores the static data only after a delivery has been dealt with, so deliveries that arrive at the same time do not
 * see what the others remember.
 */
const inProcess = new Map<string, string[]>();

/** Remembers the id of a delivery. Returns false if one of the last 1000 deliveries of the webhook had it. */
export function remember(staticData: IDataObject, deliveryId: string): boolean {
  const webhookId = String(staticData.webhookId);
  const stored = (staticData.deliveries ?? []) as string[];
  const known = [...new Set([...stored, ...(inProcess.get(webhookId) ?? [])])];
  if (known.includes(deliveryId)) return false;
  const deliveries = [...known, deliveryId].slice(-MAX_REMEMBERED);
  inProcess.set(webhookId, deliveries);
  staticData.deliveries = deliveries;
  return true;
}
