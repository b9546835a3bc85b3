// Forms of CRMs: credentials and settings.
import { asJson, asRows, asText, type Json, memberOf } from '../api/json.ts';
import { type Message, t } from '../kit/language.ts';
import type { View } from '../view.ts';
import { valueTexts } from './labels.ts';
import { choices } from './options.ts';
import { type Act, below, type Field, type Items, type Option } from './resource.ts';

export const CRMS_API = '/v1/admin/crm-accounts';
export const MANAGES = 'manage:workspace';

const OBJECTS = ['leads', 'deals', 'activities'];
/** Members of leads that a field of the CRM can fill, besides custom fields. */
const MEMBERS = ['phone', 'position', 'source', 'company'];
const CUSTOM = 'custom_fields.';

/** Fields here and their fields in the CRM. Other names than those of members are names of custom fields. */
const fieldItems: Items = {
  fields: [
    { name: 'record', label: 'Record', as: 'select', required: true, options: choices(['lead', 'deal']) },
    {
      name: 'ours',
      label: 'Field here',
      options: () => MEMBERS.map((value) => ({ value, text: value })),
    },
    { name: 'theirs', label: 'Field in the CRM' },
  ],
  toItem: ({ record = '', ours = '', theirs = '' }) => ({ record, ours, theirs }),
  toRow: ({ record, ours, theirs }) => ({
    record: asText(record),
    ours: asText(ours),
    theirs: asText(theirs),
  }),
  isEmpty: ({ ours = '', theirs = '' }) => ours === '' && theirs === '',
  toMember: (items) => {
    const of = (record: string) =>
      Object.fromEntries(
        items
          .filter((item) => item.record === record)
          .map(({ ours, theirs }) => [memberOfField(asText(ours)), asText(theirs)]),
      );
    return { lead: of('lead'), deal: of('deal') };
  },
  max: 100,
};

const memberOfField = (name: string): string =>
  MEMBERS.includes(name) || name.startsWith(CUSTOM) ? name : CUSTOM + name;

/** The rows of the form for the fields of an account. */
const fieldRows = (account: Json): Json[] =>
  ['lead', 'deal'].flatMap((record) =>
    Object.entries(asJson(memberOf(account, `settings.fields.${record}`))).map(([member, theirs]) => {
      const name = member.slice(CUSTOM.length);
      const isPlain = member.startsWith(CUSTOM) && !MEMBERS.includes(name);
      return { record, ours: isPlain ? name : member, theirs };
    }),
  );

/** A setting with two or three values. */
const setting = (name: keyof typeof valueTexts, label: Message, standard: string): Field => ({
  name: `settings.${name}`,
  label,
  as: 'select',
  required: true,
  options: () => Object.entries<Message>(valueTexts[name]).map(([value, text]) => ({ value, text: t(text) })),
  from: (account) => memberOf(account, `settings.${name}`) ?? standard,
});

/** The pipelines of the account in the page's path. */
async function pipelines(view: View): Promise<Option[]> {
  const { record } = await view.api.one(`${CRMS_API}/${encodeURIComponent(view.param('id'))}/stages`);
  const all = asRows(record.stages).map(({ pipeline }) => asJson(pipeline));
  return [...new Map(all.map(({ id, name }) => [asText(id), asText(name)]))].map(([value, text]) => ({
    value,
    text,
  }));
}

const settingFields: Field[] = [
  setting('direction', 'Changes go', 'in'),
  setting('conflict', 'If both sides changed a field', 'crm'),
  setting('on_delete', 'If a record is deleted in the CRM', 'keep'),
  {
    name: 'settings.objects',
    label: 'What is read',
    as: 'choices',
    required: true,
    options: choices(OBJECTS),
    from: (account) => memberOf(account, 'settings.objects') ?? OBJECTS,
  },
  {
    name: 'settings.create_out',
    label: 'Create new leads and deals in the CRM too',
    as: 'checkbox',
    help: 'Only if changes go in both directions.',
  },
  {
    name: 'settings.fields',
    label: 'Fields',
    as: 'items',
    items: fieldItems,
    from: fieldRows,
    help: 'Field here: phone, position, source, company, or the name of a custom field. Field in the CRM: its key there.',
  },
];

const pipelineField: Field = {
  name: 'settings.pipelines',
  label: 'Pipelines',
  as: 'choices',
  options: pipelines,
  help: 'None selected: all pipelines.',
  from: (account) => {
    const chosen = memberOf(account, 'settings.pipelines');
    return Array.isArray(chosen) ? chosen : [];
  },
};

/** `{"settings.direction": x}` as `{settings: {direction: x}}`. An empty list of pipelines means all. */
function nested(values: Json): { credentials: Json; settings: Json } {
  const members = (group: string) =>
    Object.fromEntries(
      Object.entries(values)
        .filter(([name]) => name.startsWith(`${group}.`))
        .map(([name, value]) => [name.slice(group.length + 1), value]),
    );
  const settings = members('settings');
  const { pipelines: chosen } = settings;
  const { domain, ...credentials } = members('credentials');
  return {
    // People paste the address.
    credentials: { ...credentials, ...(domain !== undefined && { domain: subdomain(asText(domain)) }) },
    settings: {
      ...settings,
      ...(Array.isArray(chosen) && { pipelines: chosen.length === 0 ? 'all' : chosen }),
    },
  };
}

