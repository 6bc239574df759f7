/** What means the same in an array with quotes as without. */
const BARE = /^(?!null$)[a-z0-9_.:/-]+$/;

type NamesOf<Row, Value> = { [Name in keyof Row]: Row[Name] extends Value ? Name : never }[keyof Row];
type Plain = number | bigint | boolean | null;

/**
 * Rows become columns, one array per field; a column that nobody uses is null as a whole. Numbers and truth values are written out here: they need no quoting, and quoting
 * them would be most of what a batch costs this process.
 */
export function plainColumns<Row>(
  rows: readonly (Row | null)[],
): (...names: NamesOf<Row, Plain>[]) => (string | null)[] {
  const used = rows.some((row) => row !== null);
  const element = (row: Row | null, name: keyof Row): string => String(row?.[name] ?? "NULL");
  return (...names) => names.map((name) => (used ? `{${rows.map((row) => element(row, name)).join(",")}}` : null));
}

/** The same for text and bytes. */
export function textColumns<Row>(
  rows: readonly (Row | null)[],
): (...names: NamesOf<Row, string | Buffer | null>[]) => (unknown[] | string | null)[] {
  const used = rows.some((row) => row !== null);
  return (...names) => names.map((name) => (used ? quoted(rows.map((row) => row?.[name] ?? null)) : null));
}

/** Most text is ids and words, which need no quotes. */
function quoted(values: unknown[]): unknown[] | string {
  return values.every((value) => typeof value === "string" && BARE.test(value)) ? `{${values.join(",")}}` : values;
}
