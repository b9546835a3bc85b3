import type { RdRow } from '../../../local/crms/rd-station/state.ts';
import { atRdStation, PEOPLE, PIPELINE } from '../connectors.ts';
import { type Contact, type CrmDriver, type CrmSide, type Deal, only } from './driver.ts';

const KINDS = { lead: 'contacts', deal: 'deals', activity: 'tasks' } as const;
const STATUS: Record<string, string> = { ongoing: 'open' };

function at(vendorId: string): CrmSide {
  const control = atRdStation();
  const rows = async () => (await control.account(vendorId, 'rows')).rows;
  const named = (list: RdRow[], member: string, value: string) =>
    only(list.filter((row) => row[member] === value)).id;
  const add = async (kind: 'contacts' | 'deals' | 'tasks', list: object[], isSilent: boolean) => {
    const values = list.map((one) => ({ ...one }));
    if (isSilent) return (await control.addMany(vendorId, kind, values)).map(({ id }) => id);
    const ids: string[] = [];
    for (const one of values) ids.push((await control.add(vendorId, kind, one)).id);
    return ids;
  };
  const contactOf = ({ name, email, phone, position }: Contact) => ({
    name,
    ...(email !== null && { emails: [{ email }] }),
    ...(phone !== undefined && { phones: [{ phone, type: 'mobile' }] }),
    ...(position !== undefined && { job_title: position }),
  });
  const dealsOf = async (deals: Deal[]) => {
    const { stages, users } = await rows();
    return deals.map(({ name, value, stage, contact, owner }) => ({
      ...{ name, one_time_price: value },
      ...(stage !== undefined && { stage_id: named(stages, 'name', stage) }),
      ...(contact !== undefined && { contact_ids: [contact] }),
      ...(owner !== undefined && { owner_id: named(users, 'email', owner) }),
    }));
  };
  return {
    addContacts: (contacts, isSilent = false) => add('contacts', contacts.map(contactOf), isSilent),
    addDeals: async (deals, isSilent = false) => add('deals', await dealsOf(deals), isSilent),
    async changeContact(id, { name, phone, position }) {
      await control.patch(vendorId, 'contacts', id, {
        ...(name !== undefined && { name }),
        ...(phone !== undefined && { phones: [{ phone, type: 'mobile' }] }),
        ...(position !== undefined && { job_title: position }),
      });
    },
    async changeDeal(id, { name, value, stage }) {
      await control.patch(vendorId, 'deals', id, {
        ...(name !== undefined && { name }),
        ...(value !== undefined && { one_time_price: value }),
        ...(stage !== undefined && { stage_id: named((await rows()).stages, 'name', stage) }),
      });
    },
    async close(id, closing) {
      const { lost_reasons: reasons } = await rows();
      await control.patch(vendorId, 'deals', id, {
        status: closing.status === 'open' ? 'ongoing' : closing.status,
        ...(closing.status === 'lost' && { lost_reason_id: named(reasons, 'name', closing.reason) }),
      });
    },
    async contact(id) {
      const { name, emails, phones } = await control.record(vendorId, 'contacts', id);
      const [email] = emails as { email: string }[];
      const [phone] = phones as { phone: string }[];
      return { name: String(name), email: email?.email ?? null, phone: phone?.phone ?? null };
    },
    async deal(id) {
      const {
        name,
        total_price: value,
        status,
        stage_id: stage,
      } = await control.record(vendorId, 'deals', id);
      const { name: stageName } = only((await rows()).stages.filter((one) => one.id === stage));
      const ours = STATUS[String(status)] ?? String(status);
      return { name: String(name), value: Number(value), status: ours, stage: String(stageName) };
    },
    count: async (kind) => (await rows())[KINDS[kind]].length,
    remove: async (kind, id) => void (await control.remove(vendorId, KINDS[kind], id)),
    restore: async (kind, id) => void (await control.restore(vendorId, KINDS[kind], id)),
    merge: async (winner, loser) => void (await control.merge(vendorId, winner, loser)),
    async addActivity(owner, isDone) {
      const { users } = await rows();
      const values = { name: 'Ligar', type: 'call', owner_ids: [named(users, 'email', owner)] };
      const id = only(await add('tasks', [values], false));
      if (isDone) await control.setDone(vendorId, id, true);
      return id;
    },
    setDone: async (id, isDone) => void (await control.setDone(vendorId, id, isDone)),
    webhookCount: async () => (await control.webhooks(vendorId)).length,
    dropWebhooks: async () => void (await control.dropWebhooks(vendorId)),
    loseWebhooks: async () =>
      void (await control.webhookFault({ kind: 'lost', times: 1_000_000, account: vendorId })),
    fault: async (order) => void (await control.fault({ ...order, account: vendorId })),
    requests: (filter) => control.requests({ ...filter, account: vendorId }),
    forgetRequests: async () => void (await control.forgetRequests({ account: vendorId })),
  };
}

export const rdStation: CrmDriver = {
  ...{ crm: 'rd_station', at, activityType: 'task:call', tellsMerges: false, allowsSameEmail: true },
  async createAccount() {
    const { id, clientId, clientSecret, refreshToken } = await atRdStation().createAccount({
      users: PEOPLE,
      pipelines: [PIPELINE],
      lostReasons: ['Preço'],
      options: { requestsPerMinute: 10_000 },
    });
    const credentials = { client_id: clientId, client_secret: clientSecret, refresh_token: refreshToken };
    return { vendorId: id, credentials };
  },
  writes: {
    create: { method: 'POST', path: '/crm/v2/contacts' },
    update: { method: 'PUT', path: '/crm/v2/contacts/*' },
  },
  listsContacts: { method: 'GET', path: '/crm/v2/contacts' },
  isWrite: ({ method, path }) => method !== 'GET' && !/\/(webhooks|token)/.test(path),
  webhookProof: 'path',
};
