#!/usr/bin/env node
// Takes the place of the Supabase CLI: writes down each call, and fails when the test says so.
import { appendFileSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const { STAND_IN_LOG, STAND_IN_FAILS = '$^', STAND_IN_SAYS = '', PGPASSWORD } = process.env;
const args = process.argv.slice(2);
const tree = args.find((one) => one.startsWith('--workdir='))?.slice('--workdir='.length) ?? '.';
const { version } = JSON.parse(readFileSync(join(tree, 'package.json'), 'utf8'));
const shown = args.filter((one) => !one.startsWith('--workdir='));
appendFileSync(
  STAND_IN_LOG,
  `${JSON.stringify({ version, args: shown, hasPassword: Boolean(PGPASSWORD) })}\n`,
);
console.log(`stand-in ${PGPASSWORD}`);
if (new RegExp(STAND_IN_FAILS).test(`${version} ${args.join(' ')}`)) {
  console.error(STAND_IN_SAYS);
  process.exit(1);
}
