import { readFileSync } from "node:fs";
import type { ClientDialect, ProviderDialect } from "../../src/core/request/dialect.ts";
import type { RecordedFile } from "../support/recordings.ts";
import { understoodConverse } from "./read-converse.ts";
import { understoodGemini } from "./read-gemini.ts";
import { readWithSdk, type Understood, understood } from "./read-with-sdk.ts";

/** A recording as its provider's own clients see it. */
export type RecordedAnswer = {
  /** Its events up to the one that ends the answer, or the whole answer. */
  values: unknown[];
  /** What the official client of its format reads in it; null when it reads nothing but gives up. */
  understood: () => Promise<Understood | null>;
};

/** Of some providers several answers are recorded in a row; the first is the answer. */
const END = /"type": ?"(message_stop|response\.completed|response\.incomplete)"/;

/** Roles left out, places of calls left out, ids that change, a beginning said twice, an event it does not know. */
const GIVES_UP =
  /^(mistral-incremental-tool-call|mistral-tool-call\.chunks|anthropic-fallback-tool-call|github-copilot-id-rotation|openai-apply-patch-tool\.1\.chunks|duplicate-message-start)/;

export function recordedAnswer(dialect: ProviderDialect, file: RecordedFile): RecordedAnswer {
  if (dialect === "gemini" || dialect === "converse") {
    const lines = file.name.endsWith(".json") ? [readFileSync(file.path, "utf8")] : file.lines;
    const values = lines.map((line) => JSON.parse(line) as unknown);
    const read = dialect === "gemini" ? understoodGemini : understoodConverse;
    return { values, understood: async () => read(values) };
  }
  if (file.name.endsWith(".json")) {
    const answer = JSON.parse(readFileSync(file.path, "utf8")) as object;
    return { values: [answer], understood: async () => understood(answer) };
  }
  const lines = dataOf(file);
  const end = lines.findIndex((line) => END.test(line));
  const data = end === -1 ? lines : lines.slice(0, end + 1);
  return {
    values: data.map((line) => JSON.parse(line) as unknown),
    understood: async () =>
      GIVES_UP.test(file.name) ? null : understood(await readWithSdk(dialect, framed(dialect, data))),
  };
}

function dataOf({ name, path, lines }: RecordedFile): string[] {
  if (!name.endsWith(".sse")) return lines;
  const data = readFileSync(path, "utf8")
    .split("\n")
    .filter((line) => line.startsWith("data: "));
  return data.map((line) => line.slice("data: ".length)).filter((line) => line !== "[DONE]");
}

/** The bytes a provider would have sent for these data. */
export function framed(dialect: ClientDialect, data: readonly string[]): string {
  if (dialect === "chat") return [...data, "[DONE]"].map((line) => `data: ${line}\n\n`).join("");
  return data.map((line) => `event: ${(JSON.parse(line) as { type: string }).type}\ndata: ${line}\n\n`).join("");
}
