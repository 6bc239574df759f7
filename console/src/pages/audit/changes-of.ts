type Document = Record<string, unknown> | null;

/** A field before and after; what was not there is null. */
export type Change = { name: string; was: string | null; is: string | null; changed: boolean };

/** Every field that either has, in their order, as text. */
export function changesOf(before: Document, after: Document): Change[] {
  const names = [...new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])];
  return names.map((name) => {
    const [was, is] = [written(before?.[name]), written(after?.[name])];
    return { name, was, is, changed: was !== is };
  });
}

export function written(value: unknown): string | null {
  if (value === undefined || value === null) return null;
  return typeof value === "string" ? value : JSON.stringify(value, null, typeof value === "object" ? 2 : 0);
}
