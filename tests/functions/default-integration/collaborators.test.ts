import { describe, expect, test } from 'vitest';
import { connectDatabase, createTenant } from '../../support/database.ts';
import {
  activity,
  collaborator,
  sync,
  syncActivities,
  syncCollaborators,
} from '../../support/gamification/sync.ts';

const sql = connectDatabase();

const stored = (tenantId: string) => sql`
  select external_id, name, email, phone, document, team, role, metadata
  from collaborators where tenant_id = ${tenantId} order by email`;

describe('sync_collaborators', () => {
  test('creates new collaborators and updates known ones', async () => {
    const { id, apiKey } = await createTenant(sql);
    const first = await syncCollaborators(apiKey, [collaborator('ana'), collaborator('bia')]);
    expect(first.status).toBe(200);
    expect(first.body.data).toEqual({ created: 2, existing: 0, errors: [], total: 2 });
    expect(first.body.meta).toEqual({
      request_id: first.headers.get('x-request-id'),
      timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    });
    const again = [collaborator('ana', { name: 'Ana Maria' }), collaborator('caio')];
    const second = await syncCollaborators(apiKey, again);
    expect(second.body.data).toEqual({ created: 1, existing: 1, errors: [], total: 2 });
    const rows = await stored(id);
    expect(rows.map(({ name }) => name)).toEqual(['Ana Maria', 'bia', 'caio']);
  });

  test('keeps an absent optional member, clears a null one, and replaces metadata as a whole', async () => {
    const { id, apiKey } = await createTenant(sql);
    const full = {
      phone: '+55 11 98765-4321',
      document: '52998224725',
      team: 'North',
      role: 'closer',
      metadata: { a: 1, deep: { b: [true, null] } },
    };
    await syncCollaborators(apiKey, [collaborator('ana', full)]);
    await syncCollaborators(apiKey, [
      collaborator('ana', { external_id: 'new-id', team: null, metadata: { c: 2 } }),
    ]);
    expect(await stored(id)).toEqual([
      { ...collaborator('ana'), ...full, external_id: 'new-id', team: null, metadata: { c: 2 } },
    ]);
    await syncCollaborators(apiKey, [collaborator('ana', { metadata: null })]);
    expect((await stored(id))[0]?.metadata).toBeNull();
  });

  test('matches emails trimmed and case-insensitively, within a batch too', async () => {
    const { id, apiKey } = await createTenant(sql);
    const reply = await syncCollaborators(apiKey, [
      collaborator('ana', { team: 'North', email: '  ANA@Example.com ' }),
      collaborator('ana', { name: 'Second', role: 'closer' }),
      collaborator('ana', { name: 'Third', team: null }),
    ]);
    expect(reply.body.data).toEqual({ created: 1, existing: 2, errors: [], total: 3 });
    const [row] = await stored(id);
    expect(row).toMatchObject({ name: 'Third', email: 'ana@example.com', role: 'closer', team: null });
  });

  test('a changed address stays one person with all points', async () => {
    const { id, apiKey } = await createTenant(sql);
    const created = (more: object[]) =>
      syncCollaborators(apiKey, more).then(({ body }) => [body.data.created, body.data.existing]);
    await syncCollaborators(apiKey, [collaborator('ana', { team: 'North' }), collaborator('bia')]);
    await syncActivities(apiKey, [activity('call-1', 'ana@example.com')]);
    const [before] =
      await sql`select id, player_id from collaborators where tenant_id = ${id} and name = 'ana'`;
    expect(await created([collaborator('ana', { email: 'ana.souza@example.com' })])).toEqual([0, 1]);
    expect(await stored(id)).toMatchObject([
      { email: 'ana.souza@example.com', team: 'North' },
      { name: 'bia' },
    ]);
    const [after] =
      await sql`select id, player_id from collaborators where tenant_id = ${id} and email = 'ana.souza@example.com'`;
    expect(after).toEqual(before);
    // The address that became free is another person's.
    expect(await created([collaborator('ana', { external_id: 'crm-9' })])).toEqual([1, 0]);
  });

  test('an id that several items or collaborators share identifies none of them', async () => {
    const { id, apiKey } = await createTenant(sql);
    const shared = (email: string) => collaborator('x', { email });
    const send = (...items: object[]) =>
      syncCollaborators(apiKey, items).then(({ body }) => body.data.created);
    expect(await send(shared('a@example.com'))).toBe(1);
    expect(await send(shared('b@example.com'), shared('c@example.com'))).toBe(2);
    expect(await send(shared('d@example.com'))).toBe(1);
    expect(await send(collaborator('ana'))).toBe(1);
    expect(await send(collaborator('ana'), collaborator('ana', { email: 'e@example.com' }))).toBe(1);
    expect(await send(collaborator('bia'))).toBe(1);
    await sql`select admin.erase_person(${id}, 'bia@example.com')`;
    expect(await send(collaborator('bia'))).toBe(1);
    expect(await stored(id)).toHaveLength(8);
  });

  test('reports invalid items in order without affecting others', async () => {
    const { id, apiKey } = await createTenant(sql);
    const reply = await syncCollaborators(apiKey, [
      { name: 'No id', email: 'no-id@example.com' },
      collaborator('good'),
      collaborator('bad', { email: 'not-an-address' }),
      collaborator('long', { name: 'n'.repeat(256), document: 'd'.repeat(21) }),
      collaborator('long-2', { team: 't'.repeat(101), role: 'r'.repeat(51), external_id: 'e'.repeat(256) }),
      collaborator('long-3', { phone: '1'.repeat(256) }),
      { external_id: ' ', name: 'Blank', email: '' },
      'text',
      null,
      collaborator('meta', { metadata: [] }),
      collaborator('nul', { name: 'a\u0000b' }),
    ]);
    expect(reply.status).toBe(200);
    expect(reply.body.data).toMatchObject({ created: 1, existing: 0, total: 11 });
    expect(reply.body.data.errors).toEqual([
      'Collaborator - (no-id@example.com): external_id is required',
      'Collaborator crm-bad (not-an-address): email must be a valid email address',
      'Collaborator crm-long (long@example.com): name must have at most 255 characters; document must have at most 20 characters',
      `Collaborator ${'e'.repeat(256)} (long-2@example.com): external_id must have at most 255 characters; team must have at most 100 characters; role must have at most 50 characters`,
      'Collaborator crm-long-3 (long-3@example.com): phone must have at most 255 characters',
      'Collaborator - (-): external_id must not be empty; email must be a valid email address',
      'Collaborator - (-): must be an object',
      'Collaborator - (-): must be an object',
      'Collaborator crm-meta (meta@example.com): metadata must be an object',
      'Collaborator crm-nul (nul@example.com): name must not contain NUL characters',
    ]);
    expect((await stored(id)).map(({ email }) => email)).toEqual(['good@example.com']);
  });

  test('accepts every deliverable address, and no look-alikes', async () => {
    const { apiKey } = await createTenant(sql);
    const good = [
      "o'neil+crm@example.com",
      'a&b/c=d@example.com',
      'x_1@sub.example.co',
      `${'l'.repeat(64)}@example.com`,
    ];
    const bad = [
      'a@b',
      'a..b@example.com',
      '.a@example.com',
      'a@-x.com',
      'a@x-.com',
      'a b@example.com',
      '\u212Aane@example.com',
      `${'l'.repeat(65)}@example.com`,
      'a@example.com\nb@example.com',
    ];
    const reply = await syncCollaborators(
      apiKey,
      [...good, ...bad].map((email) => collaborator('x', { email })),
    );
    expect(reply.body.data).toMatchObject({ created: good.length });
    expect(reply.body.data.errors).toHaveLength(bad.length);
  });

  test('messages stay well-formed for any echoed value', async () => {
    const { apiKey } = await createTenant(sql);
    const ids = [`a${'\u{1F600}'.repeat(600)}`, 'a\ud800'];
    const reply = await syncCollaborators(
      apiKey,
      ids.map((id) => collaborator('x', { external_id: id })),
    );
    expect(reply.body.data.errors).toHaveLength(2);
    for (const message of reply.body.data.errors) expect(message.isWellFormed()).toBe(true);
  });

  test('counts lengths in code points', async () => {
    const { apiKey } = await createTenant(sql);
    const emoji = '\u{1F600}';
    const reply = await syncCollaborators(apiKey, [
      collaborator('fits', { name: emoji.repeat(255) }),
      collaborator('not', { name: emoji.repeat(256) }),
    ]);
    expect(reply.body.data).toMatchObject({ created: 1, total: 2 });
    expect(reply.body.data.errors).toHaveLength(1);
  });

  test('accepts metadata of up to 16 KiB', async () => {
    const { apiKey } = await createTenant(sql);
    const sized = (bytes: number) => ({ k: 'é'.repeat((bytes - 8) / 2) });
    const reply = await syncCollaborators(apiKey, [
      collaborator('fits', { metadata: sized(16 * 1024) }),
      collaborator('not', { metadata: sized(16 * 1024 + 2) }),
    ]);
    expect(reply.body.data).toMatchObject({ created: 1, total: 2 });
    expect(reply.body.data.errors[0]).toContain('metadata must have at most 16384 bytes');
  });

  test('ignores unknown members, including tenant_id', async () => {
    const mine = await createTenant(sql);
    const other = await createTenant(sql);
    const reply = await syncCollaborators(mine.apiKey, [
      collaborator('ana', { tenant_id: other.id, id: other.id, x: 1 }),
    ]);
    expect(reply.body.data.created).toBe(1);
    expect(await stored(other.id)).toHaveLength(0);
    expect(await stored(mine.id)).toHaveLength(1);
  });

  test('accepts 500 at once, rejects 501, and returns zeros for an empty array', async () => {
    const { id, apiKey } = await createTenant(sql);
    const many = Array.from({ length: 501 }, (_, i) => collaborator(`c${i}`));
    const full = await syncCollaborators(apiKey, many.slice(0, 500));
    expect(full.body.data).toEqual({ created: 500, existing: 0, errors: [], total: 500 });
    const over = await syncCollaborators(apiKey, many);
    expect(over.status).toBe(400);
    expect(over.body.error).toMatchObject({
      code: 'VALIDATION_ERROR',
      details: [{ field: 'collaborators', message: 'must have at most 500 items' }],
    });
    const empty = await sync(apiKey, { action: 'sync_collaborators', collaborators: [] });
    expect(empty.body.data).toEqual({ created: 0, existing: 0, errors: [], total: 0 });
    expect(await stored(id)).toHaveLength(500);
  });

  test('concurrent requests with one batch create each collaborator once', async () => {
    const { id, apiKey } = await createTenant(sql);
    const batch = Array.from({ length: 50 }, (_, i) => collaborator(`c${i}`));
    const replies = await Promise.all(
      Array.from({ length: 8 }, (_, i) => syncCollaborators(apiKey, i % 2 ? batch : batch.toReversed())),
    );
    expect(replies.map(({ status }) => status)).toEqual(Array(8).fill(200));
    expect(replies.reduce((sum, { body }) => sum + body.data.created, 0)).toBe(50);
    expect(replies.reduce((sum, { body }) => sum + body.data.existing, 0)).toBe(350);
    expect(await stored(id)).toHaveLength(50);
  });
});
