#!/usr/bin/env node
// Entry point of the CLI: loads the bundle in an installed package, or the sources in a checkout.
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const sources = new URL('../src/cli/main.ts', import.meta.url);
if (existsSync(sources)) {
  // The console's pages are JSX. tsx would look for a tsconfig.json in the working directory.
  process.env.TSX_TSCONFIG_PATH ??= fileURLToPath(new URL('../../../tsconfig.json', import.meta.url));
  const { register } = await import('tsx/esm/api');
  register();
  await import(sources.href);
} else {
  await import(new URL('../dist/cli.js', import.meta.url).href);
}
