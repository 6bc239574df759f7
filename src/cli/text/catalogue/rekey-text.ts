import { type Rekeyed, shortKeyId } from "../../../core/secret/sealed-credential.ts";
import { printable } from "../cell.ts";

export function rekeyText({ keyId, resealed, current, unopened }: Rekeyed): string {
  const counts = `Re-encrypted with key ${shortKeyId(keyId)}: ${resealed.length}. Already current: ${current.length}. Could not be decrypted: ${unopened.length}.`;
  return [counts, ...unopened.map(({ problem }) => `Unchanged: ${printable(problem)}`)].join("\n");
}
