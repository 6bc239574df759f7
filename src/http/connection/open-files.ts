import type { Server, Socket } from "node:net";

type Guard = {
  /** As many files as may be open for one more connection to be accepted. */
  mostFiles: number;
  /** May be called for every connection. */
  onRefused: () => void;
};

/**
 * Closes connections that would leave too few files for those that are here: each of their requests needs a connection to a provider, and
 * all need the database. At the limit itself the runtime would close them without a word.
 */
export function guardOpenFiles(server: Server, { mostFiles, onRefused }: Guard): void {
  server.on("connection", (socket: Socket) => {
    if (fileOf(socket) < mostFiles) return;
    socket.destroy();
    onRefused();
  });
  // Some systems tell of connections that could not be accepted. Nobody is served worse for it, so it must not end the process.
  server.on("error", ({ code, syscall }: NodeJS.ErrnoException) => {
    if (syscall === "accept" && isOutOfFiles(code)) onRefused();
  });
}

export const isOutOfFiles = (code: unknown): boolean => code === "EMFILE" || code === "ENFILE";

/** The system gives the lowest number that is free, so this many files are open at least. The runtime has no public name for it. */
const fileOf = (socket: Socket): number => (socket as unknown as { _handle?: { fd?: number } })._handle?.fd ?? 0;
