#!/usr/bin/env node
// Entry point of the CLI: loads the bundle in an installed package, or the sources in a checkout.
import { existsSync } from 'node:fs';

const sources = new URL('../src/cli/main.ts', import.meta.url);
if (existsSync(sources)) {
  const { register } = await import('tsx/esm/api');
  register();
  await import(sources.href);
} else {
  await import(new URL('../dist/cli.js', import.meta.url).href);
}
