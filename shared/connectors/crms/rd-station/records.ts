// Contacts, deals and tasks of RD Station CRM, which are leads, deals and activities here.
import type { z } from 'zod';
import type { ConnectOptions, CrmRecords, CrmValues, RecordKind, WritableKind } from '../crm.ts';
import { CrmRejected } from '../errors.ts';
import type { Data, RdClient } from './client.ts';
import { createFields } from './custom-fields.ts';
import { DONE, NEW_PHONE_TYPE, STATUS, TASK } from './facts.ts';
import { createLostReasons, createOrganizations } from './references.ts';
import { type Contact, contactSchema, type Deal, dealSchema, type Task, taskSchema } from './schemas.ts';

export interface Rows {
  lead: Contact;
  deal: Deal;
  activity: Task;
}

/** How the records of a kind look. */
export interface Kind<K extends RecordKind> {
  schema: z.ZodType<Rows[K]>;
  /** Leaves out the last ones if they need more than `maxRequests` requests for names. */
  toRecords(rows: readonly Rows[K][], maxRequests: number): Promise<CrmRecords[K][]>;
}
export interface Writable<K extends WritableKind> extends Kind<K> {
  /** The members to write. `current` is the record as it is; undefined for a new one. */
  toData(change: Partial<CrmValues[K]>, current?: Rows[K]): Promise<Data>;
}

/** What a deal has here that was lost without a reason there. */
const NO_REASON = '-';

export const activities: Kind<'activity'> = {
  schema: taskSchema,
  toRecords: async (tasks) => tasks.map(toActivity),
};

export function createWritables(
  client: RdClient,
  { customKeys }: ConnectOptions,
): { [K in WritableKind]: Writable<K> } {
  const fieldsOf = createFields(client, customKeys);
  const organizations = createOrganizations(client);
  const lostReasons = createLostReasons(client);

  return {
    lead: {
      schema: contactSchema,
      async toRecords(contacts, maxRequests) {
        const names = await organizations.load(contacts, maxRequests);
        const fields = await fieldsOf('lead');
        const unnamed = contacts.findIndex(({ organization_id: id }) => id !== null && !names.has(id));
        return contacts.slice(0, unnamed < 0 ? undefined : unnamed).map((contact) => ({
          id: contact.id,
          updatedAt: contact.updated_at,
          values: {
            name: contact.name,
            email: contact.emails.find(({ email }) => email)?.email?.toLowerCase() ?? null,
            phone: contact.phones.find(({ phone }) => phone)?.phone ?? null,
            company: names.get(contact.organization_id ?? '') ?? null,
            position: contact.job_title,
            custom: fields.toValues(contact.custom_fields),
          },
        }));
      },
      async toData(change, current) {
        const custom = change.custom && (await fieldsOf('lead')).fromValues(change.custom);
        return { ...fromLead(change, current), custom_fields: customFields(custom, current) };
      },
    },
    deal: {
      schema: dealSchema,
      async toRecords(rows) {
        const fields = await fieldsOf('deal');
        const deals = [];
        for (const deal of rows) {
          const custom = fields.toValues(deal.custom_fields);
          const reason = deal.status === STATUS.lost ? deal.lost_reason_id : null;
          deals.push(toDeal(deal, { custom, lossReason: await lostReasons.nameOf(reason) }));
        }
        return deals;
      },
      async toData(change, current) {
        const custom = change.custom && (await fieldsOf('deal')).fromValues(change.custom);
        const { lossReason } = change;
        const hasReason = lossReason && lossReason !== NO_REASON;
        const lost_reason_id = hasReason ? await lostReasons.idOf(lossReason) : undefined;
        return { ...fromDeal(change, current), lost_reason_id, custom_fields: customFields(custom, current) };
      },
    },
  };
}

/** Whether RD keeps custom fields that are not sent is not documented, so all are sent. */
const customFields = (custom?: Data, current?: Contact | Deal): Data | undefined =>
  custom && { ...current?.custom_fields, ...custom };

/** Members that are undefined are not sent. Other addresses and numbers are kept. A contact has no owner to write. */
const fromLead = ({ name, email, phone, position }: Partial<CrmValues['lead']>, current?: Contact): Data => ({
  name,
  job_title: position,
  emails: withFirst(current?.emails, 'email', email),
  phones: withFirst(current?.phones, 'phone', phone, { type: NEW_PHONE_TYPE }),
});

/** `before` with another first value, or without it for null. */
function withFirst(before: readonly Data[] = [], member: string, value?: string | null, defaults: Data = {}) {
  if (value === undefined) return undefined;
  const [first, ...others] = before.filter((item) => item[member]);
  const kept = others.filter((item) => item[member] !== value);
  return value === null ? kept : [{ ...defaults, ...first, [member]: value }, ...kept];
}

function toDeal(deal: Deal, names: Pick<CrmValues['deal'], 'lossReason' | 'custom'>): CrmRecords['deal'] {
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

/** Members that are undefined are not sent. Other contacts and the recurring price are kept. */
function fromDeal(change: Partial<CrmValues['deal']>, current?: Deal): Data {
  const { value, status, contact } = change;
  const otherContacts = current?.contact_ids.slice(1).filter((id) => id !== contact) ?? [];
  return {
    name: change.name,
    one_time_price: value === undefined ? undefined : oneTimePrice(value ?? 0, current),
    stage_id: change.stage ?? undefined,
    status: status && STATUS[status],
    owner_id: change.owner,
    contact_ids: contact ? [contact, ...otherContacts] : contact === null ? [] : undefined,
    expected_close_date: change.expectedCloseDate,
  };
}

function oneTimePrice(value: number, current: Deal | undefined): number {
  const price = Math.round((value - (current?.recurrence_price ?? 0)) * 100) / 100;
  if (price < 0) throw new CrmRejected('value: the recurring price in RD Station CRM is higher.');
  return price;
}

function toActivity(task: Task): CrmRecords['activity'] {
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
