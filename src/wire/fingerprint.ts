import { createHash } from "node:crypto";

/** What makes a request the same one when it is sent again. */
export type Repeatable = {
  route: string;
  /** The version header, which changes how the same body is read. */
  version: string;
  bytes: Buffer;
};

/** [interface decision 24] */
export function fingerprintOf({ route, version, bytes }: Repeatable): Buffer {
  return createHash("sha256").update(`POST\n${route}\n${version}\n`).update(bytes).digest();
}
