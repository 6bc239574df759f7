import { createSocket } from "node:dgram";
import { once } from "node:events";

export type NameServer = {
  /** For resolv.conf. */
  address: string;
  /** Asked for a name, it says nothing from now on, or answers again. */
  setSilent: (silent: boolean) => void;
  close: () => void;
};

const PORT = 53;
/** Of this machine, and of nobody else on it. */
const ADDRESS = "127.77.0.53";
const HEADER_BYTES = 12;
const ADDRESS_RECORD = 1;
const TTL_S = 1;

/** DNS for names that are all on this machine. Needs the right to open port 53. */
export async function startNameServer(): Promise<NameServer> {
  let isSilent = false;
  const socket = createSocket("udp4");
  socket.on("message", (question, { port, address }) => {
    if (!isSilent) socket.send(answerTo(question), port, address);
  });
  socket.bind(PORT, ADDRESS);
  await once(socket, "listening");
  return { address: ADDRESS, setSilent: (silent) => void (isSilent = silent), close: () => void socket.close() };
}

/** 127.0.0.1 to whoever asks for an IPv4 address, and nothing else about the name. */
function answerTo(message: Buffer): Buffer {
  let end = HEADER_BYTES;
  while ((message[end] ?? 0) !== 0) end += 1 + (message[end] ?? 0);
  const type = message.readUInt16BE(end + 1);
  const question = message.subarray(HEADER_BYTES, end + 5);
  const header = Buffer.alloc(HEADER_BYTES);
  message.copy(header, 0, 0, 2);
  header.writeUInt16BE(0x8580, 2);
  header.writeUInt16BE(1, 4);
  if (type !== ADDRESS_RECORD) return Buffer.concat([header, question]);
  header.writeUInt16BE(1, 6);
  const record = Buffer.from([0xc0, HEADER_BYTES, 0, ADDRESS_RECORD, 0, 1, 0, 0, 0, TTL_S, 0, 4, 127, 0, 0, 1]);
  return Buffer.concat([header, question, record]);
}
