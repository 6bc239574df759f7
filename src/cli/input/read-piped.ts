import { CommandError } from "../report-failure.ts";

/** Where a secret is read from: standard input, or what a test puts in its place. */
export type SecretInput = AsyncIterable<Buffer | string> & { isTTY?: boolean };

const MOST_BYTES = 16_384;

/** All of standard input without its last line break. `what` is its name in messages, which repeat nothing of what was read. */
export async function readPiped(input: SecretInput, what: string): Promise<string> {
  const parts: Buffer[] = [];
  let bytes = 0;
  for await (const part of input) {
    const buffer = Buffer.from(part);
    bytes += buffer.length;
    if (bytes > MOST_BYTES) throw new CommandError(`the ${what} on standard input is longer than ${MOST_BYTES} bytes.`);
    parts.push(buffer);
  }
  const text = Buffer.concat(parts)
    .toString("utf8")
    .replace(/\r?\n$/, "");
  if (text === "") throw new CommandError(`there is no ${what} on standard input.`);
  return text;
}
