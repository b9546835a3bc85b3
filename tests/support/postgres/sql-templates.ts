// The SQL of the functions, read from their source.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseAst, transformWithEsbuild } from 'vite';

const FOLDERS = ['functions', 'shared'];

/** All SQL templates of the functions, with `?` instead of `${}`. */
export async function readSqlTemplates(): Promise<string[]> {
  const files = FOLDERS.flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((name) => /\.tsx?$/.test(name))
      .map((name) => join(folder, name)),
  );
  const perFile = await Promise.all(
    files.map(async (file) => {
      const { code } = await transformWithEsbuild(readFileSync(file, 'utf8'), file, { target: 'esnext' });
      return templatesOf(parseAst(code));
    }),
  );
  return perFile.flat();
}

/** In these folders, every tagged template is SQL. */
function templatesOf(node: unknown): string[] {
  if (typeof node !== 'object' || node === null) return [];
  const inner = Object.values(node).flatMap(templatesOf);
  return isTemplate(node)
    ? [node.quasi.quasis.map(({ value }) => value.cooked).join(' ? '), ...inner]
    : inner;
}

interface Template {
  quasi: { quasis: { value: { cooked: string } }[] };
}

const isTemplate = (node: object): node is Template =>
  'type' in node && node.type === 'TaggedTemplateExpression';
