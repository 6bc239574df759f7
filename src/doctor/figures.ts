const UNITS = ["bytes", "KiB", "MiB", "GiB", "TiB"] as const;

/** 536870912 as 512 MiB. */
export function inBytes(bytes: number): string {
  const power = bytes < 1024 ? 0 : Math.min(UNITS.length - 1, Math.floor(Math.log2(bytes) / 10));
  return `${inNumbers(Math.round((bytes / 1024 ** power) * 10) / 10)} ${UNITS[power]}`;
}

/** A count with separators and, where there is one, its noun. */
export function inNumbers(count: number, noun = ""): string {
  const figure = count.toLocaleString("en-US");
  return noun === "" ? figure : `${figure} ${noun}${count === 1 ? "" : "s"}`;
}
