#!/usr/bin/env node
// The command line: the bundle of the installed package, or, in a checkout, the sources themselves.
import { existsSync } from 'node:fs';

const sources = new URL('../src/cli/main.ts', import.meta.url);
if (existsSync(sources)) {
  const { register } = await import('tsx/esm/api');
  register();
  await import(sources.href);
} else {
  await import(new URL('../dist/cli.js', import.meta.url).href);
}
