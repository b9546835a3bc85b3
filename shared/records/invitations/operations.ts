// Invitations into the workspace. SQL of the table `invitations`; mails and the users' states follow by trigger.
import type { Context } from '../../platform/context.ts';
import type { Sql, Statement } from '../../platform/db/database.ts';
import { oneRow } from '../../platform/db/rows.ts';
import { withDomainErrors } from '../domain-errors.ts';
import { type List, moment, word } from '../list.ts';
import type { Row } from '../variants/naming.ts';

export const invitationList: List = {
  table: 'invitations',
  filters: {
    created_after: moment('invited_at', 'after'),
    created_before: moment('invited_at', 'before'),
    status: (value, naming, name) => {
      const read = word(value, naming, name);
      return 'rule' in read ? read : { op: 'invitation_status', value };
    },
  },
  sorts: ['invited_at'],
  record: (sql) => sql`app.invitation_record(r)`,
};

/** Sends it again, with a fresh time to accept it. Throws `not_found`, `conflict` for one that is accepted or revoked. */
export async function resendInvitation({ write, tenantId }: Context, invitationId: string): Promise<Row> {
  const [rows] = await withDomainErrors(
    write((sql) => [
      settle(
        sql,
        tenantId,
        invitationId,
        sql`
          update public.invitations i
          set invited_at = clock_timestamp(), expires_at = clock_timestamp() + interval '24 hours'
          where i.tenant_id = ${tenantId} and i.id = ${invitationId} and i.status = 'pending'
          returning app.invitation_record(i) as record`,
      ),
    ]),
  );
  return oneRow<{ record: Row }>(rows).record;
}

/** Takes it back: it can never be accepted. Throws `not_found`, `conflict` for one that is accepted or revoked. */
export async function revokeInvitation({ write, tenantId }: Context, invitationId: string): Promise<void> {
  await withDomainErrors(
    write((sql) => [
      settle(
        sql,
        tenantId,
        invitationId,
        sql`
          update public.invitations i set status = 'revoked'
          where i.tenant_id = ${tenantId} and i.id = ${invitationId} and i.status = 'pending'
          returning to_jsonb(1) as record`,
      ),
    ]),
  );
}

function settle(sql: Sql, tenantId: string, invitationId: string, change: Statement): Statement {
  return sql`
    with changed as (${change})
    select coalesce((select record from changed), app.raise_domain_error(
      case when exists (select from public.invitations i where i.tenant_id = ${tenantId} and i.id = ${invitationId})
           then 'invitation_settled' else 'invitation_missing' end
    )) as record`;
}
