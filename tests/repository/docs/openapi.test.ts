// The OpenAPI documents: valid, and as the code is.
import { readFileSync } from 'node:fs';
import { Validator } from '@seriousme/openapi-schema-validator';
import { describe, expect, test } from 'vitest';
import { openApiDocuments } from '../../../docs/openapi/documents.ts';
import { operationsPage } from '../../../docs/openapi/operations-page.ts';

const documents = await openApiDocuments();

test('the page of all operations is what the routes say; npm run openapi writes it', () => {
  const page = readFileSync(new URL('../../../docs/openapi/README.md', import.meta.url), 'utf8');
  expect(page).toBe(operationsPage(documents));
});

describe.each(Object.entries(documents))('%s', (name, text) => {
  test('the file is what the routes say; npm run openapi writes it', () => {
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
