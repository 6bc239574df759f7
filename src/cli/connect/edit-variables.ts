import { CannotEdit } from "./cannot-edit.ts";

const NAMED = /^\s*(?:export\s+)?([A-Za-z_]\w*)\s*=/;

/** Sets variables of a `.env` file, each on its line, and leaves all other lines as they are. */
export function setVariables(text: string, values: Readonly<Record<string, string>>): string {
  const newline = text.includes("\r\n") ? "\r\n" : "\n";
  const lines = text === "" ? [] : text.replace(/\r?\n$/, "").split(/\r?\n/);
  if (lines.some((line) => opensText(line))) throw new CannotEdit("it has values over several lines");
  const seen = new Set<string>();
  const written = lines.map((line) => {
    const name = NAMED.exec(line)?.[1];
    const value = name === undefined ? undefined : values[name];
    if (name === undefined || value === undefined) return line;
    seen.add(name);
    return line.replace(/=.*$/, () => `=${value}`);
  });
  const missing = Object.entries(values).filter(([name]) => !seen.has(name));
  return [...written, ...missing.map(([name, value]) => `${name}=${value}`), ""].join(newline);
}

/** A quotation mark that is not closed on its line. */
function opensText(line: string): boolean {
  const [, mark = "", rest = ""] = /^\s*(?:export\s+)?[A-Za-z_]\w*\s*=\s*(["'`])(.*)$/.exec(line) ?? [];
  return mark !== "" && !rest.replaceAll(/\\./g, "").includes(mark);
}
