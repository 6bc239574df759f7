/** What means the same in an array with quotes as without. */
const BARE = /^(?!null$)[a-z0-9_.:/-]+$/;

type Plain = number | bigint | boolean | null;

/**
 * A field of all rows as the text of a PostgreSQL array. Numbers and truth values are written as they are: they need no quoting, and
 * quoting them would be most of what a batch costs this process.
 */
export function plainColumn<Row>(rows: readonly Row[], valueOf: (row: Row) => Plain | undefined): string {
  let text = "{";
  for (const row of rows) {
    if (text.length > 1) text += ",";
    text += valueOf(row) ?? "NULL";
  }
  return `${text}}`;
}

/** The same for ids and words. */
export function textColumn<Row>(rows: readonly Row[], valueOf: (row: Row) => string | null | undefined): string {
  let text = "{";
  for (const row of rows) {
    if (text.length > 1) text += ",";
    const value = valueOf(row) ?? null;
    text += value === null ? "NULL" : quoted(value);
  }
  return `${text}}`;
}

/** The same for bytes in hexadecimal. */
export const hexColumn = <Row>(rows: readonly Row[], hexOf: (row: Row) => string | null | undefined): string =>
  textColumn(rows, (row) => {
    const hex = hexOf(row);
    return hex == null ? null : `\\x${hex}`;
  });

/** Most text is ids and words, which need no quotes. */
const quoted = (value: string): string =>
  BARE.test(value) ? value : `"${value.replaceAll(/["\\]/g, String.raw`\$&`)}"`;
