// The console of a new tenant whose company at Pipedrive has people, deals and differences.
import type postgres from 'postgres';
import { atPipedrive, connectCrm, finishRun, PEOPLE, PIPELINE, untilCrmIs } from '../connectors.ts';
import { person } from '../records/crm-admin.ts';
import { createOwner, type ServedConsole, serveFor } from './served-console.ts';

export interface ServedCrm {
  served: ServedConsole;
  tenantId: string;
  vendorId: string;
  credentials: { domain: string; api_token: string };
}

/** Nothing is connected yet. */
export async function serveWithCompany(sql: postgres.Sql): Promise<ServedCrm> {
  const owner = await createOwner(sql);
  const company = await atPipedrive().createAccount({ users: PEOPLE, pipelines: [PIPELINE] });
  return {
    served: await serveFor(owner),
    tenantId: owner.tenantId,
    vendorId: company.id,
    credentials: { domain: company.domain, api_token: company.apiToken },
  };
}

/** A connected account with a preview, an import and open differences. Returns its path, and that of the preview. */
export async function furnishCrm(sql: postgres.Sql, { tenantId, vendorId, credentials }: ServedCrm) {
  const { rows } = await atPipedrive().account(vendorId, 'rows');
  const [davi] = await atPipedrive().addMany(vendorId, 'persons', [
    person('Davi Lima', 'davi@client.example', { job_title: 'Compras' }),
    person('Clara Nunes', 'clara@client.example'),
    person('Sem Email', null),
  ]);
  await atPipedrive().addMany(vendorId, 'deals', [
    { title: 'Website', value: 1250.5, currency: 'BRL', person_id: davi?.id, stage_id: rows.stages[1]?.id },
  ]);
  await sql`insert into leads (tenant_id, name, email, phone) values (${tenantId}, 'Clara', 'clara@client.example', '11 5555-0100')`;
  const accountId = await connectCrm(sql, tenantId, 'pipedrive', credentials);
  await untilCrmIs(sql, accountId, 'active');
  const account = { accountId } as Parameters<typeof finishRun>[1];
  const preview = await finishRun(sql, account, 'preview');
  await finishRun(sql, account, 'import');
  await sql`update leads set name = 'Davi L.' where tenant_id = ${tenantId} and email = 'davi@client.example'`;
  return { path: `/crm/${accountId}`, preview: `/crm/${accountId}/runs/${preview.id}/preview`, accountId };
}
