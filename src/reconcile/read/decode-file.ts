import { ExportError } from "../export-error.ts";

/** A file by its name, whose bytes can be read more than once, and are unpacked. */
export type SourceFile = { name: string; bytes: () => AsyncIterable<Uint8Array> };

/** The text of a file as it is read: UTF-8 with or without a mark at its beginning. */
export async function* textOf({ name, bytes }: SourceFile): AsyncGenerator<string> {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  const decode = (chunk: Uint8Array | null): string => {
    try {
      return chunk === null ? decoder.decode() : decoder.decode(chunk, { stream: true });
    } catch {
      throw new ExportError(name, "the file is not text in UTF-8");
    }
  };
  for await (const chunk of bytes()) {
    const text = decode(chunk);
    if (text !== "") yield text;
  }
  const rest = decode(null);
  if (rest !== "") yield rest;
}
