// Contacts.
import type { CrmLead, LeadValues } from '../crm.ts';
import type { Fields } from './fields.ts';
import type { Account, Properties, Writable } from './kinds.ts';
import type { Row } from './rows.ts';

export const createLeads = ({ fields }: Account): Writable<'lead'> => ({
  objects: ['contacts'],
  async toRecords(rows) {
    const mapped = await fields('lead');
    return rows.map((row) => toLead(row, mapped));
  },
  prepareUpdate: async (_, change) => propertiesOf(change, await fields('lead')),
  async prepareCreate(values) {
    return { properties: propertiesOf(values, await fields('lead')), associations: [] };
  },
});

function toLead(row: Row, fields: Fields): CrmLead {
  const { id, updatedAt, property } = row;
  const values: LeadValues = {
    name: [property('firstname'), property('lastname')].filter(Boolean).join(' ') || null,
    email: property('email')?.toLowerCase() ?? null,
    phone: property('phone'),
    company: property('company'),
    position: property('jobtitle'),
    owner: property('hubspot_owner_id'),
    custom: fields.toValues(row.properties),
  };
  return { id, updatedAt, values };
}

function propertiesOf(change: Partial<LeadValues>, fields: Fields): Properties {
  const { name, email, phone, position, owner, custom } = change;
  return {
    ...(name !== undefined && namesOf(name ?? '')),
    ...(email !== undefined && { email: email ?? '' }),
    ...(phone !== undefined && { phone: phone ?? '' }),
    ...(position !== undefined && { jobtitle: position ?? '' }),
    ...(owner !== undefined && { hubspot_owner_id: owner ?? '' }),
    ...(custom && fields.fromValues(custom)),
  };
}

function namesOf(name: string): Properties {
  const [firstname = '', ...others] = name.trim().split(/\s+/);
  return { firstname, lastname: others.join(' ') };
}
