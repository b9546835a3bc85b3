// Results of tools, checked against the schemas that tools/list shows.
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { expect } from 'vitest';
import document from '../../../docs/openapi/mcp-tools.json' with { type: 'json' };
import type { Json } from '../gamification/sync.ts';
import { callTool } from './mcp.ts';

const ajv = new Ajv2020({ strict: false });
// The default export of the package is a function, which its types hide in a namespace.
(addFormats as unknown as (to: Ajv2020) => void)(ajv);
const validators = new Map(document.tools.map(({ name, outputSchema }) => [name, ajv.compile(outputSchema)]));

/** Calls a tool, validates its result, and returns its data. */
export async function dataOf(token: string, name: string, args: Record<string, unknown> = {}): Promise<Json> {
  const result = await callTool(token, name, args);
  expect(result.isError, JSON.stringify(result)).toBeUndefined();
  const { structuredContent, content } = result;
  expect(content, JSON.stringify(result)).toEqual([
    { type: 'text', text: JSON.stringify(structuredContent) },
  ]);
  const validate = validators.get(name);
  expect([name, validate?.(structuredContent), validate?.errors]).toEqual([name, true, null]);
  return structuredContent;
}

/** The text of a failed call, without its request id. */
export async function refusalOf(
  token: string,
  name: string,
  args: Record<string, unknown> = {},
): Promise<string[]> {
  const result = await callTool(token, name, args);
  expect([result.isError, result.structuredContent]).toEqual([true, undefined]);
  const [{ text }] = result.content;
  expect(text).toMatch(/\nrequest_id: \S+$/);
  return text.split('\n').slice(0, -1);
}
