import { CommandError } from "./report-failure.ts";

/** Where a credential is read from: standard input, or what a test puts in its place. */
export type CredentialInput = AsyncIterable<Buffer | string> & { isTTY?: boolean };

const MOST_BYTES = 16_384;
/** It is sent in a header, so this is all it can be. */
const CREDENTIAL = /^[\x21-\x7e]+$/;

/**
 * A credential from standard input. Never from an argument, which process lists and the history of shells would keep. Nothing
 * of what was read is repeated in a message.
 */
export async function readCredential(input: CredentialInput, option = "--credential-stdin"): Promise<string> {
  if (input.isTTY) {
    throw new CommandError(
      `${option} reads from a pipe or a file, so that the credential is not shown on the screen: put \`< FILE\` behind the command, or \`your-password-manager … |\` before it.`,
    );
  }
  const parts: Buffer[] = [];
  let bytes = 0;
  for await (const part of input) {
    const buffer = Buffer.from(part);
    bytes += buffer.length;
    if (bytes > MOST_BYTES)
      throw new CommandError(`the credential on standard input is longer than ${MOST_BYTES} bytes.`);
    parts.push(buffer);
  }
  const credential = Buffer.concat(parts)
    .toString("utf8")
    .replace(/\r?\n$/, "");
  if (credential === "") throw new CommandError("there is no credential on standard input.");
  if (!CREDENTIAL.test(credential)) {
    throw new CommandError("the credential must be one line of printable ASCII characters without spaces.");
  }
  return credential;
}
