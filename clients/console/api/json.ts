// Reads members of JSON values in API responses.

export type Json = Readonly<Record<string, unknown>>;

export const asJson = (value: unknown): Json =>
  // The test excludes arrays.
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : {};

export const asRows = (value: unknown): Json[] => (Array.isArray(value) ? value.map(asJson) : []);

export const asTexts = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((one): one is string => typeof one === 'string') : [];

/** Text of a scalar; empty for null, objects and lists. */
export const asText = (value: unknown): string =>
  ['string', 'number', 'boolean', 'bigint'].includes(typeof value) ? String(value) : '';

export const asNumber = (value: unknown): number | undefined =>
  typeof value === 'number' && Number.isFinite(value) ? value : undefined;

/** A member by its path, such as `mission.name`. */
export const memberOf = (value: unknown, path: string): unknown =>
  path.split('.').reduce<unknown>((inner, name) => asJson(inner)[name], value);
