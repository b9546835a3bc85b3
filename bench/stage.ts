// A stack for the bench, with a tenant whose API key has no rate limit.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import postgres from 'postgres';
import { type Stack, startStack } from '../local/stack.ts';
import { COLLABORATORS, emailOf } from './load/bodies.ts';
import type { Target } from './load/load.ts';

export const MAPPED_CODES = ['101', '102', '103'];
export const UNMAPPED_CODES = ['201', '202', '203'];
/** A limit that is never reached. */
const UNLIMITED = 2_000_000_000;

export interface Stage {
  stack: Stack;
  /** Folder for generated files. Removed at the end. */
  dir: string;
  sql: postgres.Sql;
  tenantId: string;
  apiKey: string;
  /** Creates another API key of the tenant. */
  createKey(): Promise<string>;
  stop(): Promise<void>;
}

export async function startStage(): Promise<Stage> {
  const dir = mkdtempSync(join(tmpdir(), 'placar-bench-'));
  // Without fsync, so that the disk does not hide the CPU time; with the functions' default log level.
  const options = { dir, port: 0, durable: false, env: { LOG_LEVEL: 'warn' } };
  const stack = await startStack(options).catch((error: unknown) => {
    rmSync(dir, { recursive: true, force: true });
    throw error;
  });
  const sql = postgres(stack.info.database_url, { max: 4, onnotice: () => {} });
  const stop = async () => {
    await sql.end({ timeout: 1 });
    await stack.stop();
    rmSync(dir, { recursive: true, force: true });
  };
  try {
    const tenantId = await createTenant(sql);
    const createKey = async () => {
      const [row] = await sql`
        select api_key from admin.create_api_key(${tenantId}, 'Bench', array['default:sync', 'payments:read', 'payments:write'], ${UNLIMITED})`;
      return String(row?.api_key);
    };
    return { stack, dir, sql, tenantId, apiKey: await createKey(), createKey, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function createTenant(sql: postgres.Sql): Promise<string> {
  const [tenant] = await sql`select admin.create_tenant('Bench', 'bench') as id`;
  const tenantId = String(tenant?.id);
  for (const code of MAPPED_CODES) {
    await sql`
      select admin.map_activity_code(${tenantId}, ${code}, admin.create_mission(${tenantId}, ${`Mission ${code}`}, 10))`;
  }
  // Unreachable thresholds, so that each recount checks all players whose points have changed.
  await sql`select admin.create_badge(${tenantId}, 'Most points', 'points', 1e12), admin.create_badge(${tenantId}, 'Most missions', 'missions_completed', 1e12)`;
  const emails = Array.from({ length: COLLABORATORS }, (_, index) => emailOf(index));
  await sql`
    insert into public.collaborators (tenant_id, external_id, name, email)
    select ${tenantId}, email, email, email from unnest(${emails}::text[]) as email`;
  return tenantId;
}

/** Activity sync at the function's own port. */
export function placar({ stack, apiKey }: Stage): Target {
  const port = stack.functions.get('default-integration')?.port;
  return { kind: 'http', url: `http://127.0.0.1:${port}/default-integration`, apiKey };
}

/** Activity sync through the gateway. */
export function placarBehindGateway({ stack, apiKey }: Stage): Target {
  return { kind: 'http', url: `${stack.info.base_url}/functions/v1/default-integration`, apiKey };
}
