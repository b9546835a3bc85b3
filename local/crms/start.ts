// Starts the fakes of RD Station CRM, Pipedrive and HubSpot, with the CRM of a Brazilian sales company at each.
import { join } from 'node:path';
import { people } from '../../scripts/demo/people.ts';
import { type Secrets, saveSecrets } from '../secrets.ts';
import { activities, companies, contacts, deals, lostReasons, pipelines } from './demo-data.ts';
import { type Hubspot, startHubspot } from './hubspot/index.ts';
import { type Pipedrive, startPipedrive } from './pipedrive/index.ts';
import { type RdStation, startRdStation } from './rd-station/index.ts';

/** Credentials of the demo company at each CRM, as `admin.connect_crm` takes them. */
export interface CrmCredentials {
  rd_station: { client_id: string; client_secret: string; refresh_token: string };
  pipedrive: { domain: string; api_token: string };
  hubspot: { access_token: string; client_secret: string };
}

export interface RunningCrms {
  rdStation: RdStation;
  pipedrive: Pipedrive;
  hubspot: Hubspot;
  /** Settings for the functions. */
  settings: Record<string, string>;
}

interface CrmControls {
  rdStation: Pick<RdStation, 'control'>;
  pipedrive: Pick<Pipedrive, 'control'>;
  hubspot: Pick<Hubspot, 'control'>;
}

/** Starts all three without accounts. `version` is HubSpot's in paths. `dir` is the folder for their state; without it, they have none. */
export async function startCrms(
  dir: string | undefined,
  onStop: (end: () => Promise<unknown>) => void,
  version?: string | undefined,
): Promise<RunningCrms> {
  const stateDir = dir === undefined ? undefined : join(dir, 'crms');
  const rdStation = await startRdStation({ stateDir });
  onStop(() => rdStation.stop());
  const pipedrive = await startPipedrive({ stateDir });
  onStop(() => pipedrive.stop());
  const hubspot = await startHubspot({ stateDir, version });
  onStop(() => hubspot.stop());
  const settings = {
    RD_STATION_URL: `${rdStation.url}/crm/v2`,
    RD_STATION_TOKEN_URL: `${rdStation.url}/oauth2/token`,
    PIPEDRIVE_URL: pipedrive.url,
    HUBSPOT_URL: hubspot.url,
  };
  return { rdStation, pipedrive, hubspot, settings };
}

/** The demo company's credentials. It is added on the first start in a folder. */
export async function ensureDemoCompany(
  crms: RunningCrms,
  { dir, secrets }: { dir: string; secrets: Secrets },
): Promise<CrmCredentials> {
  if (!secrets.demoCrms) {
    secrets.demoCrms = await addDemoCompany(crms);
    await saveSecrets(dir, secrets);
  }
  return secrets.demoCrms;
}

/** Sales people, who are users of the CRMs. */
const users = people.slice(0, 6).map(({ name, email }) => ({ name, email }));
const at = <T>(list: readonly T[], index: number): T => {
  const found = list[index % list.length];
  if (found === undefined) throw new Error('The list is empty.');
  return found;
};

/** Adds the demo company to each CRM: 6 users, 2 pipelines, 12 companies, 40 contacts, 24 deals and 16 activities. */
export async function addDemoCompany({
  rdStation,
  pipedrive,
  hubspot,
}: CrmControls): Promise<CrmCredentials> {
  const [rd, pd, hs] = await Promise.all([
    addToRdStation(rdStation),
    addToPipedrive(pipedrive),
    addToHubspot(hubspot),
  ]);
  return {
    rd_station: { client_id: rd.clientId, client_secret: rd.clientSecret, refresh_token: rd.refreshToken },
    pipedrive: { domain: pd.domain, api_token: pd.apiToken },
    hubspot: { access_token: hs.token, client_secret: hs.clientSecret ?? '' },
  };
}

async function addToRdStation({ control }: CrmControls['rdStation']) {
  const made = await control.createAccount({ users, pipelines, lostReasons });
  const { id } = made;
  const account = await control.account(id, 'rows');
  const organizations = await control.addMany(
    id,
    'organizations',
    companies.map((name) => ({ name })),
  );
  const added = await control.addMany(
    id,
    'contacts',
    contacts.map((contact, index) => ({
      ...{ name: contact.name, job_title: contact.jobTitle, organization_id: at(organizations, index).id },
      ...{
        emails: contact.emails.map((email) => ({ email })),
        phones: [{ phone: contact.phone, type: 'mobile' }],
      },
    })),
  );
  const owner = (index: number) => at(account.rows.users, index).id;
  const sold = await control.addMany(
    id,
    'deals',
    deals.map((deal, index) => ({
      ...{ name: deal.name, one_time_price: deal.value, stage_id: at(account.rows.stages, deal.stage).id },
      ...{
        contact_ids: [at(added, index).id],
        owner_id: owner(index),
        expected_close_date: deal.expectedCloseDate,
      },
      status: deal.status === 'open' ? 'ongoing' : deal.status,
      ...(deal.status === 'lost' && { lost_reason_id: at(account.rows.lost_reasons, index).id }),
    })),
  );
  await control.addMany(
    id,
    'tasks',
    activities.map(({ subject, type, done }, index) => ({
      ...{ name: subject, type, status: done ? 'completed' : 'open', deal_id: at(sold, index).id },
      owner_ids: [owner(index)],
    })),
  );
  return made;
}

