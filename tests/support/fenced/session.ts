import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { commandsOf, type Fence } from "./fences.ts";
import { notPrinted } from "./printed.ts";

/** Where the blocks of one page are run. */
export type Surroundings = {
  /** The session starts here. */
  folder: string;
  environment: Record<string, string>;
  /** What a reader replaces in a command, by what a test puts there. A value may be a shell expansion. */
  replacements: readonly (readonly [placeholder: RegExp, value: string])[];
  /** Folders with a `node_modules` that blocks of JavaScript may import from. */
  packageFolders: readonly string[];
  /** What the reader has seen before, such as the keys that an operator gave them. */
  printedBefore?: string;
  /** Words before those that start the shell, such as those that enter another root. */
  within?: readonly string[];
};

export type SessionResult = { ran: number; failure: string | null };

/** Bounds for what hangs. A machine with other work to do takes ten times as long as a quiet one. */
const READY_TIMEOUT_S = 240;
export const SESSION_TIMEOUT_MS = 540_000;

/** Runs the blocks in order, in one shell. It ends at the first command that fails, unless the page says that it does. */
export async function runSession(fences: readonly Fence[], surroundings: Surroundings): Promise<SessionResult> {
  const notes = join(surroundings.folder, ".session");
  mkdirSync(notes);
  const transcript = join(notes, "transcript");
  const counted = join(notes, "counted");
  const jobs = join(notes, "jobs");
  writeFileSync(transcript, surroundings.printedBefore ?? "");
  for (const file of [counted, jobs]) writeFileSync(file, "");
  // A status of 400 and above is a failure, which it is not for curl.
  writeFileSync(join(notes, ".curlrc"), "fail-with-body\n");
  const script = join(notes, "script.sh");
  const steps = fences
    .filter(({ printedBy }) => printedBy === null)
    .flatMap((fence) => stepsOf(fence, { notes, surroundings }));
  writeFileSync(script, [PREAMBLE, ...steps, "stop_running", ""].join("\n"));

  const [program, ...words] = [...(surroundings.within ?? []), "bash", script];
  const child = spawn(program, words, {
    cwd: surroundings.folder,
    env: { ...surroundings.environment, CURL_HOME: notes, TRANSCRIPT: transcript, COUNTED: counted, JOBS: jobs },
    stdio: "ignore",
    timeout: SESSION_TIMEOUT_MS,
    killSignal: "SIGKILL",
  });
  try {
    const [code] = (await once(child, "exit")) as [number | null];
    const done = readFileSync(counted, "utf8").split("\n").filter(Boolean);
    const failed = code === 0 ? null : (done.at(-1) ?? "the first command");
    const ran = done.length - (failed === null ? 0 : 1);
    const said = readFileSync(transcript, "utf8");
    if (failed !== null) return { ran, failure: `${failed} ended with ${code}\n${said.slice(-3_000)}` };
    return { ran, failure: notPrinted(fences, said) };
  } finally {
    child.kill("SIGKILL");
    for (const job of readFileSync(jobs, "utf8").split("\n").filter(Boolean)) endGroup(Number(job));
  }
}

function endGroup(pid: number): void {
  try {
    process.kill(-pid, "SIGKILL");
  } catch {
    // It has ended by itself.
  }
}

/**
 * `printed KIND` is the last secret of that kind which anything on the page printed. `keep_running TEXT` waits until the job that
 * was just started prints the text. `refused STATUS TEXT` asks whether a command failed and printed the text.
 */
const PREAMBLE = `
set -o pipefail
check() { [ "$1" -eq 0 ] || { stop_running; exit "$1"; }; }
shopt -s expand_aliases
exec >>"$TRANSCRIPT" 2>&1 </dev/null
running=
refused() { [ "$1" -ne 0 ] && tail -c "+$since" "$TRANSCRIPT" | grep -qF -- "$2"; }
printed() { grep -oE "$1[A-Za-z0-9]{30,}" "$TRANSCRIPT" | tail -n 1; }
prefix() { printed "$1" | cut -c 1-12; }
stop_running() {
  [ -z "$running" ] && return 0
  kill -TERM -- "-$running" 2>/dev/null || true
  wait "$running" || true
  running=
}
keep_running() {
  running=$!
  echo "$running" >> "$JOBS"
  for _ in $(seq ${READY_TIMEOUT_S * 10}); do
    tail -c "+$since" "$TRANSCRIPT" | grep -qF -- "$1" && return 0
    kill -0 "$running" 2>/dev/null || return 1
    sleep 0.1
  done
  return 1
}`;

type Context = { notes: string; surroundings: Surroundings };

function stepsOf(fence: Fence, context: Context): string[] {
  const { surroundings } = context;
  if (fence.file !== null) return [saveStep(fence.file, fill(fence.text, fence, surroundings))];
  const commands = commandsOf(fence);
  return commands.flatMap((command, index) => {
    const filled = fill(command, fence, surroundings);
    const runnable =
      fence.language === "sh" || fence.language === "bash" ? filled : programStep(fence, filled, context);
    const [shown = ""] = command.split("\n");
    const count = `printf '\\n%s\\n' ${quoted(`${fence.page}:${fence.line}: ${shown}`)} | tee -a "$COUNTED"`;
    const begin = `since=$(($(wc -c < "$TRANSCRIPT") + 1))`;
    const isLast = index === commands.length - 1;
    if (isLast && fence.failsWith !== null)
      return [count, begin, runnable, `refused $? ${quoted(fence.failsWith)}`, "check $?"];
    if (!isLast || fence.runsUntil === null) return [count, runnable, "check $?"];
    return [
      count,
      `stop_running; ${begin}; set -m`,
      `${runnable} &`,
      `set +m; keep_running ${quoted(fence.runsUntil)}`,
      "check $?",
    ];
  });
}

function fill(command: string, { page, line }: Fence, { replacements }: Surroundings): string {
  const filled = replacements.reduce(
    (text, [placeholder, value]) => text.replaceAll(placeholder, () => value),
    command,
  );
  if (/…|<[a-z ]+>/.test(filled)) throw new Error(`${page}:${line}: no rule fills the placeholder in: ${filled}`);
  return filled;
}

const saveStep = (file: string, text: string): string => `cat > ${quoted(file)} <<'END_OF_FILE'\n${text}\nEND_OF_FILE`;

/** A program of its own, where what it imports is installed. */
function programStep({ language, line, page }: Fence, text: string, { notes, surroundings }: Context): string {
  if (language === "python") return `python3 - <<'END_OF_PROGRAM'\n${text}\nEND_OF_PROGRAM`;
  const imported = [...text.matchAll(/ from "((?:@[^/"]+\/)?[^/"]+)/g)].map(([, name]) => name ?? "");
  const packages = surroundings.packageFolders.find((folder) =>
    imported.every((name) => existsSync(join(folder, "node_modules", name))),
  );
  if (packages === undefined) throw new Error(`${page}:${line}: ${imported.join(", ")} is not installed`);
  const folder = join(notes, `line-${line}`);
  mkdirSync(folder);
  symlinkSync(join(packages, "node_modules"), join(folder, "node_modules"));
  writeFileSync(join(folder, "program.mts"), text);
  return `node ${quoted(join(folder, "program.mts"))}`;
}

const quoted = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`;
