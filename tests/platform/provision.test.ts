// The platform's tables in folders that an earlier version of the local stack created.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import postgres from 'postgres';
import { expect, onTestFinished, test } from 'vitest';
import { providePlatform } from '../../local/postgres/provision.ts';
import { startPostgres } from '../../local/postgres/server.ts';

test('a database without the tables for sessions gets them, and keeps its accounts', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'provision-'));
  onTestFinished(() => rmSync(dir, { recursive: true }));
  const server = await startPostgres({ dir: join(dir, 'postgres'), password: 'x', durable: false });
  onTestFinished(() => server.stop());
  await providePlatform(server, 'x');
  const sql = postgres(server.superuserUrl, { max: 1, onnotice: () => {} });
  onTestFinished(() => sql.end({ timeout: 1 }));
  const tables = () => sql`
    select table_name as name from information_schema.tables where table_schema = 'auth' order by 1`;
  const complete = await tables();
  await sql`insert into auth.users (id, email) values (gen_random_uuid(), 'kept@example.com')`;
  await sql`
    drop table auth.sessions, auth.refresh_tokens, auth.mfa_amr_claims, auth.mfa_factors, auth.mfa_challenges,
      auth.flow_state, auth.one_time_tokens`;
  await sql`
    drop type auth.aal_level, auth.factor_type, auth.factor_status, auth.code_challenge_method, auth.one_time_token_type`;
  expect((await tables()).map(({ name }) => name)).toEqual(['identities', 'users']);

  await providePlatform(server, 'x');
  await providePlatform(server, 'x');
  expect(await tables()).toEqual(complete);
  expect(await sql`select email from auth.users`).toEqual([{ email: 'kept@example.com' }]);
});
