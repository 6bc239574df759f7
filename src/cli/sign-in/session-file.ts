import {
  chmodSync,
  closeSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import type { Environment } from "../../config/read/variable-names.ts";
import { isObject } from "../../core/bytes/is-object.ts";
import { CommandError } from "../report-failure.ts";
import type { SignedInTokens } from "./oauth-client.ts";

/** The sessions of whoever runs this, by the address of their gateway. */
export type Sessions = ReadonlyMap<string, SignedInTokens>;

export type SessionFile = {
  path: string;
  read: () => Sessions;
  /** Reads, works and writes while no other process does. `change` answers null to leave the file as it is. */
  change: (change: (sessions: Sessions) => Promise<Sessions | null>) => Promise<void>;
};

const MOST_BYTES = 1_048_576;
const LOOK_EVERY_MS = 50;
/** Longer than whoever holds the lock may take for a call to the gateway. */
const STALE_MS = 20_000;
const PATIENCE_MS = 30_000;

export const sessionPath = (home: string, environment: Environment): string =>
  join(environment["XDG_CONFIG_HOME"] || join(home, ".config"), "tollgate", "sessions.json");

/** Only its owner can read it. It is replaced whole, so that whoever reads it sees one state or the other. */
export function openSessionFile(path: string): SessionFile {
  const lock = `${path}.lock`;

  function read(): Sessions {
    const stat = statSync(path, { throwIfNoEntry: false });
    if (stat === undefined) return new Map();
    if ((stat.mode & 0o077) !== 0)
      throw new CommandError(`others can read ${path}. Run \`chmod 600 ${path}\`, and sign in again if they may have.`);
    if (stat.size > MOST_BYTES) throw new CommandError(`${path} is too large. Remove it and sign in again.`);
    return parse(readFileSync(path, "utf8"), path);
  }

  function write(sessions: Sessions): void {
    const unfinished = `${path}.${process.pid}.unfinished`;
    try {
      writeFileSync(unfinished, `${JSON.stringify(Object.fromEntries(sessions), null, 2)}\n`, {
        mode: 0o600,
        flag: "w",
      });
      chmodSync(unfinished, 0o600);
      renameSync(unfinished, path);
    } finally {
      rmSync(unfinished, { force: true });
    }
  }

  async function locked(): Promise<void> {
    for (let waitedMs = 0; waitedMs < PATIENCE_MS; waitedMs += LOOK_EVERY_MS) {
      try {
        closeSync(openSync(lock, "wx", 0o600));
        return;
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
      }
      const stat = statSync(lock, { throwIfNoEntry: false });
      // Whoever made it was killed.
      if (stat !== undefined && Date.now() - stat.mtimeMs > STALE_MS) rmSync(lock, { force: true });
      await wait(LOOK_EVERY_MS);
    }
    throw new CommandError(`another process holds ${lock}. Remove it if none runs.`);
  }

  return {
    path,
    read,
    change: async (change) => {
      mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
      await locked();
      try {
        const changed = await change(read());
        if (changed !== null) write(changed);
      } finally {
        rmSync(lock, { force: true });
      }
    },
  };
}

function parse(text: string, path: string): Sessions {
  try {
    const value: unknown = JSON.parse(text);
    if (isObject(value) && Object.values(value).every(isTokens))
      return new Map(Object.entries(value as Record<string, SignedInTokens>));
  } catch {
    // Said below.
  }
  throw new CommandError(`${path} is not a file of sessions. Remove it and sign in again.`);
}

const isTokens = (value: unknown): value is SignedInTokens =>
  isObject(value) &&
  typeof value["accessToken"] === "string" &&
  typeof value["refreshToken"] === "string" &&
  typeof value["expiresAtMs"] === "number";