const subdomain = (address: string): string =>
  address
    .trim()
    .replace(/^https?:\/\//, '')
    .replace(/\.pipedrive\.com\b.*$/, '');

const credential = (name: string, label: Message, more: Partial<Field> = {}): Field => ({
  name: `credentials.${name}`,
  label,
  as: 'secret',
  ...more,
});

interface CrmForm {
  crm: string;
  title: string;
  label: Message;
  text: Message;
  fields: Field[];
  /** For CRMs at which a person agrees in a browser: what to do with the address to which that returns. */
  callbackText?: Message;
  /** What a person does with the text of webhooks that are set up by hand, and the name of its file. */
  webhooksByHand?: { text: Message; file: string };
}

const forms: CrmForm[] = [
  {
    crm: 'pipedrive',
    title: 'Pipedrive',
    label: 'Connect Pipedrive',
    text: 'Use the API token of a user of Pipedrive who sees all deals and stays in the company. It is stored encrypted and cannot be read afterwards. Connecting imports nothing.',
    fields: [
      credential('domain', 'Company domain', {
        as: 'text',
        required: true,
        help: 'Only the part of the address before .pipedrive.com, such as acme.',
      }),
      credential('api_token', 'API token', {
        required: true,
        help: 'In Pipedrive: Personal preferences, API. It has 40 characters: digits, and letters from a to f.',
      }),
    ],
  },
  {
    crm: 'hubspot',
    title: 'HubSpot',
    label: 'Connect HubSpot',
    text: 'Use the access token and the client secret of a project app, or only a service key. With a service key, changes are read every minute. They are stored encrypted and cannot be read afterwards. Connecting imports nothing.',
    fields: [
      credential('access_token', 'Access token'),
      credential('client_secret', 'Client secret'),
      credential('service_key', 'Service key', { help: 'Instead of the other two.' }),
    ],
    webhooksByHand: {
      text: 'So that changes arrive at once, save this file in the project of your app as src/app/webhooks/webhooks-hsmeta.json, and run hs project upload. It works once Last event has a time. Do it again after a change of fields.',
      file: 'webhooks-hsmeta.json',
    },
  },
  {
    crm: 'rd_station',
    title: 'RD Station CRM',
    label: 'Connect RD Station CRM',
    text: 'Use the client id and the client secret of your app at RD Station. Afterwards, authorize the account with a link. They are stored encrypted and cannot be read afterwards. Connecting imports nothing.',
    fields: [
      credential('client_id', 'Client id', { as: 'text', required: true }),
      credential('client_secret', 'Client secret', { required: true }),
    ],
    callbackText:
      'In the Publisher of RD Station, enter this address as the callback URL of your app. Then use Authorize.',
  },
];

/** The form of a CRM. Undefined for one that this console does not know. */
export const crmForm = (name: unknown): CrmForm | undefined => forms.find(({ crm }) => crm === name);

/** The name of a CRM in sentences. */
export const crmTitle = (name: unknown): string => crmForm(name)?.title ?? asText(name);

/** One form for each CRM that was never connected, with the settings that it starts with. */
export const connectActs: Act[] = forms.map(({ crm, label, text, fields }) => ({
  name: `connect-${crm.replaceAll('_', '-')}`,
  label,
  scope: MANAGES,
  method: 'PUT',
  target: () => `${CRMS_API}/${crm}`,
  text,
  fields: [...fields, ...settingFields],
  body: nested,
  unless: (account) => account.crm === crm,
  done: 'The account is being checked.',
}));

/** Forms for an account that keeps its settings, one for each CRM. */
const credentialsActs = (name: string, label: Message, isDisconnected: boolean): Act[] =>
  forms.map(({ crm, text, fields }) => ({
    name: `${name}-${crm.replaceAll('_', '-')}`,
    label,
    scope: MANAGES,
    method: 'PUT',
    target: () => `${CRMS_API}/${crm}`,
    text,
    fields,
    body: (values) => ({ credentials: nested(values).credentials }),
    when: (account) => account.crm === crm && (account.status === 'disconnected') === isDisconnected,
    done: 'The account is being checked.',
  }));

export const reconnectActs = credentialsActs('reconnect', 'Replace credentials', false);
export const connectAgainActs = credentialsActs('connect-again', 'Connect again', true);

export const settingsAct: Act = {
  name: 'settings',
  label: 'Change settings',
  scope: MANAGES,
  method: 'PATCH',
  target: below(CRMS_API),
  text: 'After a change of fields, pipelines or what is read, import again: it reads the records that were there before.',
  fields: [...settingFields, pipelineField],
  body: (values) => ({ settings: nested(values).settings }),
  done: 'Saved.',
};
