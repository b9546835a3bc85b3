// Contacts, deals and tasks of RD Station CRM, which are leads, deals and activities here.
import { z } from 'zod';
import type {
  ConnectOptions,
  CrmActivity,
  CrmDeal,
  CrmLead,
  CrmRecords,
  CrmValues,
  DealValues,
  LeadValues,
  RecordKind,
  WritableKind,
} from '../crm.ts';
import { CrmRejected } from '../errors.ts';
import type { Data, RdClient } from './client.ts';
import { createFields } from './custom-fields.ts';
import { DONE, NEW_PHONE_TYPE, STATUS, TASK } from './facts.ts';
import { createLostReasons, createOrganizations } from './references.ts';
import { type Contact, contactSchema, type Deal, dealSchema, taskSchema } from './schemas.ts';

interface Records {
  /** Converts records. Leaves out the last ones if they need more than `maxRequests` requests for names. */
  readers: {
    [K in RecordKind]: (rows: readonly unknown[], maxRequests: number) => Promise<CrmRecords[K][]>;
  };
  /** The members to write. `current` is the record as it is; undefined for a new one. */
  writers: {
    [K in WritableKind]: (change: Partial<CrmValues[K]>, current: unknown) => Promise<Data>;
  };
}

/** What a deal has here that was lost without a reason there. */
const NO_REASON = '-';

export function createRecords(client: RdClient, { customKeys }: ConnectOptions): Records {
  const fieldsOf = createFields(client, customKeys);
  const organizations = createOrganizations(client);
  const lostReasons = createLostReasons(client);

  return {
    readers: {
      async lead(rows, maxRequests) {
        const contacts = client.parse(z.array(contactSchema), rows, 'contacts');
        const names = await organizations.load(contacts, maxRequests);
        const fields = await fieldsOf('lead');
        const unnamed = contacts.findIndex(({ organization_id: id }) => id !== null && !names.has(id));
        return contacts.slice(0, unnamed < 0 ? undefined : unnamed).map((contact) =>
          toLead(contact, {
            company: names.get(contact.organization_id ?? '') ?? null,
            custom: fields.toValues(contact.custom_fields),
          }),
        );
      },
      async deal(rows, _) {
        const deals: CrmDeal[] = [];
        const fields = await fieldsOf('deal');
        for (const deal of client.parse(z.array(dealSchema), rows, 'deals')) {
          const custom = fields.toValues(deal.custom_fields);
          const reason = deal.status === STATUS.lost ? deal.lost_reason_id : null;
          deals.push(toDeal(deal, { custom, lossReason: await lostReasons.nameOf(reason) }));
        }
        return deals;
      },
      activity: async (rows) => client.parse(z.array(taskSchema), rows, 'tasks').map(toActivity),
    },
    writers: {
      async lead(change, current) {
        const contact = current === undefined ? undefined : client.parse(contactSchema, current, 'contact');
        const custom = change.custom && (await fieldsOf('lead')).fromValues(change.custom);
        return { ...fromLead(change, contact), ...customMembers(custom, contact) };
      },
      async deal(change, current) {
        const deal = current === undefined ? undefined : client.parse(dealSchema, current, 'deal');
        const custom = change.custom && (await fieldsOf('deal')).fromValues(change.custom);
        const lossReason = change.lossReason === NO_REASON ? null : change.lossReason;
        const reason = lossReason ? await lostReasons.idOf(lossReason) : undefined;
        if (lossReason && reason === undefined)
          throw new CrmRejected(`RD Station CRM has no lost reason "${lossReason}".`);
        return {
          ...fromDeal(change, deal),
          ...(reason && { lost_reason_id: reason }),
          ...customMembers(custom, deal),
        };
      },
    },
  };
}

/** Whether RD keeps custom fields that are not sent is not documented, so all are sent. */
const customMembers = (custom: Data = {}, current?: Contact | Deal): Data =>
  Object.keys(custom).length === 0 ? {} : { custom_fields: { ...current?.custom_fields, ...custom } };

