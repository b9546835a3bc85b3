// Examples of naming variants B and C, from those of variant A: the variant's schemas name the members, its naming rules say which
// members of A have their values.
import type { NamingVariant } from '../../shared/platform/access/context.ts';
import { canonicalPath, type NamingRules, valueFor } from '../../shared/records/naming.ts';
import type { Variant } from '../../shared/records/variants/variant.ts';
import { variants } from '../../shared/records/variants/variants.ts';
import type { Json } from './by-reference.ts';
import { type Examples, operationsOf } from './examples.ts';

interface Schema {
  $ref?: string;
  anyOf?: Schema[];
  oneOf?: Schema[];
  type?: string | string[];
  enum?: unknown[];
  items?: Schema;
  properties?: Record<string, Schema>;
  required?: string[];
  additionalProperties?: unknown;
}

/** Members of responses that are renamed without a naming rule, because no request has them. */
const RENAMED: Readonly<Record<string, string>> = {
  data: 'data.deal',
  pagination: 'meta',
  order: 'position',
  default_probability: 'probability',
  probability: 'default_probability',
  members_count: 'member_count',
};
/** Members that variant A does not have. */
const ADDED: Readonly<Record<string, unknown>> = { currency: 'BRL', products: [] };

/** The examples of a variant's document. Throws an error if an example of variant A has no form in the variant. */
export function examplesInVariant(id: NamingVariant, document: Json, examples: Examples): Examples {
  const translator = new Translator(variants[id], document);
  const all = operationsOf(document);
  const canonicalEvent = new Map(
    Object.entries(variants[id].eventTypes).map(([type, own]) => [own, eventOperation(type)]),
  );
  return Object.fromEntries(
    all.map(({ path, method, operationId, requestBody, responses }) => {
      // The variant has the same names at both paths of deals; variant A has them at the second.
      const twin = all.find(
        (one) => one.method === method && one.path === path.replace('/v1/deals', '/v1/opportunities'),
      );
      const source = canonicalEvent.get(path) ?? twin?.operationId ?? operationId;
      const { request, response } = examples[source] ?? {};
      const status = Number(Object.keys(responses).find((code) => code < '300') ?? 200);
      const inNames = (content: object | undefined, value: unknown) => {
        const [media] = Object.values(content ?? {});
        if (value === undefined || !media) return undefined;
        const translated = translator.translate(media.schema, value);
        if (translated === undefined)
          throw new Error(`There is no example of ${operationId} in variant ${id}`);
        return translated;
      };
      return [
        operationId,
        {
          request: inNames(requestBody?.content, request),
          status,
          response: inNames(responses[status]?.content, response),
        },
      ];
    }),
  );
}

/** Converts `lead.created` to `onLeadCreated`. */
export const eventOperation = (type: string): string =>
  `on${type.replaceAll(/(?:^|[._])(\w)/g, (_, letter: string) => letter.toUpperCase())}`;

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const at = (value: Json, path: string | undefined): unknown =>
  path?.split('.').reduce<unknown>((node, part) => (isObject(node) ? node[part] : undefined), value);

class Translator {
  readonly #variant: Variant;
  readonly #namings: NamingRules[];
  readonly #schemas: Record<string, Schema>;

  constructor(variant: Variant, document: Json) {
    this.#variant = variant;
    // A deal has its stage in an object, a lead has its stage instead of a status.
    this.#namings = [variant.namings.deal, ...Object.values(variant.namings)];
    this.#schemas = (document.components as { schemas: Record<string, Schema> }).schemas;
  }

  /** The value in the names and words of the variant; undefined if it does not fit the schema. */
  translate(given: Schema, value: unknown): unknown {
    const schema = given.$ref ? (this.#schemas[given.$ref.split('/').at(-1) ?? ''] ?? {}) : given;
    const options = schema.anyOf ?? schema.oneOf;
    if (options) return firstOf(options, (option) => this.translate(option, value));
    const types = schema.type === undefined ? undefined : [schema.type].flat();
    if (types && !types.includes(typeOf(value)) && !(types.includes('number') && typeOf(value) === 'integer'))
      return undefined;
    if (Array.isArray(value)) {
      const items = value.map((item) => this.translate(schema.items ?? {}, item));
      return items.includes(undefined) ? undefined : items;
    }
    if (isObject(value)) return schema.properties ? this.#members(schema, value) : value;
    return schema.enum ? this.#word(schema.enum, value) : value;
  }

  #members(schema: Schema, value: Json): Json | undefined {
    const { properties = {}, required = [], additionalProperties } = schema;
    const members: Json = additionalProperties ? { ...value } : {};
    for (const [name, one] of Object.entries(properties)) {
      const own = this.#member(name, one, value);
      const found = own === undefined ? this.#spread(name, one, value) : own;
      members[name] = found === undefined && required.includes(name) ? emptyOf(name, one) : found;
    }
    return required.every((name) => members[name] !== undefined) ? members : undefined;
  }

  #member(path: string, schema: Schema, value: Json): unknown {
    const candidates = [path, RENAMED[path], ...this.#namings.map((naming) => canonicalPath(naming, path))];
    return firstOf(candidates, (candidate) => {
      const member = at(value, candidate);
      if (path === 'per_page' && member === variants.a.defaultPerPage) return this.#variant.defaultPerPage;
      return member === undefined ? undefined : this.translate(schema, member);
    });
  }

  /** An object whose members are those of its parent in variant A. */
  #spread(name: string, { properties = {} }: Schema, value: Json): Json | undefined {
    const parts = Object.entries(properties).map(([part, one]) => [
      part,
      this.#member(`${name}.${part}`, one, value),
    ]);
    if (parts.every(([, part]) => part === undefined)) return undefined;
    return Object.fromEntries(parts.map(([part, found]) => [part, found ?? null]));
  }

  /** The variant's word for a value of variant A. */
  #word(words: unknown[], value: unknown): unknown {
    if (words.includes(value)) return value;
    if (words.length === 1) return words[0];
    const own = this.#namings.flatMap((naming) =>
      Object.keys(naming.values).map((member) => valueFor(naming, member, String(value))),
    );
    return own.find((word) => words.includes(word));
  }
}

function firstOf<T>(options: readonly T[], convert: (option: T) => unknown): unknown {
  for (const option of options) {
    const converted = convert(option);
    if (converted !== undefined) return converted;
  }
  return undefined;
}

function typeOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  return Number.isInteger(value) ? 'integer' : typeof value;
}

/** The value of a required member that variant A does not have. */
const emptyOf = (name: string, { type = [] }: Schema): unknown =>
  type.includes('null') ? null : ADDED[name];
