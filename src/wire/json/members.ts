import { closingQuote } from "./outline.ts";

const QUOTE = 0x22;
const COMMA = 0x2c;

/** Where a member of the outermost object stands in the bytes: its name, and the range of its value. */
export type MemberSpan = { name: string; nameStart: number; valueStart: number; valueEnd: number };

export type Members = { list: MemberSpan[]; duplicate: string | null };

/**
 * Finds the members of the outermost object of a JSON text. The text must already have been accepted by
 * `JSON.parse`: this only finds places, so that a field can be changed while every other byte stays as the caller wrote it.
 */
export function findMembers(bytes: Buffer): Members {
  const list: MemberSpan[] = [];
  const names = new Set<string>();
  let duplicate: string | null = null;
  let depth = 0;
  let open: MemberSpan | null = null;
  let lastSolid = 0;

  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at] as number;
    if (byte === QUOTE) {
      const end = closingQuote(bytes, at) + 1;
      if (depth === 1 && open === null) {
        const name = nameAt(bytes, at, end);
        if (names.has(name)) duplicate ??= name;
        names.add(name);
        let colon = end;
        while (bytes[colon] !== 0x3a) colon++;
        let valueStart = colon + 1;
        while (isSpace(bytes[valueStart] as number)) valueStart++;
        open = { name, nameStart: at, valueStart, valueEnd: valueStart };
        at = valueStart - 1;
      } else {
        at = end - 1;
        lastSolid = end;
      }
    } else if (byte === 0x7b || byte === 0x5b) {
      depth++;
    } else if (byte === 0x7d || byte === 0x5d) {
      depth--;
      if (depth === 0) close();
      lastSolid = at + 1;
    } else if (byte === COMMA) {
      if (depth === 1) close();
    } else if (!isSpace(byte)) {
      lastSolid = at + 1;
    }
  }
  return { list, duplicate };

  function close(): void {
    if (open === null) return;
    open.valueEnd = lastSolid;
    list.push(open);
    open = null;
  }
}

/** Names are nearly always plain; only one with an escape in it has to be read as JSON. */
export function nameAt(bytes: Buffer, start: number, end: number): string {
  const text = bytes.toString("utf8", start + 1, end - 1);
  return text.includes("\\") ? (JSON.parse(`"${text}"`) as string) : text;
}

function isSpace(byte: number): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
}
