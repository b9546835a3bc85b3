/** Prints a report as tables in Markdown. */
import type { Report } from './run.ts';
import type { Outcome } from './subject.ts';

const OUTCOMES: readonly Outcome[] = ['ok', 'differs', 'could not be tried'];

/** @returns whether nothing differs */
export function printReport(
  { results, facts, left, webhookSetup }: Report,
  secrets: readonly string[],
): boolean {
  const hide = (text: string) => secrets.reduce((hidden, secret) => hidden.replaceAll(secret, '***'), text);
  const print = (text: string) => console.log(hide(text));
  printTable(
    print,
    ['check', 'why', 'result'],
    results.map(({ name, why, outcome }) => [name, why, outcome]),
  );
  print('');
  printTable(
    print,
    ['unconfirmed: what we assume', 'what was seen', 'result'],
    facts.map(({ assumed, seen, outcome }) => [assumed, seen, outcome]),
  );
  if (webhookSetup !== undefined)
    print(`\nWebhooks are set up by a person, with this file (webhooks-hsmeta.json):\n\n${webhookSetup}`);
  for (const what of left.byHand) print(`\nRemove by hand: ${what}`);
  for (const what of left.failed) print(`\nNot removed: ${what}`);
  const outcomes = [...results, ...facts].map(({ outcome }) => outcome);
  const counts = OUTCOMES.map((each) => `${outcomes.filter((outcome) => outcome === each).length} ${each}`);
  print(`\n${counts.join(', ')}`);
  return !outcomes.includes('differs');
}

function printTable(
  print: (line: string) => void,
  titles: readonly string[],
  rows: readonly string[][],
): void {
  print(`| ${titles.join(' | ')} |`);
  print(`|${titles.map(() => '---|').join('')}`);
  for (const row of rows) print(`| ${row.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`);
}
