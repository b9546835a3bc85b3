// Adds the type that Scalar's validator requires to every schema, without changing what the schema accepts.

interface Schema {
  $ref?: string;
  type?: unknown;
  oneOf?: Schema[];
  anyOf?: Schema[];
}

/** A union of objects is an object, and `additionalProperties: {}` is `true`. */
export function withTypes<T extends { components?: { schemas?: object } }>(document: T): T {
  const components = (document.components?.schemas ?? {}) as Record<string, Schema>;
  const isObject = (schema: Schema): boolean => {
    const found = schema.$ref ? components[schema.$ref.replace('#/components/schemas/', '')] : schema;
    const branches = found?.oneOf ?? found?.anyOf;
    return branches ? branches.every(isObject) : found?.type === 'object';
  };
  return JSON.parse(JSON.stringify(document), (key, value) => {
    if (key === 'additionalProperties' && Object.keys(value).length === 0) return true;
    const branches: Schema[] | undefined = value?.oneOf ?? value?.anyOf;
    return branches && !value.type && branches.every(isObject) ? { type: 'object', ...value } : value;
  });
}
