import type { AmbientSources } from "../../../src/credentials/ambient/ambient.ts";
import type { LoopbackCloud } from "./loopback-cloud.ts";

export type Given = {
  variables?: Record<string, string>;
  /** By path. Whoever holds the map may write them anew. */
  files?: Record<string, string>;
  nowMs?: () => number;
};

/** What a process was given, with a cloud on loopback around it. */
export const loopbackSources = (
  { ask }: Pick<LoopbackCloud, "ask">,
  { variables = {}, files = {}, nowMs = Date.now }: Given,
): AmbientSources => ({
  variable: (name) => variables[name],
  readFile: async (path) => {
    const text = files[path];
    if (text === undefined) throw Object.assign(new Error("no such file or directory"), { code: "ENOENT" });
    return text;
  },
  ask,
  nowMs,
});

/** How an issue failed: its words, all of them. */
export async function failureOf(issue: Promise<unknown>): Promise<Error> {
  const error = await issue.then(
    () => new Error("it did not fail"),
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof Error)) throw new Error("something else than an error was thrown");
  return error;
}

/** Every piece of a secret that is long enough to help, as it may stand in a text. */
export const piecesOf = (secrets: readonly string[]): string[] =>
  secrets
    .flatMap((secret) => secret.split(/[\s"\\{}]+/))
    .filter((piece) => piece.length >= 10 && !/^-+|-+$/.test(piece));
