// Finds JSON objects in which a member occurs twice. `JSON.parse` keeps the last one, and other parsers may keep the first.

/** The end of the string that begins at `start`: the position after its closing quote. */
function endOfString(json: string, start: number): number {
  let end = start + 1;
  while (json[end] !== '"') end += json[end] === '\\' ? 2 : 1;
  return end + 1;
}

const WHITESPACE = /[ \t\n\r]*/y;

/** The name of a member that occurs twice in its object; undefined if there is none. `json` must be valid JSON. */
export function repeatedMember(json: string): string | undefined {
  /** The names in each open object or array. */
  const open: Set<string>[] = [];
  for (let i = 0; i < json.length; i++) {
    const char = json[i];
    if (char === '{' || char === '[') open.push(new Set());
    else if (char === '}' || char === ']') open.pop();
    else if (char === '"') {
      const end = endOfString(json, i);
      WHITESPACE.lastIndex = end;
      WHITESPACE.exec(json);
      // Only the name of a member is followed by a colon.
      if (json[WHITESPACE.lastIndex] === ':') {
        const name: string = JSON.parse(json.slice(i, end));
        if (open.at(-1)?.has(name)) return name;
        open.at(-1)?.add(name);
      }
      i = end - 1;
    }
  }
  return undefined;
}
