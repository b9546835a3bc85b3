// Acts as the payer of a sandbox charge, as described in docs/sandbox.md.
import type postgres from 'postgres';
import { signRequest } from '../../../shared/platform/access/api-keys.ts';
import { announceJobs } from '../announce-jobs.ts';
import { ActionRefused } from '../refusal.ts';
import type { ConsoleOptions } from '../view.ts';

export interface Charge {
  /** Id of the invoice. */
  id: string;
  tenant_id: string;
}

export interface Payer {
  pay(charge: Charge): Promise<void>;
  /** Rejects the payment, as a bank would. */
  decline(charge: Charge): Promise<void>;
  /** Expires the invoice immediately. */
  expire(charge: Charge): Promise<void>;
}

const KEY_MS = 3600_000;
/** Keys are replaced one minute before they expire. */
const KEY_IN_USE_MS = KEY_MS - 60_000;

export function createPayer(options: ConsoleOptions): Payer {
  const { sql, url, sandboxNotificationToken } = options;
  const keyOf = createKeys(options);
  return {
    async pay({ id, tenant_id: tenantId }) {
      const apiKey = await keyOf(tenantId);
      const target = `/payments/sandbox/invoices/${id}/pay`;
      const body = new TextEncoder().encode('{}');
      const timestamp = String(Math.floor(Date.now() / 1000));
      const signature = signRequest(apiKey, { timestamp, method: 'POST', target, body });
      await send(`${url}/functions/v1${target}`, body, {
        Authorization: `SVC-SIGN-V1 ${apiKey}:${timestamp}:${signature}`,
        'Idempotency-Key': crypto.randomUUID(),
      });
    },
    async decline({ id }) {
      const notification = {
        resource: 'invoice',
        reference: id,
        status: 'failed',
        at: new Date(),
        reason: "Refused by the payer's bank.",
      };
      const body = new TextEncoder().encode(JSON.stringify(notification));
      await send(`${url}/functions/v1/callbacks/providers/sandbox`, body, {
        'X-Sandbox-Token': sandboxNotificationToken,
      });
    },
    async expire({ id, tenant_id: tenantId }) {
      await sql.begin(async (tx) => {
        await tx`update public.invoices set expires_at = now() where tenant_id = ${tenantId} and id = ${id} and status = 'open'`;
        await tx`
          update public.jobs set due_at = now(), published_at = null
          where tenant_id = ${tenantId} and name = 'expire-invoice' and payload ->> 'invoice_id' = ${id}
            and finished_at is null and failed_at is null`;
      });
      await announceJobs(options);
    },
  };
}

async function send(url: string, body: BodyInit, headers: Record<string, string>): Promise<void> {
  const answer = await fetch(url, {
    method: 'POST',
    headers: { ...headers, 'Content-Type': 'application/json' },
    body,
  });
  const text = await answer.text();
  if (answer.ok) return;
  const { detail, title } = JSON.parse(text) as { detail?: string; title?: string };
  throw new ActionRefused(detail ?? title ?? `The API returned ${answer.status}.`);
}

/** API keys for payments: the demo tenant's own key, or a temporary key for one hour for other tenants. */
function createKeys({ sql, credentials }: { sql: postgres.Sql; credentials: ConsoleOptions['credentials'] }) {
  const made = new Map<string, { apiKey: string; until: number }>();
  return async function keyOf(tenantId: string): Promise<string> {
    if (tenantId === credentials.tenant_id) return credentials.api_key;
    const known = made.get(tenantId);
    if (known && known.until > Date.now()) return known.apiKey;
    const [row] = await sql<{ api_key: string }[]>`
      select api_key from admin.create_api_key(tenant_id => ${tenantId}, label => 'Console', scopes => ${['payments:write']},
                                               expires_at => ${new Date(Date.now() + KEY_MS)})`;
    if (!row) throw new Error('The database returned no API key.');
    made.set(tenantId, { apiKey: row.api_key, until: Date.now() + KEY_IN_USE_MS });
    return row.api_key;
  };
}
