// Forms in which each stage and type of activity of a CRM gets a choice.
import { asJson, asRows, asText } from '../api/json.ts';
import { t, tName } from '../kit/language.ts';
import type { View } from '../view.ts';
import { CRMS_API, MANAGES } from './crm-forms.ts';
import { stages } from './options.ts';
import { type Act, below, type Option } from './resource.ts';

/** A choice of a stage here for each stage of the CRM. */
export const stagesAct: Act = {
  name: 'stages',
  label: 'Map stages',
  scope: MANAGES,
  method: 'PUT',
  target: below(CRMS_API, '/stages'),
  part: '/stages',
  text: 'Without a choice, a stage of the CRM is the stage here with the same name. If there is none, its deals get the first stage and are listed as differences.',
  fields: [
    {
      name: 'stages',
      label: 'Stages',
      as: 'mapping',
      options: stages,
      mapping: {
        rows: (record) =>
          asRows(record.stages)
            .filter(({ present }) => present === true)
            .map((stage) => ({
              key: asText(stage.crm_id),
              label: asText(stage.name),
              note: [asText(asJson(stage.pipeline).name), tName(asText(stage.closes))]
                .filter(Boolean)
                .join(', '),
              value: asText(asJson(stage.mapped_to).id),
              none:
                stage.stage !== null && stage.mapped_to === null
                  ? t('Same name: {name}', { name: asText(asJson(stage.stage).name) })
                  : t('Not mapped'),
            })),
        toItem: (crmId, stage) => ({ crm_id: crmId, stage }),
      },
    },
  ],
  done: 'Saved.',
};

/** Codes that count for a mission, or were sent before. */
const codes = async (view: View): Promise<Option[]> =>
  (await view.api.rows('/v1/admin/activity-codes', { per_page: 100, sort: 'name' })).rows.map(
    ({ code, mission }) => {
      const name = asText(asJson(mission).name);
      return { value: asText(code), text: name ? `${asText(code)}: ${name}` : asText(code) };
    },
  );

/** The name of a type of activity: RD Station's begin with `task:`. */
export const typeName = (type: string): string => tName(type.replace(/^task:/, ''));

/** A choice of an activity code for each type of activity in the CRM. */
export const activitiesAct: Act = {
  name: 'activities',
  label: 'Map activities',
  scope: MANAGES,
  method: 'PUT',
  target: below(CRMS_API, '/activity-types'),
  part: '/activity-types',
  text: 'Activities that are done in the CRM count for the mission of their code. Types without a code are not read. Codes are created under Gamification, Activity codes.',
  fields: [
    {
      name: 'activity_types',
      label: 'Types of activity',
      as: 'mapping',
      options: codes,
      mapping: {
        rows: (record) =>
          asRows(record.activity_types).map(({ crm_type: type, code }) => ({
            key: asText(type),
            label: typeName(asText(type)),
            note: asText(type),
            value: asText(code),
            none: t('Not read'),
          })),
        toItem: (type, code) => ({ crm_type: type, code }),
      },
    },
    {
      name: 'others',
      label: 'Other types',
      as: 'items',
      help: 'Types of your CRM that are not listed, by their key there.',
      items: {
        fields: [
          { name: 'crm_type', label: 'Type of activity' },
          { name: 'code', label: 'Code', as: 'select', options: codes },
        ],
        toItem: ({ crm_type: type = '', code = '' }) => ({ crm_type: type, code: code || null }),
        toRow: ({ crm_type: type, code }) => ({ crm_type: asText(type), code: asText(code) }),
        isEmpty: ({ crm_type: type = '' }) => type === '',
      },
    },
  ],
  body: ({ activity_types: listed, others }) => ({ activity_types: [...asRows(listed), ...asRows(others)] }),
  done: 'Saved.',
};
