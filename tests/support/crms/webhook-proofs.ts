/** Webhooks that tests send to an account by themselves, with and without a proof. */
import { createHmac } from 'node:crypto';
import type postgres from 'postgres';
import { type Connected, callbackOf } from './connected.ts';

export const webhookSecret = async (sql: postgres.Sql, { accountId }: Connected): Promise<string> => {
  const [row] = await sql`
    select v.decrypted_secret as secret from private.crm_secrets k
    join vault.decrypted_secrets v on v.id = k.webhook_secret where k.account_id = ${accountId}`;
  return row?.secret;
};

/** The proof of Pipedrive. */
export const basic = (secret: string) => ({ authorization: `Basic ${btoa(`placar:${secret}`)}` });

/** The proof of HubSpot. */
export function signed(acme: Connected, body: string, atMs: number, url = callbackOf(acme)) {
  const text = `POST${url}${body}${atMs}`;
  const digest = createHmac('sha256', acme.credentials.client_secret ?? '')
    .update(text)
    .digest('base64');
  return { 'x-hubspot-request-timestamp': String(atMs), 'x-hubspot-signature-v3': digest };
}

/** Returns the status. */
export const post = async (url: string, body: string | Uint8Array, headers: Record<string, string> = {}) =>
  (await fetch(url, { method: 'POST', body: body as BodyInit, headers })).status;
