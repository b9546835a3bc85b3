// docs/openapi/README.md: every operation on one page, for reading on GitHub and for the search of the site.

interface Described {
  tags?: string[];
  summary?: string;
  description?: string;
}

interface Document {
  info: { title: string };
  tags: { name: string; description: string }[];
  paths: Record<string, Record<string, Described>>;
  webhooks?: Record<string, { post: Described }>;
}

/** Records in other names: the same operations as `v1`. */
const NAMINGS = ['v1-b', 'v1-c'];

const HEAD = `# All operations

Generated from the OpenAPI documents by \`npm run openapi\`; a test fails when it is out of date. Do not edit.

Each leads to its description: parameters, bodies, answers, examples. Records are here in the names of variant A; those of
[B](v1-b.json) and [C](v1-c.json) have documents of their own ([three namings](../variants.md)).
`;

/** The anchor that the reference gives to an operation. */
const anchorOf = (tag: string, method: string, path: string): string =>
  encodeURI(`tag/${tag.toLowerCase().replaceAll(' ', '-')}/${method.toUpperCase()}${path}`);

/** What the description of an operation ends with. */
const scopesOf = ({ description = '' }: Described): string =>
  /Needs the scope ([^.]+)\.$/.exec(description)?.[1] ?? '';

function sectionsOf(name: string, document: Document): string[] {
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, described]) => ({ path, method, described })),
  );
  const sections = document.tags.flatMap(({ name: tag, description }) => {
    const rows = operations
      .filter(({ described }) => described.tags?.includes(tag))
      .map(({ path, method, described }) => {
        const link = `[${described.summary}](${name}.json#${anchorOf(tag, method, path)})`;
        return `| ${link} | \`${method.toUpperCase()} ${path}\` | ${scopesOf(described)} |`;
      });
    if (rows.length === 0) return [];
    return [`### ${tag}`, description, ['| | | scope |', '|---|---|---|', ...rows].join('\n')];
  });
  const events = Object.entries(document.webhooks ?? {}).map(
    ([type, { post }]) => `| \`${type}\` | ${post.summary} |`,
  );
  if (events.length > 0) {
    sections.push('### Events', 'What [webhooks](../webhooks.md) are sent.');
    sections.push(['| type | |', '|---|---|', ...events].join('\n'));
  }
  const title = document.info.title.replace(/^Placar: /, '');
  return [`## ${title.charAt(0).toUpperCase()}${title.slice(1)}`, ...sections];
}

/** The page for these documents, given as JSON text by name. */
export function operationsPage(documents: Record<string, string>): string {
  const sections = Object.entries(documents)
    .filter(([name]) => !NAMINGS.includes(name))
    .flatMap(([name, text]) => sectionsOf(name, JSON.parse(text)));
  return `${[HEAD.trimEnd(), ...sections].join('\n\n')}\n`;
}
