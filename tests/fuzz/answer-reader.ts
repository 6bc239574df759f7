/** An answer as it came over the wire. */
export type Answer = {
  status: number;
  headers: ReadonlyMap<string, readonly string[]>;
  body: Buffer;
  /** What stood behind it already when it was complete. */
  rest: Buffer;
};

type Head = { status: number; headers: Map<string, string[]>; bodyStart: number };

/** The first whole answer in the bytes; null while it is not whole. Throws on what is no answer. */
export function readAnswer(bytes: Buffer, end: "open" | "closed", body: "sent" | "none"): Answer | null {
  const head = readHead(bytes, 0);
  if (head === null) return null;
  const { status, headers, bodyStart } = head;
  // Interim answers only say: go on.
  if (status < 200) return readAnswer(bytes.subarray(bodyStart), end, body);
  const whole = (text: Buffer, restStart: number): Answer => ({
    status,
    headers,
    body: text,
    rest: bytes.subarray(restStart),
  });
  if (body === "none" || status === 204 || status === 304) return whole(Buffer.alloc(0), bodyStart);
  if (headers.get("transfer-encoding")?.[0]?.toLowerCase() === "chunked") {
    const chunks = readChunks(bytes, bodyStart);
    return chunks && whole(chunks.body, chunks.end);
  }
  const length = headers.get("content-length")?.[0];
  if (length !== undefined) {
    const bodyEnd = bodyStart + Number(length);
    return bytes.length >= bodyEnd ? whole(bytes.subarray(bodyStart, bodyEnd), bodyEnd) : null;
  }
  return end === "closed" ? whole(bytes.subarray(bodyStart), bytes.length) : null;
}

function readHead(bytes: Buffer, start: number): Head | null {
  const end = bytes.indexOf("\r\n\r\n", start);
  if (end === -1) return null;
  const [first = "", ...lines] = bytes.toString("latin1", start, end).split("\r\n");
  const status = /^HTTP\/1\.1 (\d{3}) /.exec(first)?.[1];
  if (status === undefined) throw new Error(`no answer begins with ${JSON.stringify(first.slice(0, 80))}`);
  const headers = new Map<string, string[]>();
  for (const line of lines) {
    const colon = line.indexOf(":");
    if (colon < 1) throw new Error(`no header: ${JSON.stringify(line.slice(0, 80))}`);
    const name = line.slice(0, colon).toLowerCase();
    headers.set(name, [...(headers.get(name) ?? []), line.slice(colon + 1).trim()]);
  }
  return { status: Number(status), headers, bodyStart: end + 4 };
}

function readChunks(bytes: Buffer, start: number): { body: Buffer; end: number } | null {
  const parts: Buffer[] = [];
  for (let at = start; ;) {
    const lineEnd = bytes.indexOf("\r\n", at);
    if (lineEnd === -1) return null;
    const text = bytes.toString("latin1", at, lineEnd);
    if (!/^[0-9a-f]+$/i.test(text)) throw new Error(`no size of a chunk: ${JSON.stringify(text.slice(0, 80))}`);
    const size = Number.parseInt(text, 16);
    const dataEnd = lineEnd + 2 + size;
    if (bytes.length < dataEnd + 2) return null;
    if (bytes.toString("latin1", dataEnd, dataEnd + 2) !== "\r\n")
      throw new Error("a chunk does not end where it said");
    if (size === 0) return { body: Buffer.concat(parts), end: dataEnd + 2 };
    parts.push(bytes.subarray(lineEnd + 2, dataEnd));
    at = dataEnd + 2;
  }
}
