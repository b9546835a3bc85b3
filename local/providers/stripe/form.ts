/** Parses form-encoded bodies and queries like Stripe: `a[b][0][c]=value`, `a[]=value`. */

export type Form = { [name: string]: string | Form };

const newForm = (): Form => Object.create(null);

export function parseForm(text: string): Form {
  const form = newForm();
  for (const [key, value] of new URLSearchParams(text)) put(form, partsOf(key), value);
  return form;
}

/** `a[b][]` is a, b, and the next index. */
const partsOf = (key: string): string[] => key.replaceAll(']', '').split('[');

function put(form: Form, parts: string[], value: string): void {
  const [first = '', ...rest] = parts;
  const name = first === '' ? String(Object.keys(form).length) : first;
  if (rest.length === 0) {
    form[name] = value;
    return;
  }
  const known = form[name];
  const inner = typeof known === 'object' ? known : newForm();
  form[name] = inner;
  put(inner, rest, value);
}

/** The parameter name of a path: `a[b][0]`. */
export const paramName = ([first, ...rest]: readonly PropertyKey[]): string =>
  String(first) + rest.map((part) => `[${String(part)}]`).join('');

export function valueAt(form: unknown, path: readonly PropertyKey[]): unknown {
  let value = form;
  for (const part of path) {
    if (typeof value !== 'object' || value === null) return undefined;
    value = Reflect.get(value, part);
  }
  return value;
}
