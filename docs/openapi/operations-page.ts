// Generates docs/openapi/README.md: all operations on one page, for GitHub and for the site's search.

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

/** Documents of the naming variants B and C, which have the same operations as `v1`. */
const NAMINGS = ['v1-b', 'v1-c'];

const HEAD = `# All operations

Generated from the OpenAPI documents by \`npm run openapi\`; a test fails when it is out of date. Do not edit.

Each link opens the operation in the API reference, with parameters, bodies, responses and examples. Records use the names of variant A;
variants [B](v1-b.json) and [C](v1-c.json) have their own documents ([naming variants](../variants.md)).
`;

/** The anchor of an operation in the API reference. */
const anchorOf = (tag: string, method: string, path: string): string =>
  encodeURI(`tag/${tag.toLowerCase().replaceAll(' ', '-')}/${method.toUpperCase()}${path}`);

/** The scopes at the end of an operation's description. */
const scopesOf = ({ description = '' }: Described): string =>
  /Requires the scope ([^.]+)\.$/.exec(description)?.[1] ?? '';

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
    return [
      `### ${tag}`,
      description,
      ['| operation | request | scope |', '|---|---|---|', ...rows].join('\n'),
    ];
  });
  const events = Object.entries(document.webhooks ?? {}).map(
    ([type, { post }]) => `| \`${type}\` | ${post.summary} |`,
  );
  if (events.length > 0) {
    sections.push('### Events', 'Events that are sent to [webhooks](../webhooks.md).');
    sections.push(['| type | meaning |', '|---|---|', ...events].join('\n'));
  }
  const title = document.info.title.replace(/^Placar: /, '');
  return [`## ${title.charAt(0).toUpperCase()}${title.slice(1)}`, ...sections];
}

/** The page for the documents, which are JSON texts by name. */
export function operationsPage(documents: Record<string, string>): string {
  const sections = Object.entries(documents)
    .filter(([name]) => !NAMINGS.includes(name))
    .flatMap(([name, text]) => sectionsOf(name, JSON.parse(text)));
  return `${[HEAD.trimEnd(), ...sections].join('\n\n')}\n`;
}
