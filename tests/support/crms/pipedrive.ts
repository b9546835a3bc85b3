import type { PipedriveRow } from '../../../local/crms/pipedrive/state.ts';
import { atPipedrive, PEOPLE, PIPELINE } from '../connectors.ts';
import { type Contact, type CrmDriver, type CrmSide, type Deal, only } from './driver.ts';

const KINDS = { lead: 'persons', deal: 'deals', activity: 'activities' } as const;

function at(vendorId: string): CrmSide {
  const control = atPipedrive();
  const rows = async () => (await control.account(vendorId, 'rows')).rows;
  const named = (list: PipedriveRow[], member: string, value: string) =>
    only(list.filter((row) => row[member] === value)).id;
  const add = async (kind: 'persons' | 'deals' | 'activities', list: object[], isSilent: boolean) => {
    const values = list.map((one) => ({ ...one }));
    if (isSilent) return (await control.addMany(vendorId, kind, values)).map(({ id }) => String(id));
    const ids: string[] = [];
    for (const one of values) ids.push(String((await control.add(vendorId, kind, one)).id));
    return ids;
  };
  const personOf = ({ name, email, phone, position }: Contact) => ({
    name,
    ...(email !== null && { emails: [{ value: email, primary: true, label: 'work' }] }),
    ...(phone !== undefined && { phones: [{ value: phone, primary: true, label: 'work' }] }),
    ...(position !== undefined && { job_title: position }),
  });
  const dealOf = async (deals: Deal[]) => {
    const { stages, users } = await rows();
    return deals.map(({ name, value, stage, contact, owner }) => ({
      ...{ title: name, value, currency: 'BRL' },
      ...(stage !== undefined && { stage_id: named(stages, 'name', stage) }),
      ...(contact !== undefined && { person_id: Number(contact) }),
      ...(owner !== undefined && { owner_id: named(users, 'email', owner) }),
    }));
  };
  return {
    addContacts: (contacts, isSilent = false) => add('persons', contacts.map(personOf), isSilent),
    addDeals: async (deals, isSilent = false) => add('deals', await dealOf(deals), isSilent),
    async changeContact(id, { name, phone, position }) {
      await control.patch(vendorId, 'persons', id, {
        ...(name !== undefined && { name }),
        ...(phone !== undefined && { phones: [{ value: phone, primary: true, label: 'work' }] }),
        ...(position !== undefined && { job_title: position }),
      });
    },
    async changeDeal(id, { name, value, stage }) {
      await control.patch(vendorId, 'deals', id, {
        ...(name !== undefined && { title: name }),
        ...(value !== undefined && { value }),
        ...(stage !== undefined && { stage_id: named((await rows()).stages, 'name', stage) }),
      });
    },
    async close(id, closing) {
      const reason = closing.status === 'lost' ? { lost_reason: closing.reason } : {};
      await control.patch(vendorId, 'deals', id, { status: closing.status, ...reason });
    },
    async contact(id) {
      const { name, emails, phones } = await control.record(vendorId, 'persons', id);
      const first = (list: unknown) => (list as { value: string }[])[0]?.value ?? null;
      return { name: String(name), email: first(emails), phone: first(phones) };
    },
    async deal(id) {
      const { title, value, status, stage_id: stage } = await control.record(vendorId, 'deals', id);
      const { name } = only((await rows()).stages.filter((one) => one.id === stage));
      return { name: String(title), value: Number(value), status: String(status), stage: String(name) };
    },
    count: async (kind) => (await rows())[KINDS[kind]].filter((row) => row.is_deleted !== true).length,
    remove: async (kind, id) => void (await control.remove(vendorId, KINDS[kind], id)),
    restore: async (kind, id) => void (await control.restore(vendorId, KINDS[kind], id)),
    merge: async (winner, loser) =>
      void (await control.merge(vendorId, 'persons', Number(winner), Number(loser))),
    async addActivity(owner, done) {
      const { users } = await rows();
      const values = { subject: 'Ligar', type: 'call', owner_id: named(users, 'email', owner) };
      const id = only(await add('activities', [values], false));
      if (done) await control.setDone(vendorId, Number(id), true);
      return id;
    },
    setDone: async (id, done) => void (await control.setDone(vendorId, Number(id), done)),
    webhookCount: async () => (await control.webhooks(vendorId)).length,
    dropWebhooks: async () => void (await control.dropWebhooks(vendorId)),
    loseWebhooks: async () =>
      void (await control.webhookFault({ kind: 'lost', times: 1_000_000, account: vendorId })),
    fault: async (order) => void (await control.fault({ ...order, account: vendorId })),
    requests: (filter) => control.requests({ ...filter, account: vendorId }),
    forgetRequests: async () => void (await control.forgetRequests({ account: vendorId })),
  };
}

export const pipedrive: CrmDriver = {
  ...{ crm: 'pipedrive', at, activityType: 'call', tellsMerges: true, allowsSameEmail: true },
  async createAccount() {
    const { id, domain, apiToken } = await atPipedrive().createAccount({
      users: PEOPLE,
      pipelines: [PIPELINE],
      options: { burst: 1000, daily: 1_000_000 },
    });
    return { vendorId: id, credentials: { domain, api_token: apiToken } };
  },
  writes: {
    create: { method: 'POST', path: '/api/v2/persons' },
    update: { method: 'PATCH', path: '/api/v2/persons/*' },
  },
  listsContacts: { method: 'GET', path: '/api/v2/persons' },
  isWrite: ({ method, path }) => method !== 'GET' && path.startsWith('/api/v2/'),
  webhookProof: 'basic',
};
