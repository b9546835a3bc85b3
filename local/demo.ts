// Credentials of the seeded demo tenant.
import type postgres from 'postgres';
import type { CrmCredentials } from './crms/start.ts';
import type { DemoPerson } from './demo-people.ts';
import { type Secrets, saveSecrets } from './secrets.ts';

const DEMO_TENANT = '00000000-0000-4000-8000-000000000001';
const API_KEY_SCOPES = ['default:sync', 'payments:read', 'payments:write'];

/** URLs and credentials of the stack. Printed at the end of `npm start` and written to `stack.json`. */
export interface StackInfo {
  base_url: string;
  auth_url: string;
  database_url: string;
  tenant_id: string;
  api_key: string;
  client_id: string;
  client_secret: string;
  mail_url: string;
  inbox_url: string;
  /** Key of Auth for signing in. */
  publishable_key: string;
  /** Key of Auth with full access. */
  secret_key: string;
  /** Auth also accepts access tokens that are signed with this secret (HS256). */
  jwt_secret: string;
  /** People of the demo tenant who can sign in. */
  people: DemoPerson[];
  /** Emulators of payment providers, with `--providers`. */
  asaas_url?: string | undefined;
  wise_url?: string | undefined;
  stripe_url?: string | undefined;
  /** Settings of the functions for the fakes of CRMs, and the demo company's credentials there, with `--providers`. */
  crms?: { settings: Record<string, string>; credentials?: CrmCredentials | undefined } | undefined;
}

type Credentials = Pick<StackInfo, 'tenant_id' | 'api_key' | 'client_id' | 'client_secret'>;

/** Creates a key with all scopes and a client with the scope `admin` on first start, and stores them with the folder's secrets. */
export async function ensureDemoCredentials(
  sql: postgres.Sql,
  dir: string,
  secrets: Secrets,
): Promise<Credentials> {
  if (!secrets.demo) {
    const [key] =
      await sql`select api_key from admin.create_api_key(${DEMO_TENANT}, 'Demo', ${API_KEY_SCOPES})`;
    const [client] = await sql`
      select client_id, client_secret from admin.create_oauth_client(${DEMO_TENANT}, 'Demo', array['admin', 'read:payments', 'manage:payments', 'approve:payouts', 'request:payouts', 'manage:access', 'manage:persons'])`;
    secrets.demo = { apiKey: key?.api_key, clientId: client?.client_id, clientSecret: client?.client_secret };
    await saveSecrets(dir, secrets);
  }
  const { apiKey, clientId, clientSecret } = secrets.demo;
  return { tenant_id: DEMO_TENANT, api_key: apiKey, client_id: clientId, client_secret: clientSecret };
}
