// Rotating a key: for a day, both the old and the new key work. Then only the new one works.
import { expect, test } from 'vitest';
import { connectDatabase, createTenant } from '../support/database.ts';
import { collaborator, syncCollaborators } from '../support/gamification/sync.ts';

const sql = connectDatabase();

test('both API keys work for 24 hours, then only the new one', async () => {
  const { apiKey, apiKeyId } = await createTenant(sql);
  const [rotated] = await sql`select id, api_key from admin.rotate_api_key(${apiKeyId})`;
  const statusWith = async (key: string) => (await syncCollaborators(key, [collaborator('ana')])).status;
  expect(rotated?.api_key).not.toBe(apiKey);
  expect(await statusWith(apiKey)).toBe(200);
  expect(await statusWith(rotated?.api_key)).toBe(200);
  const [old] = await sql`
    select expires_at between now() + interval '23 hours 55 minutes' and now() + interval '24 hours' as tomorrow
    from api_keys where id = ${apiKeyId}`;
  expect(old).toEqual({ tomorrow: true });
  await sql`update api_keys set expires_at = now() - interval '1 second' where id = ${apiKeyId}`;
  expect(await statusWith(apiKey)).toBe(401);
  expect(await statusWith(rotated?.api_key)).toBe(200);
});
