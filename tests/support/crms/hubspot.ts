import { atHubspot, PEOPLE, PIPELINE } from '../connectors.ts';
import { type Contact, type CrmDriver, type CrmSide, type Deal, only } from './driver.ts';

const KINDS = { lead: 'contacts', deal: 'deals', activity: 'tasks' } as const;

function namesOf(name: string): { firstname: string; lastname: string } {
  const [firstname = '', ...rest] = name.split(' ');
  return { firstname, lastname: rest.join(' ') };
}

function at(vendorId: string): CrmSide {
  const control = atHubspot();
  const account = () => control.account(vendorId, 'pipelines', 'owners', 'rows');
  const stages = async () => (await account()).pipelines.flatMap((pipeline) => pipeline.stages);
  const stageNamed = async (name: string) => only((await stages()).filter(({ label }) => label === name)).id;
  const ownerOf = async (address: string) =>
    only((await account()).owners.filter(({ email }) => email === address)).id;
  const add = async (kind: 'contacts' | 'deals' | 'tasks', list: object[], isSilent: boolean) => {
    const values = list.map((one) => ({ ...one }));
    if (isSilent) return (await control.addMany(vendorId, kind, values)).map(({ id }) => id);
    const ids: string[] = [];
    for (const one of values) ids.push((await control.add(vendorId, kind, one)).id);
    return ids;
  };
  const contactOf = ({ name, email, phone, position }: Contact) => ({
    ...namesOf(name),
    ...(email !== null && { email }),
    ...(phone !== undefined && { phone }),
    ...(position !== undefined && { jobtitle: position }),
  });
  const dealOf = async ({ name, value, stage, owner }: Deal) => ({
    ...{ dealname: name, amount: String(value), deal_currency_code: 'BRL' },
    ...(stage !== undefined && { dealstage: await stageNamed(stage) }),
    ...(owner !== undefined && { hubspot_owner_id: await ownerOf(owner) }),
  });
  return {
    addContacts: (contacts, isSilent = false) => add('contacts', contacts.map(contactOf), isSilent),
    async addDeals(deals, isSilent = false) {
      const values: object[] = [];
      for (const deal of deals) values.push(await dealOf(deal));
      const ids = await add('deals', values, isSilent);
      for (const [index, { contact }] of deals.entries())
        if (contact !== undefined)
          await control.associate(vendorId, 'deals', ids[index] ?? '', 'contacts', contact);
      return ids;
    },
    async changeContact(id, { name, phone, position }) {
      await control.patch(vendorId, 'contacts', id, {
        ...(name !== undefined && namesOf(name)),
        ...(phone !== undefined && { phone }),
        ...(position !== undefined && { jobtitle: position }),
      });
    },
    async changeDeal(id, { name, value, stage }) {
      await control.patch(vendorId, 'deals', id, {
        ...(name !== undefined && { dealname: name }),
        ...(value !== undefined && { amount: String(value) }),
        ...(stage !== undefined && { dealstage: await stageNamed(stage) }),
      });
    },
    async close(id, closing) {
      const stage = { won: 'Negócio fechado', lost: 'Negócio perdido', open: PIPELINE.stages[0] ?? '' };
      await control.patch(vendorId, 'deals', id, {
        dealstage: await stageNamed(stage[closing.status]),
        ...(closing.status === 'lost' && { closed_lost_reason: closing.reason }),
      });
    },
    async contact(id) {
      const { properties } = await control.record(vendorId, 'contacts', id);
      const name = [properties.firstname, properties.lastname].filter(Boolean).join(' ');
      return { name, email: properties.email ?? null, phone: properties.phone ?? null };
    },
    async deal(id) {
      const { properties } = await control.record(vendorId, 'deals', id);
      const stage = (await stages()).find((one) => one.id === properties.dealstage);
      const isWon = properties.hs_is_closed_won === 'true';
      const status = properties.hs_is_closed !== 'true' ? 'open' : isWon ? 'won' : 'lost';
      const { dealname, amount } = properties;
      return { name: dealname ?? '', value: Number(amount), status, stage: stage?.label };
    },
    count: async (kind) => (await account()).rows[KINDS[kind]].length,
    remove: async (kind, id) => void (await control.remove(vendorId, KINDS[kind], id)),
    restore: async (kind, id) => void (await control.restore(vendorId, KINDS[kind], id)),
    merge: async (winner, loser) => void (await control.merge(vendorId, 'contacts', winner, loser)),
    async addActivity(owner, isDone) {
      const values = {
        ...{ hs_task_subject: 'Ligar', hs_task_status: 'NOT_STARTED', hs_timestamp: await control.now() },
        hubspot_owner_id: await ownerOf(owner),
      };
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

export const hubspot: CrmDriver = {
  ...{ crm: 'hubspot', at, activityType: 'tasks', tellsMerges: true, allowsSameEmail: false },
  async createAccount() {
    const { id, token, clientSecret } = await atHubspot().createAccount({
      users: PEOPLE,
      pipelines: [PIPELINE],
      options: { per10Seconds: 1000, searchesPerSecond: 100 },
    });
    return { vendorId: id, credentials: { access_token: token, client_secret: clientSecret ?? '' } };
  },
  setUpWebhooks: (vendorId, setup) => atHubspot().configureWebhooks(vendorId, setup),
  writes: {
    create: { method: 'POST', path: '/crm/objects/*/contacts' },
    update: { method: 'PATCH', path: '/crm/objects/*/contacts/*' },
  },
  listsContacts: { method: 'POST', path: '/crm/objects/*/contacts/search' },
  isWrite: ({ method, path }) => method !== 'GET' && !/\/(search|batch\/read)$/.test(path),
  webhookProof: 'signature',
};
