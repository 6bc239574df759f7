import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { connect, type Socket } from "node:net";

export const OPCODES = { continuation: 0, text: 1, binary: 2, close: 8, ping: 9, pong: 10 } as const;

type Frame = { opcode: number; final?: boolean; masked?: boolean; payload?: Buffer | string };

/** A frame as a client writes it, or as none should. */
export function frame({ opcode, final = true, masked = true, payload = "" }: Frame): Buffer {
  const content = Buffer.from(payload);
  const { length } = content;
  const first = (final ? 0x80 : 0) | opcode;
  const bit = masked ? 0x80 : 0;
  const head =
    length < 126
      ? Buffer.from([first, bit | length])
      : length < 65_536
        ? Buffer.from([first, bit | 126, length >> 8, length & 0xff])
        : Buffer.concat([Buffer.from([first, bit | 127]), bigEndian(length)]);
  if (!masked) return Buffer.concat([head, content]);
  const mask = randomBytes(4);
  return Buffer.concat([head, mask, content.map((byte, at) => byte ^ (mask[at % 4] as number))]);
}

function bigEndian(length: number): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64BE(BigInt(length));
  return bytes;
}

export type RawSocket = {
  socket: Socket;
  write: (...frames: Buffer[]) => void;
  /** All that has come behind the handshake. */
  received: () => Buffer;
  /** The code of the close frame; null: it ended without one. */
  closeCode: () => Promise<number | null>;
};

/** A WebSocket by hand, for frames that no library sends. */
export async function openRawSocket(url: string, key: string): Promise<RawSocket> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  await once(socket, "connect");
  socket.write(handshake(key));
  let bytes = Buffer.alloc(0);
  let begin = -1;
  const ended = new Promise<void>((resolve) => {
    socket.once("close", () => resolve());
    socket.once("error", () => resolve());
  });
  socket.on("data", (chunk: Buffer) => (bytes = Buffer.concat([bytes, chunk])));
  while (begin === -1) {
    await Promise.race([once(socket, "data"), ended]);
    if (socket.destroyed) throw new Error("the connection closed in the handshake");
    begin = bytes.indexOf("\r\n\r\n");
  }
  const [head] = bytes.toString("latin1").split("\r\n");
  if (!head?.includes(" 101 ")) throw new Error(`no socket: ${head}`);
  const received = (): Buffer => bytes.subarray(begin + 4);
  return {
    socket,
    received,
    write: (...frames) => void socket.write(Buffer.concat(frames)),
    closeCode: async () => {
      await Promise.race([once(socket, "end").catch(() => undefined), ended]);
      return closeCodeIn(received());
    },
  };
}

export const handshake = (key: string, more: readonly string[] = []): string =>
  [
    "GET /v1/responses HTTP/1.1",
    "host: gateway",
    "connection: upgrade",
    "upgrade: websocket",
    "sec-websocket-version: 13",
    `sec-websocket-key: ${randomBytes(16).toString("base64")}`,
    `authorization: Bearer ${key}`,
    ...more,
    "\r\n",
  ].join("\r\n");

/** Walks over the frames of a server, which are not masked, to the one that closes. */
function closeCodeIn(bytes: Buffer): number | null {
  for (let at = 0; at + 2 <= bytes.length;) {
    const opcode = (bytes[at] as number) & 0xf;
    const short = (bytes[at + 1] as number) & 0x7f;
    const [length, head] =
      short < 126
        ? [short, 2]
        : short === 126
          ? [bytes.readUInt16BE(at + 2), 4]
          : [Number(bytes.readBigUInt64BE(at + 2)), 10];
    if (opcode === OPCODES.close) return length < 2 ? null : bytes.readUInt16BE(at + head);
    at += head + length;
  }
  return null;
}
