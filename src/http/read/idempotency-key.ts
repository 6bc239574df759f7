import { type Fault, fieldFault } from "../../core/fault.ts";

const NAME = "idempotency-key";
const LONGEST = 255;
const CONTROL = /\p{Cc}/u;
/** A header is bytes, and which letters the higher ones mean is not agreed: an é may arrive as one or as two. */
const BEYOND_ASCII = /[^\p{ASCII}]/u;

/** The caller's Idempotency-Key; null when it sent none. Read from the raw headers, because repeated ones are merged elsewhere. */
export function readIdempotencyKey(rawHeaders: readonly string[]): string | null {
  let value: string | null = null;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] as string;
    if (name.length !== NAME.length || name.toLowerCase() !== NAME) continue;
    if (value !== null) throw refused("The header was sent more than once");
    value = rawHeaders[at + 1] as string;
  }
  if (value === null) return null;
  if (value === "") throw refused("The header is empty");
  if (BEYOND_ASCII.test(value)) throw refused("The value has characters that are not ASCII");
  if (CONTROL.test(value)) throw refused("The value has control characters");
  if (value.length > LONGEST) throw refused(`The value has ${value.length.toLocaleString("en-US")} characters`);
  return value;
}

const refused = (what: string): Fault =>
  fieldFault("Idempotency-Key", `${what}. Send it once, with 1 to ${LONGEST} printable ASCII characters.`);
