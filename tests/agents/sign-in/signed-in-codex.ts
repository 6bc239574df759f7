import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { requestsDuring } from "../../support/request-log.ts";
import { MAIN, runTollgate } from "../../support/run-tollgate.ts";
import { WORDS } from "../agent-case.ts";
import { codex } from "../codex.ts";
import type { SignInStage, Task } from "./sign-in-stage.ts";
import { type Step, takeStep, wrongUnless } from "./step.ts";
import { problemsOfTask } from "./task-evidence.ts";

const PATIENCE_MS = 120_000;
const WITHOUT_SOCKET = ["-c", "model_providers.tollgate-sign-in.supports_websockets=false"];

/** Codex of somebody who ran `tollgate login` and `tollgate connect codex --sign-in --write`: there is no key anywhere. */
export async function* trySignedInCodex(stage: SignInStage, installed: string): AsyncGenerator<Step> {
  const { gateway } = stage;
  const home = stage.folder("codex-home");
  const environment = { PATH: `${commandFolder(stage)}:${process.env["PATH"] ?? ""}`, HOME: home };
  const tollgate = (...words: string[]) => runTollgate(words, { cwd: home, env: environment });
  const program = codex.program(installed);
  const ask = (task: Task, more: readonly string[]) =>
    run(program, ["exec", "--skip-git-repo-check", "--sandbox", "workspace-write", ...more, "Write the file."], {
      cwd: dirname(task.file),
      environment,
    });

  yield await takeStep("tollgate login", async () => {
    const { code, output } = await logIn(stage, { home, environment });
    return { problems: wrongUnless(code === 0, `it ended with ${code}`), shown: output };
  });
  for (const task of stage.tasks(codex))
    for (const overSocket of [false, true])
      yield await takeStep(`Codex task ${task.provider}${overSocket ? " socket" : ""}`, async () => {
        const words = ["connect", "codex", "--sign-in", "--url", gateway.publicUrl, "--model", task.model, "--write"];
        const connected = await tollgate(...words);
        rmSync(task.file, { force: true });
        const { result, requests } = await requestsDuring(gateway, () => ask(task, overSocket ? [] : WITHOUT_SOCKET));
        const sockets = requests.filter(({ route, status }) => route === "responses_socket" && status === 101);
        return {
          problems: [
            ...wrongUnless(connected.code === 0, `connect ended with ${connected.code}: ${connected.stderr.trim()}`),
            ...wrongUnless(result.code === 0, `it ended with ${result.code}`),
            ...wrongUnless(result.output.includes(WORDS), "the answer was not shown"),
            ...wrongUnless(sockets.length > 0 === overSocket, `it opened ${sockets.length} WebSockets`),
            ...problemsOfTask(task, requests),
          ],
          shown: result.output,
        };
      });
  yield await takeStep("Codex limit", async () => {
    await stage.setLimit("0.01");
    const { result, requests } = await requestsDuring(gateway, () => ask(firstTask(stage), WITHOUT_SOCKET));
    await stage.setLimit("50");
    const statuses = new Set(requests.filter(({ route }) => route === "responses").map(({ status }) => status));
    return {
      problems: [
        ...wrongUnless(result.code !== 0, "it ended well"),
        ...wrongUnless(
          /0 of 0\.01 credits left this month.*Renews 1 /.test(result.output),
          "it does not show the limit",
        ),
        ...wrongUnless([...statuses].join() === "402", `it got ${[...statuses].join()}`),
      ],
      shown: result.output,
    };
  });
  yield await takeStep("Codex after logout", async () => {
    const { code } = await tollgate("logout");
    const { result, requests } = await requestsDuring(gateway, () => ask(firstTask(stage), []));
    return {
      problems: [
        ...wrongUnless(code === 0, `logout ended with ${code}`),
        ...wrongUnless(result.code !== 0, "it ended well"),
        ...wrongUnless(result.output.includes("tollgate login"), "it does not say what to do"),
        ...wrongUnless(
          requests.every(({ outcome }) => outcome === undefined),
          "it generated",
        ),
      ],
      shown: result.output,
    };
  });
}

function firstTask(stage: SignInStage): Task {
  const [task] = stage.tasks(codex);
  if (task === undefined) throw new Error("there is no task");
  return task;
}

/** A folder with the command `tollgate`, as an installed package leaves one on the path. */
function commandFolder(stage: SignInStage): string {
  const folder = stage.folder("bin");
  const file = join(folder, "tollgate");
  writeFileSync(file, `#!/bin/sh\nexec '${process.execPath}' '${MAIN}' "$@"\n`);
  chmodSync(file, 0o755);
  return folder;
}

type At = { cwd: string; environment: Record<string, string> };
type Ended = { code: number | null; output: string };

async function logIn(
  stage: SignInStage,
  { home, environment }: { home: string; environment: At["environment"] },
): Promise<Ended> {
  let told = "";
  const words = [MAIN, "login", "--url", stage.gateway.publicUrl];
  return run(process.execPath, words, { cwd: home, environment }, (output) => {
    const code = told === "" ? /compare the code: (\S+)/.exec(output)?.[1] : undefined;
    if (code === undefined) return;
    told = code;
    void stage.approve(code);
  });
}

async function run(
  program: string,
  args: readonly string[],
  { cwd, environment }: At,
  heard: (output: string) => void = () => undefined,
): Promise<Ended> {
  const child = spawn(program, args, { cwd, env: environment, stdio: ["ignore", "pipe", "pipe"], detached: true });
  let output = "";
  for (const stream of [child.stdout, child.stderr])
    stream.on("data", (bytes: Buffer) => {
      output += bytes.toString();
      heard(output);
    });
  const timer = setTimeout(() => child.pid !== undefined && process.kill(-child.pid, "SIGKILL"), PATIENCE_MS);
  try {
    const [code] = (await once(child, "close")) as [number | null];
    return { code, output };
  } finally {
    clearTimeout(timer);
  }
}
