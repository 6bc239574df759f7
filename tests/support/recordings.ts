import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { ProviderDialect } from "../../src/core/request/dialect.ts";

/** `lines` are the data of the events in order; empty for whole answers and for streams kept as they were sent. */
export type RecordedFile = { name: string; path: string; lines: string[] };

const FOLDERS: Record<ProviderDialect, string> = {
  chat: "chat-completions",
  responses: "responses",
  messages: "messages",
  gemini: "gemini",
  converse: "bedrock-converse",
};

/** Where recorded provider answers are kept: TOLLGATE_SHARED, else beside the project. Null when there is none. */
export function sharedFolder(): string | null {
  const folder = process.env["TOLLGATE_SHARED"] ?? join(import.meta.dirname, "../../../shared");
  return existsSync(join(folder, "recordings")) ? folder : null;
}

export function recordings(dialect: ProviderDialect): RecordedFile[] {
  const shared = sharedFolder();
  if (shared === null) return [];
  const folder = join(shared, "recordings", FOLDERS[dialect]);
  return readdirSync(folder)
    .sort()
    .map((name) => ({
      name,
      path: join(folder, name),
      lines: name.endsWith(".chunks.txt") ? linesOf(join(folder, name)) : [],
    }));
}

function linesOf(path: string): string[] {
  return readFileSync(path, "utf8")
    .split("\n")
    .filter((line) => line.trim() !== "");
}
