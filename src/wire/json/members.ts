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

/** Where each value of a list stands in such a text. `list`: from its bracket to the place after the other. */
export function findElements(bytes: Buffer, list: Pick<MemberSpan, "valueStart" | "valueEnd">): [number, number][] {
  const elements: [number, number][] = [];
  let depth = 0;
  let start = -1;
  let lastSolid = 0;
  for (let at = list.valueStart + 1; at < list.valueEnd; at++) {
    const byte = bytes[at] as number;
    if (isSpace(byte)) continue;
    if (depth === 0 && (byte === COMMA || at === list.valueEnd - 1)) {
      if (start !== -1) elements.push([start, lastSolid]);
      start = -1;
      continue;
    }
    if (start === -1) start = at;
    if (byte === QUOTE) at = closingQuote(bytes, at);
    else if (byte === 0x7b || byte === 0x5b) depth++;
    else if (byte === 0x7d || byte === 0x5d) depth--;
    lastSolid = at + 1;
  }
  return elements;
}

/** Names are nearly always plain; only one with an escape in it has to be read as JSON. */
export function nameAt(bytes: Buffer, start: number, end: number): string {
  const text = bytes.toString("utf8", start + 1, end - 1);
  return text.includes("\\") ? (JSON.parse(`"${text}"`) as string) : text;
}

function isSpace(byte: number): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
}
