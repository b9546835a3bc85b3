/** Validates completed forms and renders forms. */
import type { ErrorItem } from './errors.ts';
import { accountHolder, type Draft, email, type Field, isBusiness, isPersonName } from './form-fields.ts';
import type { Form } from './forms.ts';

const isFieldVisible = ({ when }: Field, draft: Draft): boolean => when?.(draft) ?? true;

/** Missing and invalid fields, one error each. */
export function fieldErrors(fields: readonly Field[], draft: Draft): ErrorItem[] {
  return fields.flatMap((field) => {
    if (!isFieldVisible(field, draft)) return [];
    const value = draft[field.key];
    if (value === undefined || value === '') {
      return field.required ? [fieldError(field, `Please specify ${article(field.name)}.`)] : [];
    }
    const isAllowed =
      (field.min === undefined || value.length >= field.min) &&
      (field.max === undefined || value.length <= field.max) &&
      (field.regexp === undefined || new RegExp(field.regexp).test(value)) &&
      (field.values === undefined || field.values(draft).some(([key]) => key === value)) &&
      (field.passes?.(value) ?? true);
    if (!isAllowed) return [fieldError(field, `Please enter a valid ${field.name}.`, value)];
    if (field.key === 'accountHolderName' && !isBusiness(draft) && !isPersonName(value)) {
      return [fieldError(field, 'Please enter the recipients first and last name.', value)];
    }
    return [];
  });
}

const article = (name: string): string => (/^[AEIOU]/.test(name) ? `an ${name}` : `a ${name}`);

const fieldError = ({ key }: Field, message: string, value?: string): ErrorItem => ({
  code: 'NOT_VALID',
  message,
  path: key,
  arguments: value === undefined ? [key] : [key, value],
});

/** Renders a form. */
export function renderForm({ type, title, fields }: Form, draft: Draft, withName: boolean) {
  return {
    type,
    title,
    usageInfo: null,
    fields: renderFields(
      fields.filter((field) => withName || (field !== accountHolder && field !== email)),
      draft,
    ),
  };
}

export const renderFields = (fields: readonly Field[], draft: Draft) =>
  fields
    .filter((field) => isFieldVisible(field, draft))
    .map((field) => ({
      name: field.name,
      group: [
        {
          key: field.key,
          name: field.name,
          type: field.type,
          refreshRequirementsOnChange: field.refresh ?? false,
          required: field.required,
          displayFormat: null,
          example: field.example ?? '',
          minLength: field.min ?? null,
          maxLength: field.max ?? null,
          validationRegexp: field.regexp ?? null,
          validationAsync: null,
          valuesAllowed: field.values?.(draft).map(([key, name]) => ({ key, name })) ?? null,
        },
      ],
    }));
