import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { type Answer, readAnswer } from "./answer-reader.ts";
import { CREDIT_KEY_PLACE, type FuzzCase, type Step, TOKEN_KEY_PLACE } from "./fuzz-case.ts";
import { MARKER_PLACE, markerOf } from "./marker.ts";

/** What came of a case. */
export type Played = {
  marker: string;
  answers: readonly Answer[];
  end: "answered" | "closed" | "hung";
  /** What is wrong with the answers as HTTP; null when nothing is. */
  broken: string | null;
  ms: number;
};

export type Player = { play: (fuzzCase: FuzzCase) => Promise<Played>; close: () => void };

type Target = { port: number; creditKey: string; tokenKey: string; deadlineMs: number };

/** Plays cases against a gateway. Those that may share a connection do: the next one takes what the last one left. */
export function createPlayer({ port, creditKey, tokenKey, deadlineMs }: Target): Player {
  const kept: Socket[] = [];
  let played = 0;

  const places = (marker: string): [Buffer, Buffer][] =>
    [
      [CREDIT_KEY_PLACE, creditKey],
      [TOKEN_KEY_PLACE, tokenKey],
      [MARKER_PLACE, marker],
    ].map(([place = "", value = ""]) => [Buffer.from(place), Buffer.from(value)]);

  async function open(): Promise<Socket> {
    // Both ends close on their own, so that a half-closed connection can be told from a closed one.
    const socket = connect({ port, host: "127.0.0.1", noDelay: true, allowHalfOpen: true });
    socket.on("error", () => undefined);
    await once(socket, "connect");
    return socket;
  }

  async function play(fuzzCase: FuzzCase): Promise<Played> {
    const marker = markerOf((played += 1));
    const startedMs = performance.now();
    const socket = (fuzzCase.connection === "kept" ? kept.pop() : undefined) ?? (await open().catch(String));
    if (typeof socket === "string") return { marker, answers: [], end: "closed", broken: socket, ms: 0 };
    const hearing = hear(socket, fuzzCase, deadlineMs);
    await act(socket, fuzzCase.steps, places(marker));
    const heard = await hearing;
    const closing = heard.answers.some(({ headers }) => headers.get("connection")?.includes("close"));
    if (fuzzCase.connection === "kept" && heard.end === "answered" && heard.broken === null && !closing)
      kept.push(socket);
    else socket.destroy();
    return { marker, ...heard, ms: performance.now() - startedMs };
  }

  return {
    play,
    close: () => {
      for (const socket of kept) socket.destroy();
    },
  };
}

async function act(socket: Socket, steps: readonly Step[], places: readonly [Buffer, Buffer][]): Promise<void> {
  for (const step of steps) {
    if (socket.destroyed || !socket.writable) return;
    if (step.kind === "wait") await pause(step.ms);
    else if (step.kind === "half_close") socket.end();
    else if (step.kind === "leave") socket.destroy();
    else
      await say(
        socket,
        places.reduce((bytes, [place, value]) => filled(bytes, place, value), step.bytes),
        step.pieceBytes,
      );
  }
}

async function say(socket: Socket, bytes: Buffer, pieceBytes = bytes.length): Promise<void> {
  if (pieceBytes >= bytes.length) {
    socket.write(bytes);
    return;
  }
  for (let at = 0; at < bytes.length && socket.writable; at += pieceBytes) {
    socket.write(bytes.subarray(at, at + pieceBytes));
    await pause(1);
  }
}

/** The same bytes with every place filled; lengths stay as they are. */
function filled(bytes: Buffer, place: Buffer, value: Buffer): Buffer {
  let at = bytes.indexOf(place);
  if (at === -1) return bytes;
  const copy = Buffer.from(bytes);
  for (; at !== -1; at = copy.indexOf(place, at + value.length)) value.copy(copy, at);
  return copy;
}

/** Listens until all answers are there, the other side has said all it will, or the deadline has passed. */
function hear(
  socket: Socket,
  { expects, steps }: FuzzCase,
  deadlineMs: number,
): Promise<Omit<Played, "marker" | "ms">> {
  return new Promise((resolve) => {
    const answers: Answer[] = [];
    const pieces: Buffer[] = [];
    const finish = (end: Played["end"], broken: string | null): void => {
      clearTimeout(deadline);
      socket.off("data", take).off("end", ended).off("close", ended);
      resolve({ answers, end, broken });
    };
    const deadline = setTimeout(() => finish("hung", null), deadlineMs);
    const read = (end: "open" | "closed"): void => {
      try {
        for (let bytes: Buffer = Buffer.concat(pieces.splice(0)); bytes.length > 0;) {
          const answer = readAnswer(bytes, end, expects.body);
          if (answer === null) {
            pieces.push(bytes);
            break;
          }
          answers.push(answer);
          bytes = answer.rest;
          if (answers.length < expects.answers) continue;
          return finish("answered", bytes.length > 0 ? "there are bytes behind the last answer" : null);
        }
        if (end === "open") return;
        const broken = pieces.length > 0 && !steps.some(({ kind }) => kind === "leave");
        finish("closed", broken ? "the connection ended within an answer" : null);
      } catch (error) {
        finish(end === "closed" ? "closed" : "answered", String(error));
      }
    };
    const take = (bytes: Buffer): void => {
      pieces.push(bytes);
      read("open");
    };
    const ended = (): void => read("closed");
    socket.on("data", take).once("end", ended).once("close", ended);
  });
}
