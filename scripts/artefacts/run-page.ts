import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type Fence, fencesOf, isRunnable } from "../../tests/support/fenced/fences.ts";
import { KEYS, repositoryWithTheseFiles, surroundings, temporaryFolder } from "../../tests/support/fenced/pages.ts";
import { runSession, type Surroundings } from "../../tests/support/fenced/session.ts";

export type PageResult = {
  commands: number;
  /** From the first command in an empty folder to the first event of a streamed response. */
  firstTokenMs: number;
  transcript: string;
};

export type PageOptions = {
  page: string;
  /** In front of the path. */
  commandFolder: string;
  port: number;
  environment?: Record<string, string>;
  replacements?: Surroundings["replacements"];
};

const EVENT = /^data: \{/m;
const MARK = "npm run artefacts";

/** Types every command of a page, in an empty folder, and says when the first paid token arrived. */
export async function runPage({ page, commandFolder, port, ...more }: PageOptions): Promise<PageResult> {
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
  const watch = setInterval(() => {
    if (Number.isNaN(firstTokenMs) && EVENT.test(read())) firstTokenMs = performance.now() - startedAtMs;
  }, 100);
  try {
    const { ran, failure } = await runSession(fencesOf(page).filter(isTyped), stage);
    if (failure !== null) throw new Error(failure);
    if (Number.isNaN(firstTokenMs)) throw new Error(`${page}: no event of a stream arrived\n${read()}`);
    return { commands: ran, firstTokenMs, transcript: read() };
  } finally {
    clearInterval(watch);
    remove();
  }
}

/** What CI does not run, because it has no container engine, is run here. */
const isTyped = (fence: Fence): boolean =>
  fence.file !== null || (isRunnable(fence) && (fence.notRun === null || fence.notRun.includes(MARK)));
