// Texts of CSV files that spreadsheets would run as formulas.

/** Spreadsheets run texts that begin with these, also with the full-width signs of East Asian keyboards. */
const FORMULA = /^'*[=+\-@\t\r\n＝＋－＠]/u;

/** Puts a `'` in front of a formula. A text that has one already gets another, so that a reader can remove exactly one. */
export const escapeFormula = (text: string): string => (FORMULA.test(text) ? `'${text}` : text);

/** The text of a cell that `escapeFormula` wrote. */
export const unescapeFormula = (cell: string): string =>
  cell.startsWith("'") && FORMULA.test(cell) ? cell.slice(1) : cell;
