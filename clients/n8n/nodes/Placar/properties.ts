// The parameters of the node, from the descriptions of the operations.
import type { INodeProperties } from 'n8n-workflow';
import { operations, resources } from '../../generated/operations.ts';
import { fieldsOf, propertyOf } from '../../shared/fields.ts';
import type { Operation } from '../../shared/operation.ts';

const byName = (a: { name: string }, b: { name: string }) => a.name.localeCompare(b.name, 'en');

const operationParameter: INodeProperties = {
  displayName: 'Operation',
  name: 'operation',
  type: 'options',
  noDataExpression: true,
  options: [],
  default: '',
};

function operationProperty(resource: string): INodeProperties {
  const options = operations
    .filter((one) => one.resource === resource)
    .map(({ id, name, description }) => ({
      name,
      value: id,
      action: name,
      ...(description && { description }),
    }));
  const [first] = options;
  return {
    ...operationParameter,
    displayOptions: { show: { resource: [resource] } },
    options,
    default: first?.value ?? '',
  };
}

const collection = (name: string, displayName: string, options: INodeProperties[]): INodeProperties[] =>
  options.length === 0
    ? []
    : [{ displayName, name, type: 'collection', placeholder: 'Add Field', default: {}, options }];

const listProperties: INodeProperties[] = [
  {
    displayName: 'Return All',
    name: 'returnAll',
    type: 'boolean',
    default: false,
    description: 'Whether to return all results or only up to a given limit',
  },
  {
    displayName: 'Limit',
    name: 'limit',
    type: 'number',
    typeOptions: { minValue: 1 },
    default: 50,
    displayOptions: { show: { returnAll: [false] } },
    description: 'Max number of results to return',
  },
];

const jsonBody: INodeProperties[] = [
  {
    displayName: 'Specify Body',
    name: 'specifyBody',
    type: 'options',
    options: [
      { name: 'Using Fields Below', value: 'fields' },
      { name: 'Using JSON', value: 'json' },
    ],
    default: 'fields',
  },
  {
    displayName: 'JSON Body',
    name: 'jsonBody',
    type: 'json',
    default: '{}',
    displayOptions: { show: { specifyBody: ['json'] } },
    description: 'The members of the body, as the API names them',
  },
];

function bodyProperties({ inBody }: Pick<Operation, 'inBody'>): INodeProperties[] {
  const fields = fieldsOf(inBody);
  if (fields.length === 0) return [];
  const required = fields.filter((field) => field.required).map(propertyOf);
  const optional = fields.filter((field) => !field.required).map(propertyOf);
  const usingFields = [...required, ...collection('body', 'Fields', optional)];
  return [
    ...jsonBody,
    ...usingFields.map((one) => ({ ...one, displayOptions: { show: { specifyBody: ['fields'] } } })),
  ];
}

/** Parameters of one operation, in the order in which they are shown. */
function parametersOf(operation: Omit<Operation, 'id'>): INodeProperties[] {
  return [
    ...fieldsOf(operation.inPath).map(propertyOf),
    ...(operation.list ? listProperties : []),
    ...bodyProperties(operation),
    ...collection('query', 'Filters', fieldsOf(operation.inQuery).map(propertyOf)),
    ...collection('headers', 'Options', fieldsOf(operation.inHeaders).map(propertyOf)),
  ];
}

/** Equal parameters of several operations are one property. */
function resourceProperties(resource: string): INodeProperties[] {
  const shared = new Map<string, { property: INodeProperties; ids: string[] }>();
  for (const { id, ...operation } of operations.filter((one) => one.resource === resource)) {
    for (const property of parametersOf(operation)) {
      const key = JSON.stringify(property);
      const ids = shared.get(key)?.ids ?? [];
      shared.set(key, { property, ids: [...ids, id] });
    }
  }
  return [...shared.values()].map(({ property, ids }) => ({
    ...property,
    displayOptions: { show: { resource: [resource], operation: ids, ...property.displayOptions?.show } },
  }));
}

export const properties: INodeProperties[] = [
  {
    displayName: 'Resource',
    name: 'resource',
    type: 'options',
    noDataExpression: true,
    options: Object.entries(resources)
      .map(([value, name]) => ({ name, value }))
      .sort(byName),
    default: 'leads',
  },
  ...Object.keys(resources).map(operationProperty),
  ...Object.keys(resources).flatMap(resourceProperties),
];

/** Operations by the credential that they need. A resource has few exceptions, which `hide` lists. */
function shownFor(credential: Operation['credential']) {
  const needing = operations.filter((one) => one.credential === credential);
  const resourcesNeeding = new Set(needing.map(({ resource }) => resource));
  const others = operations.filter(
    (one) => one.credential !== credential && resourcesNeeding.has(one.resource),
  );
  return {
    show: { resource: [...resourcesNeeding] },
    ...(others.length > 0 && { hide: { operation: others.map(({ id }) => id) } }),
  };
}

export const needsOAuth2 = shownFor('oauth2');
export const needsApiKey = shownFor('apiKey');