async function addToPipedrive({ control }: CrmControls['pipedrive']) {
  const made = await control.createAccount({ domain: 'vendas-brasil', users, pipelines });
  const { id } = made;
  const account = await control.account(id, 'rows');
  const organizations = await control.addMany(
    id,
    'organizations',
    companies.map((name) => ({ name })),
  );
  const owner = (index: number) => at(account.rows.users, index).id;
  const persons = await control.addMany(
    id,
    'persons',
    contacts.map((contact, index) => ({
      ...{ name: contact.name, org_id: at(organizations, index).id, owner_id: owner(index) },
      ...{
        emails: contact.emails.map((value) => ({ value })),
        phones: [{ value: contact.phone, label: 'mobile' }],
      },
      job_title: contact.jobTitle,
    })),
  );
  const sold = await control.addMany(
    id,
    'deals',
    deals.map((deal, index) => ({
      ...{ title: deal.name, value: deal.value, stage_id: at(account.rows.stages, deal.stage).id },
      ...{ person_id: at(persons, index).id, org_id: at(organizations, index).id, owner_id: owner(index) },
      ...{ status: deal.status, expected_close_date: deal.expectedCloseDate },
      ...(deal.status === 'lost' && { lost_reason: at(lostReasons, index) }),
    })),
  );
  await control.addMany(
    id,
    'activities',
    activities.map(({ subject, type, done }, index) => ({
      ...{ subject, type, done, deal_id: at(sold, index).id, owner_id: owner(index) },
    })),
  );
  return made;
}

async function addToHubspot({ control }: CrmControls['hubspot']) {
  const made = await control.createAccount({ users, pipelines });
  const { id } = made;
  const account = await control.account(id, 'owners', 'pipelines');
  const owner = (index: number) => at(account.owners, index).id;
  const seen = new Set<string>();
  const persons = await control.addMany(
    id,
    'contacts',
    contacts.map(({ name, emails, phone, jobTitle }, index) => {
      const [firstname = '', ...rest] = name.split(' ');
      const [email = ''] = emails;
      // HubSpot refuses a second contact with the same e-mail.
      const isNew = email !== '' && !seen.has(email);
      seen.add(email);
      const names = { firstname, lastname: rest.join(' '), company: at(companies, index) };
      return { ...names, phone, jobtitle: jobTitle, hubspot_owner_id: owner(index), ...(isNew && { email }) };
    }),
  );
  const stages = account.pipelines.flatMap(({ id: pipeline, stages: all }) => {
    const open = all.filter(({ metadata }) => metadata.isClosed === 'false');
    const closed = (probability: number) =>
      all.find(
        ({ metadata }) => metadata.isClosed === 'true' && Number(metadata.probability) === probability,
      );
    return open.map((stage) => ({ pipeline, open: stage, won: closed(1), lost: closed(0) }));
  });
  const sold = await control.addMany(
    id,
    'deals',
    deals.map((deal, index) => {
      const { pipeline, ...stage } = at(stages, deal.stage);
      return {
        ...{ dealname: deal.name, amount: String(deal.value), pipeline, dealstage: stage[deal.status]?.id },
        ...{ hubspot_owner_id: owner(index), closedate: deal.expectedCloseDate },
        ...(deal.status === 'lost' && { closed_lost_reason: at(lostReasons, index) }),
      };
    }),
  );
  for (const [index, { id: deal }] of sold.entries())
    await control.associate(id, 'deals', deal, 'contacts', at(persons, index).id);
  for (const [index, { subject, type, done }] of activities.entries()) {
    const common = { hs_timestamp: '2026-11-20T13:00:00Z', hubspot_owner_id: owner(index) };
    const kind = type === 'call' ? 'calls' : type === 'meeting' ? 'meetings' : 'tasks';
    const titles = { calls: 'hs_call_title', meetings: 'hs_meeting_title', tasks: 'hs_task_subject' };
    const status = kind === 'tasks' ? { hs_task_status: done ? 'COMPLETED' : 'NOT_STARTED' } : {};
    await control.addMany(id, kind, [{ ...common, [titles[kind]]: subject, ...status }]);
  }
  return made;
}
