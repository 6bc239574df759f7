import { type Rekeyed, shortKeyId } from "../../core/sealed-credential.ts";
import { printable } from "./cell.ts";

export function rekeyText({ keyId, resealed, current, unopened }: Rekeyed): string {
  const counts = `sealed anew with the key ${shortKeyId(keyId)}: ${resealed.length}; had it already: ${current.length}; could not be opened: ${unopened.length}`;
  return [counts, ...unopened.map(({ problem }) => `left as it was: ${printable(problem)}`)].join("\n");
}
