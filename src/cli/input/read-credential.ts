import { readPiped, type SecretInput } from "./read-piped.ts";
import { CommandError } from "../report-failure.ts";

/** It is sent in a header, so this is all it can be. */
const CREDENTIAL = /^[\x21-\x7e]+$/;

/**
 * A credential from standard input. Never from an argument, which process lists and the history of shells would keep. Nothing
 * of what was read is repeated in a message.
 */
export async function readCredential(input: SecretInput, option = "--credential-stdin"): Promise<string> {
  if (input.isTTY) {
    throw new CommandError(
      `${option} reads from a pipe or a file, so that the credential is not shown on the screen: put \`< FILE\` behind the command, or \`your-password-manager … |\` before it.`,
    );
  }
  const credential = await readPiped(input, "credential");
  if (!CREDENTIAL.test(credential)) {
    throw new CommandError("the credential must be one line of printable ASCII characters without spaces.");
  }
  return credential;
}
