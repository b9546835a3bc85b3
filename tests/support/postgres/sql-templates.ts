// The SQL that functions send, read from their source.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseAst, transformWithEsbuild } from 'vite';

const FOLDERS = ['functions', 'shared'];

/** The texts of all SQL templates of the functions, with `?` for what stands in `${}`. */
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

/** Nothing but SQL is a tagged template in these folders. */
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
