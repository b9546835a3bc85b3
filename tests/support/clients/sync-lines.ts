// Reads files as `placar sync` does, and writes workbooks by hand.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { CFB } from '@e965/xlsx';
import { type Line, type LinesOptions, openLines } from '../../../clients/typescript/src/cli/sync/lines.ts';
import { newFolder } from '../../clients/cli/run-cli.ts';

/** Reads a file as deals, unless the options say otherwise. */
export async function readLines(content: string | Uint8Array, given: Partial<LinesOptions> = {}) {
  const file = join(newFolder(), 'file.csv');
  writeFileSync(file, content);
  const notes: string[] = [];
  const { lines } = await openLines(file, {
    ...{ map: {}, kind: 'deals', variant: 'a', note: (text) => notes.push(text) },
    ...{
      delimiter: undefined,
      encoding: undefined,
      sheet: undefined,
      locale: undefined,
      timeZone: undefined,
    },
    ...given,
  });
  const found: Line[] = [];
  for await (const line of lines) found.push(line);
  const items = found.map(({ item }) => item);
  return {
    notes,
    lines: found,
    items,
    faults: found.flatMap(({ number, faults }) => faults.map((one) => ({ number, ...one }))),
  };
}

export const refusal = (content: string, options?: Partial<LinesOptions>): Promise<string> =>
  readLines(content, options).then(
    () => 'read',
    (error: Error) => error.message,
  );

/** A ZIP file of these texts. */
function zip(files: Record<string, string>): Buffer {
  const container = CFB.utils.cfb_new();
  for (const [name, text] of Object.entries(files)) CFB.utils.cfb_add(container, name, Buffer.from(text));
  return CFB.write(container, { fileType: 'zip', type: 'buffer' }) as Buffer;
}

const XML = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>';
const MAIN = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"';
const OFFICE = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';

/** A workbook of hand-written sheets. Formats: 1 a date, 2 a time, 3 `00000`, 4 a Brazilian date of one's own, 5 reais, 6 and further `formats`. */
export const workbook = (
  sheets: Record<string, string>,
  { strings = [] as string[], date1904 = false, formats = [] as string[], merges = [] as string[] } = {},
): Buffer => {
  const names = Object.keys(sheets);
  const relations = names.map(
    (_, n) => `<Relationship Id="rId${n}" Type="${OFFICE}/worksheet" Target="worksheets/sheet${n}.xml"/>`,
  );
  return zip({
    '[Content_Types].xml': `${XML}<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/><Override PartName="/xl/workbook.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml"/>${names.map((_, n) => `<Override PartName="/xl/worksheets/sheet${n}.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.worksheet+xml"/>`).join('')}<Override PartName="/xl/styles.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.styles+xml"/><Override PartName="/xl/sharedStrings.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.sharedStrings+xml"/></Types>`,
    '_rels/.rels': `${XML}<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="rId1" Type="${OFFICE}/officeDocument" Target="xl/workbook.xml"/></Relationships>`,
    'xl/workbook.xml': `${XML}<workbook ${MAIN} xmlns:r="${OFFICE}"><workbookPr${date1904 ? ' date1904="1"' : ''}/><sheets>${names.map((name, n) => `<sheet name="${name}" sheetId="${n + 1}" r:id="rId${n}"${name.startsWith('~') ? ' state="hidden"' : ''}/>`).join('')}</sheets></workbook>`,
    'xl/_rels/workbook.xml.rels': `${XML}<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">${relations.join('')}<Relationship Id="rIdS" Type="${OFFICE}/styles" Target="styles.xml"/><Relationship Id="rIdT" Type="${OFFICE}/sharedStrings" Target="sharedStrings.xml"/></Relationships>`,
    'xl/styles.xml': `${XML}<styleSheet ${MAIN}><numFmts count="${3 + formats.length}"><numFmt numFmtId="164" formatCode="00000"/><numFmt numFmtId="165" formatCode="dd/mm/yyyy\\ hh:mm;@"/><numFmt numFmtId="166" formatCode="&quot;R$&quot;\\ #,##0.00"/>${formats.map((format, n) => `<numFmt numFmtId="${167 + n}" formatCode="${format.replaceAll('&', '&amp;').replaceAll('"', '&quot;')}"/>`).join('')}</numFmts><cellXfs count="${6 + formats.length}"><xf numFmtId="0"/><xf numFmtId="14" applyNumberFormat="1"/><xf numFmtId="22" applyNumberFormat="1"/><xf numFmtId="164" applyNumberFormat="1"/><xf numFmtId="165" applyNumberFormat="1"/><xf numFmtId="166" applyNumberFormat="1"/>${formats.map((_, n) => `<xf numFmtId="${167 + n}" applyNumberFormat="1"/>`).join('')}</cellXfs></styleSheet>`,
    'xl/sharedStrings.xml': `${XML}<sst ${MAIN}>${strings.map((text) => `<si>${text.startsWith('<') ? text : `<t xml:space="preserve">${text}</t>`}</si>`).join('')}</sst>`,
    ...Object.fromEntries(
      names.map((name, n) => [
        `xl/worksheets/sheet${n}.xml`,
        `${XML}<worksheet ${MAIN}><sheetData>${sheets[name]}</sheetData>${merges.length > 0 ? `<mergeCells>${merges.map((ref) => `<mergeCell ref="${ref}"/>`).join('')}</mergeCells>` : ''}</worksheet>`,
      ]),
    ),
  });
};

export const inline = (address: string, text: string) =>
  `<c r="${address}" t="inlineStr"><is><t>${text}</t></is></c>`;
