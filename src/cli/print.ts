/** Writes a command's result: as data with `--json`, else as a person reads it. */
export function printResult(value: unknown, { json, text }: { json: boolean; text: () => string }): void {
  const output = json ? JSON.stringify(value, null, 2) : text();
  process.stdout.write(output.endsWith("\n") || output === "" ? output : `${output}\n`);
}

/** Rows as aligned columns. */
export function table(header: readonly string[], rows: readonly (readonly string[])[]): string {
  const all = [header, ...rows];
  const widths = header.map((_, column) => Math.max(...all.map((row) => (row[column] ?? "").length)));
  return all
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}
