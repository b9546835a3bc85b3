// Renders the triggers of a table in firing order, with the tables that they write.
import type { Catalog, Trigger, TriggerEvent } from './catalog.ts';
import type { Effects } from './effects.ts';
import { describeEffects } from './effects-text.ts';
import { code, codes, type Link, prose, sqlText, table } from './markdown.ts';

const EVENTS: TriggerEvent[] = ['INSERT', 'UPDATE', 'DELETE', 'TRUNCATE'];

/** Sort key: before the statement, before each row, after each row, after the statement. */
const moment = ({ before, row }: Trigger) => (before ? (row ? 1 : 0) : row ? 2 : 3);
const MOMENTS = ['before statement', 'before row', 'after row', 'after statement'];

/** The triggers of one event in firing order. The catalog returns them by name. */
export function inFiringOrder(triggers: Trigger[], event: TriggerEvent): Trigger[] {
  return triggers
    .filter(({ events }) => events.includes(event))
    .sort((a, b) => moment(a) - moment(b) || (a.name < b.name ? -1 : 1));
}

export function renderTriggers(
  triggers: Trigger[],
  functions: Catalog['functions'],
  effects: Map<string, Effects>,
  link: Link,
): string {
  const comments = new Map(functions.map(({ name, comment }) => [name, comment]));
  const sections = EVENTS.flatMap((event) => {
    const firing = inFiringOrder(triggers, event);
    if (firing.length === 0) return [];
    const rows = firing.map((trigger, index) => [
      String(index + 1),
      MOMENTS[moment(trigger)] + (trigger.deferred ? ', at commit' : ''),
      code(trigger.name),
      describeCondition(trigger, event),
      link(trigger.function),
      describeEffects(effects.get(trigger.function)) || 'nothing',
      prose(comments.get(trigger.function) ?? null).replace(/^Trigger: (.)/, (_, first: string) =>
        first.toUpperCase(),
      ),
    ]);
    const heads = ['', 'fires', 'trigger', 'when', 'calls', 'writes', 'comment'];
    return [`**On ${event}**`, table(heads, rows)];
  });
  return sections.join('\n\n');
}

function describeCondition({ columns, condition }: Trigger, event: TriggerEvent): string {
  const parts = [];
  if (event === 'UPDATE' && columns.length > 0) parts.push(`${codes(columns)} in the UPDATE`);
  if (condition !== null) parts.push(describeComparison(condition));
  return parts.join(' and ');
}

/** Shortens `old.a IS DISTINCT FROM new.a OR old.b IS ...`. */
function describeComparison(condition: string): string {
  const changed = condition.split(' OR ').map((part) => {
    const [, before, after] =
      part.match(/^\(?old\."?(\w+)"? (?:IS DISTINCT FROM|<>) new\."?(\w+)"?\)?$/) ?? [];
    return before === after ? before : undefined;
  });
  const columns = changed.filter((column) => column !== undefined);
  if (columns.length < changed.length) return code(sqlText(condition));
  return columns.length === 1 ? `${codes(columns)} changes` : `any of ${codes(columns)} changes`;
}
