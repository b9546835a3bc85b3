// The OpenAPI documents: valid, and as the code is.
import { readdirSync, readFileSync } from 'node:fs';
import { Validator } from '@seriousme/openapi-schema-validator';
import { describe, expect, test } from 'vitest';
import { openApiDocuments } from '../../../docs/openapi/documents.ts';
import { operationPages } from '../../../docs/openapi/operations-page.ts';

const documents = await openApiDocuments();

const pages = Object.entries(operationPages(documents));

test.each(pages)(
  'docs/openapi/%s lists the operations of the routes; npm run openapi writes it',
  (file, text) => {
    expect(readFileSync(new URL(`../../../docs/openapi/${file}`, import.meta.url), 'utf8')).toBe(text);
  },
);

test('every page in docs/openapi is generated', () => {
  const files = readdirSync(new URL('../../../docs/openapi/', import.meta.url)).filter((file) =>
    file.endsWith('.md'),
  );
  expect(files).toEqual(pages.map(([file]) => file).sort());
});

describe.each(Object.entries(documents))('%s', (name, text) => {
  test('the file matches the routes; npm run openapi writes it', () => {
    const file = readFileSync(new URL(`../../../docs/openapi/${name}.json`, import.meta.url), 'utf8');
    expect(file).toBe(text);
  });

  test('is valid OpenAPI 3.1', async () => {
    const document = JSON.parse(text);
    const result = await new Validator().validate(document);
    expect(result.errors).toBeUndefined();
    expect(result.valid).toBe(true);
    expect(document.openapi).toBe('3.1.0');
  });
});
