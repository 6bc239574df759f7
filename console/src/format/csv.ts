/** A table as a file. Rows end as RFC 4180 says; what a spreadsheet would take for a formula is quoted into text. */
export function writeCsv(heads: readonly string[], rows: readonly (readonly string[])[]): string {
  return [heads, ...rows].map((row) => `${row.map(cell).join(",")}\r\n`).join("");
}

const NUMBER = /^-?\d+(\.\d+)?$/;

function cell(text: string): string {
  const safe = /^[=+\-@\t]/.test(text) && !NUMBER.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** Has the browser save a text as a file. */
export function saveFile(name: string, text: string, type = "text/csv"): void {
  const url = URL.createObjectURL(new Blob([text], { type: `${type};charset=utf-8` }));
  const link = Object.assign(document.createElement("a"), { href: url, download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 1000);
}
