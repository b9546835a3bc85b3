// Generates docs/openapi/README.md and a page with the operations of each interface, for GitHub and for the site's search.

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

const GENERATED =
  'Generated from the OpenAPI documents by `npm run openapi`; a test fails when it is out of date. Do not edit.';

const HEAD = `# All operations

Find an operation by its interface and its resource. Each page lists the operations with their scopes; each operation links to the API
reference, with parameters, bodies, responses and examples. Records use the names of variant A; variants B and C have their own documents
([naming variants](../variants.md)).

${GENERATED}
`;

/** The anchor of an operation in the API reference. */
const anchorOf = (tag: string, method: string, path: string): string =>
  encodeURI(`tag/${tag.toLowerCase().replaceAll(' ', '-')}/${method.toUpperCase()}${path}`);

/** The scopes at the end of an operation's description. */
const scopesOf = ({ description = '' }: Described): string =>
  /Requires the scope ([^.]+)\.$/.exec(description)?.[1] ?? '';

/** Tags whose operations have a page of their own: by tag, its name. */
const OWN_PAGES: Readonly<Record<string, string>> = {
  Administration: 'v1-admin',
  'CRM accounts': 'v1-crm-accounts',
};

function sectionsOf(name: string, document: Document): { tag: string; text: string }[] {
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, described]) => ({ path, method, described })),
  );
  return document.tags.flatMap(({ name: tag, description }) => {
    const rows = operations
      .filter(({ described }) => described.tags?.includes(tag))
      .map(({ path, method, described }) => {
        const link = `[${described.summary}](${name}.json#${anchorOf(tag, method, path)})`;
        return `| ${link} | \`${method.toUpperCase()} ${path}\` | ${scopesOf(described)} |`;
      });
    if (rows.length === 0) return [];
    const table = ['| operation | request | scope |', '|---|---|---|', ...rows].join('\n');
    return [{ tag, text: [`## ${tag}`, description, table].join('\n\n') }];
  });
}

function eventsOf(document: Document): string[] {
  const rows = Object.entries(document.webhooks ?? {}).map(
    ([type, { post }]) => `| \`${type}\` | ${post.summary} |`,
  );
  if (rows.length === 0) return [];
  return [`## ${titleOf(document)}`, ['| type | meaning |', '|---|---|', ...rows].join('\n')];
}

function titleOf(document: Document): string {
  const title = document.info.title.replace(/^Placar: /, '');
  return title.charAt(0).toUpperCase() + title.slice(1);
}

/** GitHub's anchor of a heading. */
const headingAnchor = (heading: string): string => `#${heading.toLowerCase().replaceAll(' ', '-')}`;

function indexRow(name: string, document: Document, tags: string[]): string {
  const links = tags.map((tag) => `[${tag}](${OWN_PAGES[tag] ?? name}.md${headingAnchor(tag)})`);
  return `| [${titleOf(document)}](${name}.md) | ${links.join(', ')} |`;
}

/** The pages for the documents, which are JSON texts by name: Markdown by file name. */
export function operationPages(documents: Record<string, string>): Record<string, string> {
  const pages: Record<string, string> = {};
  const rows: string[] = [];
  const events: string[] = [];
  for (const [name, text] of Object.entries(documents)) {
    if (NAMINGS.includes(name)) continue;
    const document: Document = JSON.parse(text);
    const sections = sectionsOf(name, document);
    rows.push(
      indexRow(
        name,
        document,
        sections.map(({ tag }) => tag),
      ),
    );
    events.push(...eventsOf(document));
    const head = [
      `# Operations: ${titleOf(document)}`,
      `All operations of this interface with their scopes. Each links to the [API reference](${name}.json). ${GENERATED}`,
    ];
    const own = sections.filter(({ tag }) => !OWN_PAGES[tag]).map(({ text }) => text);
    pages[`${name}.md`] = `${[...head, ...own].join('\n\n')}\n`;
    for (const { tag, text } of sections) {
      const page = OWN_PAGES[tag];
      if (page) pages[`${page}.md`] = `${[`# Operations: ${tag}`, head[1], text].join('\n\n')}\n`;
    }
  }
  const table = ['| interface | operations |', '|---|---|', ...rows].join('\n');
  const eventsHead = [
    '# Webhook events',
    `All events that Placar sends to [webhooks](../webhooks.md). ${GENERATED}`,
  ];
  return {
    'README.md': `${HEAD}\n${table}\n\n[Webhook events](events.md) lists the events of all interfaces.\n`,
    'events.md': `${[...eventsHead, ...events].join('\n\n')}\n`,
    ...pages,
  };
}
