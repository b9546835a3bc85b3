// Two projects for moves of tenants, and a tenant with a little of everything.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import postgres from 'postgres';
import { type Stack, startStack } from '../../../local/stack.ts';
import { waitFor } from '../wait-for.ts';

export interface Project {
  stack: Stack;
  sql: postgres.Sql;
  functionsUrl: string;
  /** Settings for `--from` or `--to`. */
  file: string;
}

export interface Projects {
  source: Project;
  destination: Project;
  stop(): Promise<void>;
}

export async function startProjects(env: Record<string, string> = {}): Promise<Projects> {
  const home = mkdtempSync(join(tmpdir(), 'placar-move-'));
  const start = async (name: string): Promise<Project> => {
    const stack = await startStack({ dir: join(home, name), port: 0, durable: false, env });
    const sql = postgres(stack.info.database_url, { max: 4, onnotice: () => {} });
    const functionsUrl = `${stack.info.base_url}/functions/v1`;
    const file = join(home, `${name}.env`);
    const { SUPABASE_URL, SUPABASE_SECRET_KEYS } = stack.env;
    const values = {
      DATABASE_URL: stack.info.database_url,
      FUNCTIONS_URL: functionsUrl,
      SUPABASE_URL,
      SUPABASE_SECRET_KEYS,
    };
    writeFileSync(
      file,
      Object.entries(values)
        .map(([key, value]) => `${key}='${value}'\n`)
        .join(''),
      { mode: 0o600 },
    );
    return { stack, sql, functionsUrl, file };
  };
  const [source, destination] = await Promise.all([start('source'), start('destination')]);
  return {
    source,
    destination,
    async stop() {
      for (const { stack, sql } of [source, destination]) {
        await sql.end({ timeout: 1 });
        await stack.stop();
      }
      rmSync(home, { recursive: true, force: true });
    },
  };
}

export interface MovableTenant {
  id: string;
  slug: string;
  apiKey: string;
  clientId: string;
  clientSecret: string;
}

/** A tenant with an API key, an OAuth client, a mission, and users whose Auth accounts are exclusive, known at the destination, and shared. */
export async function createMovableTenant({ sql }: Project, slug: string): Promise<MovableTenant> {
  const [tenant] = await sql`select admin.create_tenant(${slug}, ${slug}, 'enterprise') as id`;
  const id: string = tenant?.id;
  const [key] = await sql`
    select api_key from admin.create_api_key(${id}, 'all', '{default:sync,payments:read,payments:write}', 100000)`;
  const [client] =
    await sql`select client_id, client_secret from admin.create_oauth_client(${id}, 'all', '{admin}')`;
  await sql`insert into public.collaborators (tenant_id, external_id, name, email) values (${id}, 'ana', 'Ana', 'ana@demo.example')`;
  await sql`select admin.map_activity_code(${id}, '001', admin.create_mission(${id}, 'Call', 10))`;
  return { id, slug, apiKey: key?.api_key, clientId: client?.client_id, clientSecret: client?.client_secret };
}

/** An account in Auth, linked to an active user of the tenant. Returns its id. */
export async function createAccount({ sql }: Project, tenantId: string, email: string): Promise<string> {
  const [account] = await sql`
    insert into auth.users (id, aud, role, email, encrypted_password, banned_until, raw_app_meta_data)
    values (gen_random_uuid(), 'authenticated', 'authenticated', ${email}, ${`$2a$10$${email}`}, '2030-01-01Z', '{"provider":"email"}')
    on conflict (email) where is_sso_user = false do update set aud = excluded.aud
    returning id`;
  await sql`
    insert into auth.identities (provider_id, user_id, identity_data, provider)
    values (${account?.id}, ${account?.id}, ${sql.json({ email })}, 'email') on conflict do nothing`;
  await sql`insert into public.users (tenant_id, name, email, status) values (${tenantId}, ${email}, ${email}, 'active')`;
  return account?.id;
}

export interface Called {
  status: number;
  headers: Headers;
  body: Record<string, unknown> & { data?: never };
}

/** Calls records with a token of this project. */
export async function recordsOf(project: Project, { clientId, clientSecret }: MovableTenant) {
  const granted = await fetch(`${project.functionsUrl}/oauth/token`, {
    method: 'POST',
    body: new URLSearchParams({
      grant_type: 'client_credentials',
      client_id: clientId,
      client_secret: clientSecret,
    }),
  });
  const token: string = (await granted.json()).access_token;
  return async (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) => {
    const response = await fetch(`${project.functionsUrl}/v1${path}`, {
      method,
      headers: {
        Authorization: `Bearer ${token}`,
        ...(body !== undefined && { 'Content-Type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    return { status: response.status, headers: response.headers, body: text ? JSON.parse(text) : undefined };
  };
}

/** Sends one activity with an API key. */
export async function sendActivity(project: Project, apiKey: string, externalId: string): Promise<Response> {
  return await fetch(`${project.functionsUrl}/default-integration`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${apiKey}`, 'Content-Type': 'application/json' },
    body: JSON.stringify({
      action: 'sync_activities',
      activities: [{ activity_code: '001', external_id: externalId, collaborator_email: 'ana@demo.example' }],
    }),
  });
}

/** Publishes due jobs, as the schedule does once a minute. */
export const sweep = ({ functionsUrl, stack }: Pick<Project, 'functionsUrl' | 'stack'>) =>
  fetch(`${functionsUrl}/callbacks/sweep`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${stack.env.SWEEP_TOKEN}` },
  });

/** Waits until no job of the tenant is due soon. */
export async function untilIdle(project: Project, tenantId: string): Promise<void> {
  await sweep(project);
  await waitFor(async () => {
    const due = await project.sql`
      select from public.jobs
      where tenant_id = ${tenantId} and finished_at is null and failed_at is null and due_at <= now() + interval '3 s'`;
    return due.length === 0;
  });
}

/** The ids of events that the stack's inbox received, in order of arrival. */
export async function receivedEvents({ stack }: Project): Promise<string[]> {
  const entries: { body: { id?: string } | string }[] = await (await fetch(stack.info.inbox_url)).json();
  return entries.flatMap(({ body }) => {
    const parsed = typeof body === 'string' ? JSON.parse(body) : body;
    return typeof parsed.id === 'string' ? [parsed.id] : [];
  });
}
