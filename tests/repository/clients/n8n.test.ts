// The n8n package has an operation for every documented one, and follows n8n's rules for community nodes.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { documents } from '../../../scripts/n8n/openapi.ts';
import { generatedFile, printedDescriptions } from '../../../scripts/n8n/print.ts';
import {
  type BuiltPackage,
  buildNodes,
  type Property,
  packageFolder,
} from '../../support/n8n/build-nodes.ts';
import { evaluate, isDisplayed, parametersOf } from '../../support/n8n/helpers.ts';

let built: BuiltPackage;
beforeAll(async () => {
  built = await buildNodes();
});

const read = (path: string) => readFileSync(join(packageFolder, path), 'utf8');

test('the descriptions match the OpenAPI documents (npm run generate in clients/n8n)', () => {
  expect(
    readFileSync(generatedFile, 'utf8') === printedDescriptions(),
    'generated/operations.ts is stale',
  ).toBe(true);
});

const optionsOf = ({ options = [] }: Property) => options.map(({ value }) => value);

/** Resource and id of each operation that the node offers. */
function offered(): { resource: string; operation: string }[] {
  const { properties } = built.Placar.description;
  const [resources] = properties.filter(({ name }) => name === 'resource');
  return (resources ? optionsOf(resources) : []).flatMap((resource) =>
    properties
      .filter((one) => one.name === 'operation' && isDisplayed(one, { resource }))
      .flatMap((one) => optionsOf(one).map((operation) => ({ resource, operation }))),
  );
}

describe('the Placar node', () => {
  test('has one operation per operationId, and one resource per tag', () => {
    const documented = documents.flatMap(({ name, paths }) =>
      Object.values(paths).flatMap((methods) =>
        Object.values(methods).map(({ operationId, tags }) => ({ operationId, tag: `${name} ${tags[0]}` })),
      ),
    );
    expect(documented.length).toBeGreaterThan(200);
    const pairs = offered();
    expect(new Set(pairs.map((pair) => JSON.stringify(pair))).size).toBe(pairs.length);
    expect(pairs.map(({ operation }) => operation).sort()).toEqual(
      documented.map(({ operationId }) => operationId).sort(),
    );
    const count = (values: string[]) => new Set(values).size;
    expect(count(pairs.map(({ resource }) => resource))).toBe(count(documented.map(({ tag }) => tag)));
  });

  test('each operation has one credential, and parameters with different names', () => {
    const { description } = built.Placar;
    const faults = offered().filter((chosen) => {
      const values = parametersOf(
        { ...description, properties: description.properties.map(withoutRequired) },
        chosen,
      );
      const names = description.properties.filter((one) => isDisplayed(one, values)).map(({ name }) => name);
      const credentials = description.credentials.filter((one) => isDisplayed(one, values));
      return new Set(names).size !== names.length || credentials.length !== 1;
    });
    expect(faults).toEqual([]);
  });

  test('parameters have names that n8n can address, and no collection has required fields', () => {
    const properties = [
      ...built.Placar.description.properties,
      ...built.PlacarTrigger.description.properties,
    ];
    const fields = properties.flatMap(({ type, options }) => (type === 'collection' ? (options ?? []) : []));
    expect([...properties, ...fields].filter(({ name }) => !/^\w+$/.test(name))).toEqual([]);
    expect(fields.filter(({ required }) => required)).toEqual([]);
    const choices = [...properties, ...fields].filter(
      ({ type }) => type === 'options' || type === 'multiOptions',
    );
    const names = choices.map(({ options = [] }) => options.map(({ name }) => name));
    expect(names.filter((list) => list.includes('') || new Set(list).size !== list.length)).toEqual([]);
  });

  test('agents can use it as a tool, but not the trigger', () => {
    expect(built.Placar.description.usableAsTool).toBe(true);
    expect(built.PlacarTrigger.description.usableAsTool).toBeUndefined();
  });
});

