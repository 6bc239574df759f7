const WIDTH = 88;

/** JSON for people: what fits on a line stands on one. */
export function writeJson(value: unknown, indent = ""): string {
  const short = oneLine(value);
  if (indent.length + short.length <= WIDTH || typeof value !== "object" || value === null) return short;
  const inner = `${indent}  `;
  const [open, close] = Array.isArray(value) ? ["[", "]"] : ["{", "}"];
  const members = Array.isArray(value)
    ? value.map((element) => inner + writeJson(element, inner))
    : Object.entries(value).map(([name, member]) => `${inner}${JSON.stringify(name)}: ${writeJson(member, inner)}`);
  return `${open}\n${members.join(",\n")}\n${indent}${close}`;
}

function oneLine(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(oneLine).join(", ")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const members = Object.entries(value).map(([name, member]) => `${JSON.stringify(name)}: ${oneLine(member)}`);
  return members.length === 0 ? "{}" : `{ ${members.join(", ")} }`;
}
