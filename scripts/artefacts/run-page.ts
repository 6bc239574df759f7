import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type Fence, fencesOf, isRunnable } from "../../tests/support/fenced/fences.ts";
import { KEYS, repositoryWithTheseFiles, surroundings, temporaryFolder } from "../../tests/support/fenced/pages.ts";
import { runSession, type Surroundings } from "../../tests/support/fenced/session.ts";

export type BlockResult = {
  commands: number;
  /** From the first command in an empty folder to the first event of a streamed response. */
  firstTokenMs: number;
  transcript: string;
};

export type BlockOptions = {
  fences: readonly Fence[];
  /** In front of the path. */
  commandFolder: string;
  port: number;
  environment?: Record<string, string>;
  replacements?: Surroundings["replacements"];
};

/** The first event of a stream, or a whole response. */
const PAID = /^data: \{|"object":"chat\.completion"/m;
const MARK = "npm run artefacts";

/** Types the commands of these blocks, in an empty folder, and says when the first paid token arrived. */
export async function runBlocks({ fences, commandFolder, port, ...more }: BlockOptions): Promise<BlockResult> {
  const { folder, remove } = temporaryFolder();
  const repository = repositoryWithTheseFiles(join(folder, "repository"));
  const environment = { ...surroundings(), ...more.environment };
  const stage: Surroundings = {
    folder,
    environment: { ...environment, PATH: `${commandFolder}:${environment["PATH"] ?? ""}` },
    replacements: [
      ...(more.replacements ?? []),
      [/<this repository>/g, repository],
      [/127\.0\.0\.1:8080/g, `127.0.0.1:${port}`],
      [/sk-…/g, "sk-simulated"],
      ...KEYS,
    ],
    packageFolders: [],
  };
  const transcript = join(folder, ".session/transcript");
  const read = (): string => (existsSync(transcript) ? readFileSync(transcript, "utf8") : "");
  const startedAtMs = performance.now();
  let firstTokenMs = Number.NaN;
  const look = (): void => {
    if (Number.isNaN(firstTokenMs) && PAID.test(read())) firstTokenMs = performance.now() - startedAtMs;
  };
  const watch = setInterval(look, 100);
  try {
    const { ran, failure } = await runSession(fences, stage);
    if (failure !== null) throw new Error(failure);
    look();
    if (Number.isNaN(firstTokenMs)) throw new Error(`no paid token arrived\n${read()}`);
    return { commands: ran, firstTokenMs, transcript: read() };
  } finally {
    clearInterval(watch);
    remove();
  }
}

/** The blocks of a page that a reader types. What CI does not run, because it has no container engine, is run here. */
export const typedBlocks = (page: string): Fence[] =>
  fencesOf(page).filter(
    (fence) => fence.file !== null || (isRunnable(fence) && (fence.notRun === null || fence.notRun.includes(MARK))),
  );
