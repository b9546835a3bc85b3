const WIDTH = 140;

/** Formats JSON: values that fit into a line are not broken. */
export function print(value: unknown, indent = ''): string {
  const short = JSON.stringify(value);
  if (typeof value !== 'object' || value === null || indent.length + short.length <= WIDTH) return short;
  const inner = `${indent}  `;
  const [open, close] = Array.isArray(value) ? '[]' : '{}';
  const lines = Array.isArray(value)
    ? value.map((item) => print(item, inner))
    : Object.entries(value).map(([name, member]) => `${JSON.stringify(name)}: ${print(member, inner)}`);
  return `${open}\n${inner}${lines.join(`,\n${inner}`)}\n${indent}${close}`;
}
