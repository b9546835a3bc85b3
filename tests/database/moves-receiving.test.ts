// The receiving side of a move, whose other side may be hostile, accepts only rows of the moved tenant.
import type postgres from 'postgres';
import { expect, test } from 'vitest';
import { connectDatabase } from '../support/database.ts';
import { createWorkspace, inTransaction, refusal } from '../support/gamification/gamification.ts';

const sql = connectDatabase();

/** A move to this database, without the locks that a real one takes. */
async function receive(tx: postgres.TransactionSql) {
  const { id: tenantId } = await createWorkspace(tx);
  const [move] = await tx`
    insert into private.tenant_moves (tenant_id, slug, direction, moved_from, closed)
    select id, slug, 'in', 'https://source.example/functions/v1', true from public.tenants where id = ${tenantId} returning id`;
  const [user] = await tx`select id from public.users where tenant_id = ${tenantId} limit 1`;
  return { id: move?.id as string, tenantId, userId: user?.id as string };
}

async function addAccount(tx: postgres.TransactionSql, email: string): Promise<string> {
  const [account] = await tx`
    insert into auth.users (id, aud, role, email, encrypted_password, is_sso_user)
    values (gen_random_uuid(), 'authenticated', 'authenticated', ${email}, 'own', false) returning id`;
  await tx`insert into auth.identities (provider_id, user_id, identity_data, provider) values (${email}, ${account?.id}, '{}', 'email')`;
  return account?.id;
}

interface Sent {
  id: string;
  email: string;
  identities?: object[];
}

const link = (
  tx: postgres.TransactionSql,
  move: { id: string; userId: string },
  { id, email, identities = [] }: Sent,
) => tx`
  select outcome from private.link_accounts(${move.id}, ${tx.json([
    {
      user_id: move.userId,
      account: {
        id,
        email,
        aud: 'x',
        role: 'service_role',
        is_super_admin: true,
        is_sso_user: false,
        is_anonymous: false,
        encrypted_password: 'sent',
      },
      tie: null,
      identities,
      shared: false,
    },
  ] as never)})`;

const accountOf = async (tx: postgres.TransactionSql, id: string) =>
  (await tx`select email, aud, role, is_super_admin, encrypted_password from auth.users where id = ${id}`)[0];

test('an account that existed before the move is neither changed nor deleted, even if the source sends its id', () =>
  inTransaction(sql, async (tx) => {
    const move = await receive(tx);
    const before = await accountOf(tx, await addAccount(tx, 'operator@move.example'));
    const [{ id } = {}] = await tx`select id from auth.users where email = 'operator@move.example'`;
    for (const email of ['operator@move.example', 'other@move.example']) {
      await link(tx, move, { id, email });
      expect(await accountOf(tx, id)).toEqual(before);
    }
    await tx`select private.forget_copied_accounts(${move.id}, ${[id]})`;
    expect(await accountOf(tx, id)).toEqual(before);
  }));

test('an account that it creates has no other role, gets changes by the same move, and goes with it', () =>
  inTransaction(sql, async (tx) => {
    const move = await receive(tx);
    const stranger = await addAccount(tx, 'stranger@move.example');
    const [identity] = await tx`select id from auth.identities where user_id = ${stranger}`;
    const id = crypto.randomUUID();
    const sent = (own: string, userId: string) => ({
      id: own,
      user_id: userId,
      provider_id: own,
      provider: 'google',
      identity_data: {},
    });
    for (const email of ['new@move.example', 'newer@move.example']) {
      const identities = [sent(id, stranger), sent(identity?.id, id)];
      expect(await link(tx, move, { id, email, identities })).toEqual([{ outcome: 'copied' }]);
      expect(await accountOf(tx, id)).toEqual({
        email,
        aud: 'authenticated',
        role: 'authenticated',
        is_super_admin: null,
        encrypted_password: 'sent',
      });
    }
    const identities = await tx`
      select provider, user_id from auth.identities where user_id = any (${[id, stranger]}) order by provider`;
    expect(identities).toEqual([
      { provider: 'email', user_id: stranger },
      { provider: 'google', user_id: id },
    ]);
    await tx`select private.forget_copied_accounts(${move.id}, ${[id, stranger]})`;
    expect([await accountOf(tx, id), (await accountOf(tx, stranger))?.email]).toEqual([
      undefined,
      'stranger@move.example',
    ]);
  }));

test('keys are stored for accounts of the moved tenant only', () =>
  inTransaction(sql, async (tx) => {
    const move = await receive(tx);
    const other = await createWorkspace(tx);
    const [account] = await tx`
      insert into public.provider_accounts (tenant_id, provider) values (${other.id}, 'stripe') returning id`;
    const secrets = [{ account_id: account?.id, api_key: { secret: 'sk_live_stolen', name: null } }];
    const store = (sp: postgres.TransactionSql) =>
      sp`select private.store_provider_secrets(${move.id}, ${sp.json(secrets as never)})`;
    expect(await refusal(tx, store)).toBe('secrets: are of an account that the tenant does not have');
    expect(await tx`select from private.provider_secrets where account_id = ${account?.id}`).toHaveLength(0);
  }));
