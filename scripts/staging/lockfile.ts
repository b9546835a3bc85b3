// Whether the platform rejects a package whose hash differs from deno.lock: it deploys a function with a wrong hash.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Deployment } from '../deploy/deployment.ts';
import { runSupabase } from '../deploy/supabase-cli.ts';
import { reasonOf } from '../reason.ts';
import { notChecked, type Step } from './step.ts';

const NAME = 'placar-lock-check';
const PACKAGE = 'quick-lru@7.3.0';
const MARK = 'loaded in spite of its hash';

const FILES = {
  'deno.json': JSON.stringify({ imports: { 'quick-lru': `npm:${PACKAGE}` } }),
  'deno.lock': JSON.stringify({
    version: '4',
    specifiers: { [`npm:${PACKAGE}`]: '7.3.0' },
    npm: { [PACKAGE]: { integrity: `sha512-${'A'.repeat(86)}==` } },
    workspace: { dependencies: [`npm:${PACKAGE}`] },
  }),
  [`functions/${NAME}/index.ts`]: `import QuickLRU from 'quick-lru';\nDeno.serve(() => new Response(new QuickLRU({ maxSize: 1 }) && '${MARK}'));\n`,
  'supabase/config.toml': `project_id = "placar"\n[functions.${NAME}]\nenabled = true\nverify_jwt = false\nentrypoint = "../functions/${NAME}/index.ts"\nimport_map = "../deno.json"\nstatic_files = ["../deno.lock"]\n`,
};

export async function checkLockfile(deployment: Deployment): Promise<Step> {
  const { projectRef, functionsUrl } = deployment;
  if (!projectRef || !process.env.SUPABASE_ACCESS_TOKEN)
    return notChecked('lockfile', 'set SUPABASE_ACCESS_TOKEN, and SUPABASE_PROJECT_ID for a custom domain');
  const tree = mkdtempSync(join(tmpdir(), 'placar-lock-check-'));
  const lines: string[] = [];
  const run = (...args: string[]) =>
    runSupabase([...args, `--remote=${projectRef}`, '--yes'], {
      tree,
      deployment,
      print: (line) => lines.push(line),
    });
  try {
    for (const [path, content] of Object.entries(FILES)) {
      mkdirSync(join(tree, path, '..'), { recursive: true });
      writeFileSync(join(tree, path), content);
    }
    const { ok, output } = await run('functions', 'deploy', NAME, '--use-api');
    if (!ok) return fromFailure(output);
    const response = await fetch(`${functionsUrl}/${NAME}`);
    return fromResponse(response, await response.text());
  } catch (error) {
    return notChecked('lockfile', `nothing responds at FUNCTIONS_URL: ${reasonOf(error)}`);
  } finally {
    await run('functions', 'delete', NAME);
    rmSync(tree, { recursive: true, force: true });
  }
}

function fromFailure(output: string): Step {
  if (/integrity|lockfile|checksum/i.test(output))
    return { name: 'lockfile', status: 'ok', found: 'the platform rejects a package with another hash' };
  return notChecked('lockfile', `the deployment failed for another reason: ${output.slice(-300)}`);
}

function fromResponse({ status, headers }: Response, text: string): Step {
  if (text === MARK) {
    const todo = 'see docs/operations/security.md#malicious-packages';
    return {
      name: 'lockfile',
      status: 'failed',
      found: 'the platform loads a package with another hash: it does not use deno.lock',
      todo,
    };
  }
  if (headers.get('sb-error-code') === 'BOOT_ERROR')
    return { name: 'lockfile', status: 'ok', found: 'a function with another hash does not start' };
  return notChecked('lockfile', `${NAME} returned ${status}`);
}
