// The console's access to the workspaces of the local stack: a client and a key for each workspace that is opened.
import type postgres from 'postgres';
import { type Connected, connectTo } from '../../clients/console/app.tsx';
import { apiKeyScopes, recordsScopes } from '../../shared/platform/access/scopes.ts';

/** Marks the console's own credentials, so that it never revokes other credentials. */
const LABEL = 'Console of npm start';

/** Returns the connection to a workspace. Its credentials exist only in this process. */
export function createConnections({ sql, url }: { sql: postgres.Sql; url: string }) {
  const connections = new Map<string, Promise<Connected>>();

  async function connect(tenantId: string): Promise<Connected> {
    // The secrets from an earlier start are lost.
    await sql`
      select admin.revoke_oauth_client(client_id) from public.oauth_clients
      where tenant_id = ${tenantId} and label = ${LABEL} and revoked_at is null`;
    await sql`
      select admin.revoke_api_key(id) from public.api_keys
      where tenant_id = ${tenantId} and label = ${LABEL} and revoked_at is null`;
    const [client] = await sql`
      select client_id, client_secret from admin.create_oauth_client(${tenantId}, ${LABEL}, ${[...recordsScopes]})`;
    const [key] = await sql`
      select api_key from admin.create_api_key(${tenantId}, ${LABEL}, ${[...apiKeyScopes]}, 100000)`;
    const connected = connectTo({
      url,
      credentials: {
        clientId: client?.client_id,
        clientSecret: client?.client_secret,
        apiKey: key?.api_key,
      },
      program: 'placar-console/local',
    });
    await connected.deployment.check();
    return connected;
  }

  return (tenantId: string): Promise<Connected> => {
    const known = connections.get(tenantId);
    if (known) return known;
    const made = connect(tenantId);
    connections.set(tenantId, made);
    made.catch(() => connections.delete(tenantId));
    return made;
  };
}
