/** A text, or a value as TOML writes it on one line. */
export type TomlValue = string | { toml: string };
export type TomlValues = Readonly<Record<string, TomlValue>>;

/** What is to stand in a TOML file: names before the first table, and one table. */
export type TomlSettings = {
  root: TomlValues;
  /** Set only where the file says nothing of them. */
  rootIfAbsent: TomlValues;
  /** Its dotted name, of bare names. */
  table: string;
  values: TomlValues;
  /** Set in the table only where it has them already. */
  valuesIfPresent?: TomlValues;
};

/** The settings as a file of their own. */
export function tomlText({ root, rootIfAbsent, table, values }: TomlSettings): string {
  const lines = (of: TomlValues): string[] =>
    Object.entries(of).map(([name, value]) => `${name} = ${tomlValue(value)}`);
  return [...lines({ ...root, ...rootIfAbsent }), "", `[${table}]`, ...lines(values)].join("\n");
}

export const tomlValue = (value: TomlValue): string => (typeof value === "string" ? quoted(value) : value.toml);

/** JSON's escapes are a subset of TOML's. */
const quoted = (value: string): string => JSON.stringify(value);
