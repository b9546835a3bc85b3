// Markdown helpers.

export const code = (text: string) => (text.includes('`') ? `\`\` ${text} \`\`` : `\`${text}\``);

export const codes = (texts: readonly string[]) => texts.map(code).join(', ');

/** Simplifies SQL from the catalog. */
export const sqlText = (text: string) =>
  text
    .replace(/'[^']*'/g, (literal) => literal.replaceAll('\n', '\\n'))
    .replace(/\s+/g, ' ')
    .replace(/timestamp(\(\d\))? with time zone/g, 'timestamptz$1')
    .replace(/('[^']*')::(?:text|jsonb|text\[\]|cidr\[\])(?![\w[])/g, '$1');

/** A database comment as Markdown text. */
export const prose = (text: string | null) => (text ?? '').replaceAll('<', '&lt;').replaceAll('*', '\\*');

const cell = (text: string) => text.replaceAll('|', '\\|').replaceAll('\n', ' ');

export function table(heads: string[], rows: string[][]): string {
  const line = (cells: string[]) => `| ${cells.map(cell).join(' | ')} |`;
  return [line(heads), line(heads.map(() => '---')), ...rows.map(line)].join('\n');
}

/** Omits the schema `public`. */
export const shortName = (name: string) => name.replace(/^public\./, '');

/** GitHub's anchor of a heading. */
export const anchor = (heading: string) =>
  `#${heading
    .toLowerCase()
    .replace(/[^\w\s-]/g, '')
    .replaceAll(' ', '-')}`;

export const tableHeading = (name: string) => `Table ${code(name)}`;

/** Renders the name of a table, view or function, with a link to its page if it has one. */
export type Link = (name: string) => string;

/** Joins non-empty texts with blank lines. */
export const paragraphs = (...texts: string[]) => texts.filter((text) => text !== '').join('\n\n');
