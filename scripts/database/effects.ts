// Determines the side effects of a function from its body. All names in bodies include their schema, because every function has
// an empty search_path.
import type { DatabaseFunction } from './catalog.ts';

export type Operation = 'inserts' | 'updates' | 'deletes';

export interface Write {
  table: string;
  operation: Operation;
  /** The called function that writes, or null if the function writes itself. */
  via: string | null;
}

export interface Effects {
  writes: Write[];
  /** Columns that a BEFORE trigger changes in its row. */
  sets: string[];
  /** Transaction settings changed by `set_config`. */
  settings: string[];
  /** Statements whose table is determined at run time. */
  dynamic: Operation[];
  /** Whether it creates or drops tables. */
  changesTables: boolean;
  raises: boolean;
}

interface Body extends Omit<Effects, 'writes'> {
  writes: { table: string; operation: Operation }[];
  calls: string[];
}

const STATEMENTS: { operation: Operation; pattern: string }[] = [
  { operation: 'inserts', pattern: 'insert\\s+into' },
  { operation: 'updates', pattern: 'update(?:\\s+only)?' },
  { operation: 'deletes', pattern: 'delete\\s+from(?:\\s+only)?' },
];

/** A name with its schema. */
const NAME = '([a-z_]+\\.[a-z_][a-z0-9_]*)';

/** The side effects of each function, including those of called functions. */
export function readEffects(functions: DatabaseFunction[]): Map<string, Effects> {
  const names = new Set(functions.map(({ name }) => name));
  const bodies = new Map<string, Body[]>();
  for (const { name, body } of functions) {
    bodies.set(name, [...(bodies.get(name) ?? []), readBody(body, names)]);
  }
  return new Map([...names].map((name) => [name, follow(name, bodies)]));
}

function readBody(text: string, functions: Set<string>): Body {
  const body = text.replace(/\/\*[\s\S]*?\*\//g, ' ').replace(/--.*$/gm, ' ');
  const all = (pattern: string) =>
    [...body.matchAll(new RegExp(pattern, 'gi'))].map(([, found = '']) => found);
  return {
    writes: [
      ...STATEMENTS.flatMap(({ operation, pattern }) =>
        all(`\\b${pattern}\\s+${NAME}`).map((table) => ({ table, operation })),
      ),
      ...all(`\\binsert\\s+into\\s+${NAME}(?:(?!\\binsert\\s+into\\b|;)[\\s\\S])*\\bdo\\s+update\\b`).map(
        (table) => ({ table, operation: 'updates' as const }),
      ),
    ],
    dynamic: STATEMENTS.flatMap(({ operation, pattern }) =>
      new RegExp(`\\b${pattern}\\s+(?:[a-z_]+\\.)?%`, 'i').test(body) ? [operation] : [],
    ),
    sets: [...all('\\bnew\\.([a-z_]+)\\s*:='), ...all('\\binto\\s+(?:strict\\s+)?new\\.([a-z_]+)')],
    settings: all("\\bset_config\\(\\s*'([^']+)'"),
    changesTables: /\b(create|drop)\s+table\b/i.test(body),
    raises: /\braise\s+(exception\b|;)/i.test(body),
    calls: all(`(?<!\\binto\\s+)\\b${NAME}\\s*\\(`).filter((name) => functions.has(name)),
  };
}

function follow(start: string, bodies: Map<string, Body[]>): Effects {
  const effects: Effects = {
    writes: [],
    sets: [],
    settings: [],
    dynamic: [],
    changesTables: false,
    raises: false,
  };
  const seen = new Set<string>();
  const visit = (name: string, via: string | null) => {
    if (seen.has(name)) return;
    seen.add(name);
    for (const body of bodies.get(name) ?? []) {
      effects.writes.push(...body.writes.map((write) => ({ ...write, via })));
      effects.settings.push(...body.settings);
      effects.dynamic.push(...body.dynamic);
      effects.changesTables ||= body.changesTables;
      effects.raises ||= body.raises;
      // Only the trigger function itself can change the row.
      if (via === null) effects.sets.push(...body.sets);
    }
    for (const body of bodies.get(name) ?? []) for (const call of body.calls) visit(call, via ?? call);
  };
  visit(start, null);
  return {
    writes: uniqueWrites(effects.writes),
    sets: [...new Set(effects.sets)].sort(),
    settings: [...new Set(effects.settings)].sort(),
    dynamic: [...new Set(effects.dynamic)],
    changesTables: effects.changesTables,
    raises: effects.raises,
  };
}

/** Removes duplicates by table and operation. A function's own statement takes precedence over those of called functions. */
function uniqueWrites(writes: Write[]): Write[] {
  const byKey = new Map<string, Write>();
  for (const write of writes) {
    const key = `${write.table} ${write.operation}`;
    const known = byKey.get(key);
    if (!known || (known.via !== null && write.via === null)) byKey.set(key, write);
  }
  return [...byKey.entries()].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, write]) => write);
}
