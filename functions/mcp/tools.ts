// All tools. docs/openapi/mcp-tools.ts describes them.
import { adminTools } from './admin-tools.ts';
import { recordTools } from './record-tools.ts';
import type { Tool } from './tool.ts';

const all = { ...recordTools, ...adminTools };

export type ToolName = keyof typeof all;

// `Object.entries` returns strings as names.
const byName = Object.entries(all).sort(([a], [b]) => (a < b ? -1 : 1)) as [ToolName, Tool][];

/** All tools by name, sorted. */
export const tools = Object.fromEntries(byName) as Readonly<Record<ToolName, Tool>>;
