// Pages from elsewhere in the repository.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pagesFromOutside, root } from '../.vitepress/repository.ts';

export default {
  paths: () =>
    Object.entries(pagesFromOutside).map(([name, path]) => ({
      params: { name },
      content: readFileSync(join(root, path), 'utf8'),
    })),
};
