// Commands in the documents work with any PORT and LOCAL_DIR; tests/docs/examples.test.ts runs them.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { pagesInDocs } from '../../../docs/.vitepress/repository.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const read = (path: string) => readFileSync(join(root, path), 'utf8');
const pages = ['README.md', 'CONTRIBUTING.md', ...pagesInDocs];

test('no command contains an address or a file that settings can change', () => {
  const commands = pages.flatMap((page) =>
    Array.from(read(page).matchAll(/^```(?:sh|sql)\n([\s\S]*?)^```/gm), ([, block = '']) => ({
      page,
      block,
    })),
  );
  expect(commands.length).toBeGreaterThan(10);
  // A variable sets the address of a reader's own receiver. No setting changes where other programs of the reader listen.
  const ours = (block: string) => block.replaceAll(/--forward-to \S+/g, '');
  const fixed = commands.filter(({ block }) =>
    /127\.0\.0\.1(?!:'?\$\{)|localhost|\.local\//.test(ours(block)),
  );
  expect(fixed).toEqual([]);
});

test('npm run env sets every variable of the stack that a command reads', () => {
  const set = ['URL', 'STACK', 'BASE_URL', 'AUTH_URL', 'DATABASE_URL', 'TENANT_ID', 'API_KEY'];
  set.push('CLIENT_ID', 'CLIENT_SECRET', 'MAIL_URL', 'INBOX_URL');
  set.push('PUBLISHABLE_KEY', 'SECRET_KEY', 'JWT_SECRET');
  const used = pages.flatMap((page) =>
    Array.from(read(page).matchAll(/\$PLACAR_([A-Z_]+)/g), ([, name]) => name),
  );
  expect([...new Set(used)].filter((name) => !set.includes(name ?? ''))).toEqual([]);
});

test('README: installs before it creates a tenant, and checks the health last', () => {
  const deploy =
    read('README.md')
      .split(/^## /m)
      .find((part) => part.startsWith('Deploy it')) ?? '';
  const order = ['secrets set', 'npm run deploy', 'admin.create_tenant(', '/health'];
  const at = order.map((text) => deploy.indexOf(text));
  expect(at).not.toContain(-1);
  expect(at).toEqual([...at].sort((a, b) => a - b));
});
