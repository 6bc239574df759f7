import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Dialect, StreamEncoder } from "../dialect.ts";
import { invalid } from "../ask/refusal.ts";
import { createRemember } from "./remember.ts";

/** A stream as whole server-sent events, or the bytes of a plain answer. */
export type Recording = { kind: "stream"; events: readonly string[] } | { kind: "plain"; body: Buffer };

export type ReadRecording = (dialect: Dialect, file: string) => Promise<Recording>;

/** Reads each file once. File names come from a pattern that has no path separator and no leading dot. */
export function createReadRecording(folder: string | null): ReadRecording {
  const remember = createRemember<Promise<Recording>>(256);
  return (dialect, file) => {
    if (folder === null) throw invalid("This simulator was started without a folder of recordings.");
    return remember(`${dialect.folder}/${file}`, () =>
      readRecording(join(folder, dialect.folder, file), file, dialect),
    );
  };
}

/** The same speed, pauses and faults apply to a recording; its events count as tokens. */
export function encodeRecording(events: readonly string[], template: StreamEncoder): StreamEncoder {
  const token = (index: number) => events[index] ?? "";
  const stretch = { before: () => [], tokens: events.length, token, after: () => [] };
  return { ...template, opening: () => [], stretches: [stretch], closing: () => [] };
}

async function readRecording(path: string, file: string, dialect: Dialect): Promise<Recording> {
  const bytes = await readFile(path).catch(() => {
    throw invalid(`There is no recording ${file} in ${dialect.folder}.`);
  });
  if (file.endsWith(".json")) return { kind: "plain", body: bytes };
  const text = bytes.toString("utf8");
  if (file.endsWith(".sse")) return { kind: "stream", events: text.split(/(?<=\n\n)/) };
  if (!file.endsWith(".chunks.txt")) throw invalid(`A recording ends in .chunks.txt, .sse or .json; ${file} does not.`);
  const events = text
    .split("\n")
    .filter((line) => line.trim() !== "")
    .map(dialect.frame);
  const { terminator } = dialect;
  return {
    kind: "stream",
    events: terminator === null || events.at(-1) === terminator ? events : [...events, terminator],
  };
}
