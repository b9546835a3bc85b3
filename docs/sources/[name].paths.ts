// Pages that show the source of linked files: programs, snippets and settings.
import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { filesOf, languageOf, linkedSources, root, sourceName } from '../.vitepress/repository.ts';

const shown = (path: string): string =>
  ['````', languageOf(path), '\n', readFileSync(join(root, path), 'utf8').trimEnd(), '\n````\n'].join('');

const titles: Record<string, string> = { 'supabase/snippets': 'Snippets for Studio' };

export default {
  paths: () =>
    linkedSources().map((path) => {
      const files = filesOf(path);
      const sections =
        files.length === 1 && files[0] === path
          ? [shown(path)]
          : files.map((file) => `## ${basename(file).replace(/\.sql$/, '')}\n\n${shown(file)}`);
      return {
        params: { name: sourceName(path) },
        content: [`# ${titles[path] ?? path}`, ...sections].join('\n\n'),
      };
    }),
};
