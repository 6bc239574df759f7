/** A message of PostgreSQL's protocol; the startup packet, which has no type, comes with an empty one. */
type OnMessage = (type: string, body: Buffer) => void;

const STARTUP_HEAD_BYTES = 4;
const HEAD_BYTES = 5;

/** What a client sends, message by message, however it is cut into chunks. */
export const frontendMessages = (onMessage: OnMessage): ((chunk: Buffer) => void) => messages("startup", onMessage);

/** What a server sends. */
export const backendMessages = (onMessage: OnMessage): ((chunk: Buffer) => void) => messages("typed", onMessage);

function messages(first: "startup" | "typed", onMessage: OnMessage): (chunk: Buffer) => void {
  let rest: Buffer = Buffer.alloc(0);
  let untyped = first === "startup";
  return (chunk) => {
    rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    for (;;) {
      const headBytes = untyped ? STARTUP_HEAD_BYTES : HEAD_BYTES;
      if (rest.length < headBytes) return;
      // The length counts itself and not the type before it.
      const end = rest.readUInt32BE(headBytes - STARTUP_HEAD_BYTES) + headBytes - STARTUP_HEAD_BYTES;
      if (rest.length < end) return;
      onMessage(untyped ? "" : String.fromCharCode(rest[0] as number), rest.subarray(headBytes, end));
      rest = rest.subarray(end);
      untyped = false;
    }
  };
}

/** The texts that end in a zero byte at the start of a message. */
export function textsOf(body: Buffer, count: number): string[] {
  const texts: string[] = [];
  let from = 0;
  while (texts.length < count) {
    const to = body.indexOf(0, from);
    if (to < 0) return texts;
    texts.push(body.toString("utf8", from, to));
    from = to + 1;
  }
  return texts;
}

/** Of a Bind, which of its parameters are not null. */
export function givenIn(body: Buffer): boolean[] {
  // Behind the names of portal and statement: the formats of the parameters, and then the parameters.
  const formatsAt = body.indexOf(0, body.indexOf(0) + 1) + 1;
  let at = formatsAt + 2 + 2 * body.readUInt16BE(formatsAt);
  const given: boolean[] = [];
  for (let left = body.readUInt16BE(at); left > 0; left -= 1) {
    const bytes = body.readInt32BE(at + 2);
    given.push(bytes >= 0);
    at += 4 + Math.max(0, bytes);
  }
  return given;
}
