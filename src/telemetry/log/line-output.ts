import { destination as openDestination } from "pino";

/** Takes finished lines. */
export type LineOutput = {
  write: (line: string) => void;
  /** Hands over what is still buffered, at once; left out where nothing is. */
  flush?: () => void;
};

const BUFFER_BYTES = 65_536;
const FLUSH_MS = 200;
const GATHERED_CHARACTERS = 16_384;
const GATHER_MS = 50;
/** When the reader of the output hangs, this much waits for it and the rest is dropped and counted. */
const WAITING_BYTES = 16_777_216;

/**
 * Standard output or a file, written many lines at a time and never by blocking; what is buffered when the process exits is written
 * then. An output that fails, such as a full disk, is counted and tried again, and never ends or holds up the process. A reader
 * that stalls holds up nothing but the exit, which waits for the write that the runtime has begun.
 */
export function openLineOutput(lineDropped: () => void, file?: string): LineOutput {
  const output = openDestination({
    ...(file === undefined ? { dest: 1 } : { dest: file, mode: 0o600 }),
    sync: false,
    contentMode: "buffer",
    minLength: BUFFER_BYTES,
    maxWrite: 2 * BUFFER_BYTES,
    maxLength: WAITING_BYTES,
    periodicFlush: FLUSH_MS,
  });
  let state: "writing" | "failing" | "closed" = "writing";
  const countLines = (lines: string | Buffer): void => {
    for (let end = lines.indexOf("\n"); end !== -1; end = lines.indexOf("\n", end + 1)) lineDropped();
  };
  output.on("drop", countLines);
  output.on("error", () => {
    state = "failing";
    lineDropped();
  });
  output.on("write", () => {
    state = "writing";
  });

  // At exit the library repeats a failing write for ever, so a process with a full disk would stay. Ours has to run first.
  const giveUp = () => {
    if (state !== "failing") return;
    state = "closed";
    output.destroy();
  };
  process.prependListener("beforeExit", giveUp);
  process.prependListener("exit", giveUp);

  // Lines are gathered before they are handed on, since the library's bookkeeping costs as much as making a line does.
  let gathered = "";
  let timer: NodeJS.Timeout | null = null;
  const handOn = (): void => {
    if (timer) clearTimeout(timer);
    timer = null;
    if (gathered === "") return;
    if (state === "closed") countLines(gathered);
    // As bytes: many lines put together are a tree of texts, which the library's way to the file would walk slowly.
    else output.write(Buffer.from(gathered) as unknown as string);
    gathered = "";
  };
  process.prependListener("exit", handOn);

  return {
    write: (line) => {
      gathered += line;
      if (gathered.length > GATHERED_CHARACTERS) handOn();
      else timer ??= setTimeout(handOn, GATHER_MS).unref();
    },
    flush: () => {
      handOn();
      if (state === "writing") output.flushSync();
    },
  };
}
