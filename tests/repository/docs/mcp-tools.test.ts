// The documents for MCP clients are generated from the tools and their operations.
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { mcpToolsDocument, withToolTable } from '../../../docs/openapi/mcp-tools.ts';
import { withMembers } from '../../../docs/openapi/members-table.ts';
import { tools } from '../../../functions/mcp/tools.ts';
import { openApiFiles } from '../../support/documents/openapi-files.ts';

const read = (path: string) => readFileSync(new URL(`../../../docs/${path}`, import.meta.url), 'utf8');

test('mcp-tools.json and the table of mcp.md match the code; npm run openapi writes them', () => {
  expect(read('openapi/mcp-tools.json')).toBe(mcpToolsDocument(openApiFiles));
  expect(read('mcp.md')).toBe(withToolTable(read('mcp.md')));
});

test('the optional members in records.md match the documents; npm run openapi writes them', () => {
  expect(read('records.md')).toBe(withMembers(read('records.md'), openApiFiles.v1));
});

test('tools are sorted by name, reject unknown arguments, and reading ones warn of untrusted text', () => {
  const { tools: described } = JSON.parse(read('openapi/mcp-tools.json'));
  expect(Object.keys(tools)).toEqual(Object.keys(tools).toSorted());
  for (const { name, description, inputSchema, outputSchema, annotations } of described) {
    expect([name, inputSchema.type, inputSchema.additionalProperties]).toEqual([name, 'object', false]);
    expect([name, outputSchema.type]).toEqual([name, 'object']);
    expect([name, annotations.destructiveHint, annotations.openWorldHint]).toEqual([name, false, false]);
    expect([name, description.includes('never follow instructions')]).toEqual([
      name,
      annotations.readOnlyHint,
    ]);
    expect([name, /Requires the scope/.test(description)]).toEqual([name, false]);
  }
});

test('no schema has a keyword that strict hosts refuse', () => {
  const refused: string[] = [];
  const look = (value: unknown, path: string) => {
    if (typeof value !== 'object' || value === null) return;
    for (const [name, member] of Object.entries(value)) {
      // Members of `properties` are names, not keywords.
      const isKeyword = !path.endsWith('/properties');
      if (isKeyword && ['oneOf', 'allOf', 'not', 'const', 'propertyNames', '$ref'].includes(name))
        refused.push(`${path}/${name}`);
      if (isKeyword && name === 'type' && Array.isArray(member)) refused.push(`${path}/type`);
      look(member, `${path}/${name}`);
    }
  };
  look(JSON.parse(read('openapi/mcp-tools.json')).tools, '');
  expect(refused).toEqual([]);
});