const toLead = (contact: Contact, names: Pick<LeadValues, 'company' | 'custom'>): CrmLead => ({
  id: contact.id,
  updatedAt: contact.updated_at,
  values: {
    name: contact.name,
    email: contact.emails.find(({ email }) => email)?.email?.toLowerCase() ?? null,
    phone: contact.phones.find(({ phone }) => phone)?.phone ?? null,
    position: contact.job_title,
    ...names,
  },
});

/** Other addresses and numbers are kept. A contact has no owner to write. */
const fromLead = ({ name, email, phone, position }: Partial<LeadValues>, current?: Contact): Data => ({
  ...(name !== undefined && { name }),
  ...(position !== undefined && { job_title: position }),
  ...(email !== undefined && { emails: replaceFirst(current?.emails ?? [], 'email', email, {}) }),
  ...(phone !== undefined && {
    phones: replaceFirst(current?.phones ?? [], 'phone', phone, { type: NEW_PHONE_TYPE }),
  }),
});

function replaceFirst(items: readonly Data[], member: string, value: string | null, defaults: Data): Data[] {
  const [first, ...others] = items.filter((item) => item[member]);
  const kept = others.filter((item) => item[member] !== value);
  return value === null ? kept : [{ ...defaults, ...first, [member]: value }, ...kept];
}

function toDeal(deal: Deal, names: Pick<DealValues, 'lossReason' | 'custom'>): CrmDeal {
  const status = deal.status === STATUS.won || deal.status === STATUS.lost ? deal.status : 'open';
  return {
    id: deal.id,
    updatedAt: deal.updated_at,
    pipeline: deal.pipeline_id,
    closedAt: status === 'open' ? null : deal.closed_at,
    values: {
      name: deal.name,
      value: totalOf(deal),
      currency: null,
      stage: deal.stage_id,
      status,
      owner: deal.owner_id,
      contact: deal.contact_ids[0] ?? null,
      expectedCloseDate: deal.expected_close_date?.slice(0, 10) ?? null,
      ...names,
    },
  };
}

/** Null if the deal has no price. */
export function totalOf({ total_price, one_time_price, recurrence_price }: Deal): number | null {
  if (total_price !== null || (one_time_price ?? recurrence_price) === null) return total_price;
  return (one_time_price ?? 0) + (recurrence_price ?? 0);
}

/** Other contacts and the recurring price are kept. */
function fromDeal(change: Partial<DealValues>, current?: Deal): Data {
  const { name, value, stage, status, owner, contact, expectedCloseDate } = change;
  const otherContacts = current?.contact_ids.slice(1).filter((id) => id !== contact) ?? [];
  return {
    ...(name !== undefined && { name }),
    ...(value !== undefined && { one_time_price: oneTimePrice(value ?? 0, current) }),
    ...(stage && { stage_id: stage }),
    ...(status && { status: STATUS[status] }),
    ...(owner !== undefined && { owner_id: owner }),
    ...(contact !== undefined && { contact_ids: contact === null ? [] : [contact, ...otherContacts] }),
    ...(expectedCloseDate !== undefined && { expected_close_date: expectedCloseDate }),
  };
}

function oneTimePrice(value: number, current: Deal | undefined): number {
  const price = Math.round((value - (current?.recurrence_price ?? 0)) * 100) / 100;
  if (price < 0) throw new CrmRejected('value: the recurring price in RD Station CRM is higher.');
  return price;
}

function toActivity(task: z.infer<typeof taskSchema>): CrmActivity {
  const isDone = task.status === DONE;
  return {
    id: task.id,
    number: task.id,
    updatedAt: task.updated_at,
    type: TASK + task.type,
    isDone,
    doneAt: isDone ? task.completed_at : null,
    owner: task.owner_ids[0] ?? task.completed_by_id,
  };
}