const withoutRequired = ({ required: _, ...property }: Property): Property => property;

describe('credentials', () => {
  test.each(['https://x.example', 'https://x.example/', ' https://x.example/functions/v1/'])(
    'accept %s',
    async (url) => {
      const { placarOAuth2Api, placarApiKeyApi } = built.credentials;
      const token = placarOAuth2Api?.properties.find(({ name }) => name === 'accessTokenUrl')?.default;
      expect(evaluate(String(token), { url })).toBe('https://x.example/functions/v1/oauth/token');
      for (const one of [placarOAuth2Api, placarApiKeyApi]) {
        expect(evaluate(String(one?.test.request.baseURL), { url })).toBe('https://x.example/functions/v1');
      }
      const key = await placarApiKeyApi?.authenticate?.(
        { apiKey: 'sk_test_a' },
        { url: 'https://x.example/functions/v1/payments/balance' },
      );
      expect(key?.headers?.Authorization).toMatch(/^SVC-SIGN-V1 sk_test_a:\d+:[0-9a-f]{64}$/);
    },
  );

  test('secrets are passwords', () => {
    const secrets = Object.values(built.credentials).flatMap(({ properties }) =>
      properties.filter(({ name }) => /secret|key/i.test(name)),
    );
    expect(secrets.map(({ name }) => name)).toEqual(['clientSecret', 'apiKey']);
    expect(
      secrets.every((one) => 'typeOptions' in one && JSON.stringify(one.typeOptions) === '{"password":true}'),
    ).toBe(true);
  });
});

describe('the package', () => {
  const manifest = JSON.parse(read('package.json'));

  test('follows the rules for community nodes', () => {
    expect(manifest).toMatchObject({
      name: 'n8n-nodes-placar',
      license: 'MIT',
      n8n: { n8nNodesApiVersion: 1, strict: true },
      peerDependencies: { 'n8n-workflow': '*' },
    });
    expect(manifest.keywords).toContain('n8n-community-node-package');
    expect(manifest.dependencies).toBeUndefined();
    expect(Object.keys(manifest.peerDependencies)).toHaveLength(1);
    const { credentials, nodes } = manifest.n8n;
    const sources = [...credentials, ...nodes].map((path: string) =>
      path.replace(/^dist\/(.*)\.js$/, '$1.ts'),
    );
    expect(sources.map((path) => read(path).length > 0)).toEqual(sources.map(() => true));
    expect(read('CHANGELOG.md')).toContain(`## ${manifest.version}`);
  });

  test('reads no environment and no files, and logs nothing', () => {
    const sources = ['credentials', 'nodes', 'shared'].flatMap((folder) =>
      readdirSync(join(packageFolder, folder), { recursive: true, encoding: 'utf8' })
        .filter((path) => path.endsWith('.ts'))
        .map((path) => join(folder, path)),
    );
    expect(sources.length).toBeGreaterThan(10);
    expect(
      sources.filter((path) =>
        /\bprocess\b|\bconsole\b|\blogger\b|from '(?!\.|n8n-workflow)|\bfetch\(/.test(read(path)),
      ),
    ).toEqual([]);
  });

  test('the workflow in the README uses its nodes, with parameters that they have', () => {
    const [, json = ''] = /```json\n([\s\S]*?)```/.exec(read('README.md')) ?? [];
    const workflow: { nodes: { type: string; parameters: Record<string, unknown> }[] } = JSON.parse(json);
    const types: Record<string, BuiltPackage['Placar']> = {
      'n8n-nodes-placar.placar': built.Placar,
      'n8n-nodes-placar.placarTrigger': built.PlacarTrigger,
    };
    const own = workflow.nodes.filter(({ type }) => type in types);
    expect(new Set(own.map(({ type }) => type)).size).toBe(2);
    for (const { type, parameters } of own) {
      const description = types[type]?.description;
      expect(description && Object.keys(parametersOf(description, parameters)).length).toBeGreaterThan(2);
    }
  });
});
