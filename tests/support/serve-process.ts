import { appendFileSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { outputFolder } from "./gateway-process.ts";
import { MAIN } from "./run-tollgate.ts";
import { type Stretches, watchStretches } from "./stretch/stretches.ts";
import { countProcessor, waitingFor } from "./time-spent.ts";
import { until } from "./until.ts";
import { startProgram } from "./warm-process.ts";

/** One `tollgate serve`, which may be frozen and killed. */
export type ServeProcess = {
  url: string;
  adminUrl: string;
  pid: number;
  output: () => string;
  alive: () => boolean;
  /** Signals it; a frozen one is thawed by SIGCONT. */
  signal: (name: "SIGKILL" | "SIGSTOP" | "SIGCONT" | "SIGTERM") => void;
  /** How it ended: a code, or null when a signal ended it. */
  ended: Promise<number | null>;
  /** What kept its main thread busy, with `stretch`. */
  stretches: Stretches;
  stop: () => Promise<number | null>;
};

/** A busy machine may take long over it. */
const START_TIMEOUT_MS = 600_000;
const ADDRESS = /"listener":"(public|admin)","url":"([^"]+)"/g;

export const startServeProcess = (options: ServeOptions): Promise<ServeProcess> =>
  waitingFor("gateway", () => startServe(options));

type ServeOptions = {
  folder: string;
  environment: Record<string, string>;
  /** Whether to write down what keeps its main thread busy. */
  stretch?: boolean;
  /** The program, perhaps of another version. */
  main?: string;
  /** Further words of the command. */
  words?: readonly string[];
};

async function startServe(options: ServeOptions): Promise<ServeProcess> {
  const { folder, environment, stretch = false, main = MAIN, words = [] } = options;
  const stretches = watchStretches(folder);
  const env = stretch ? { ...environment, ...stretches.environment } : environment;
  // Another version is another program, and workers are processes of their own.
  const alone = main !== MAIN || words.length > 0;
  const child = await startProgram({ words: ["serve", ...words], main, cwd: folder, env, alone });
  const output = (): string => child.stdout() + child.stderr();
  const ended = child.exited.then((code) => {
    mkdirSync(outputFolder(), { recursive: true });
    appendFileSync(join(outputFolder(), `${child.pid}.log`), output());
    return code;
  });
  const addresses = (): Map<string, string> =>
    new Map([...output().matchAll(ADDRESS)].map(([, listener = "", url = ""]) => [listener, url]));
  const alive = (): boolean => !child.hasEnded();
  const listening = until(() => addresses().size === 2 || !alive(), "a gateway listens", START_TIMEOUT_MS);
  const startFailed = await listening.then(() => !alive()).catch(() => true);
  if (startFailed) {
    child.kill("SIGKILL");
    throw new Error(`the gateway did not start: ${output()}`);
  }
  countProcessor("gateway", child.processorMs());
  // What it takes to start holds nobody up.
  if (stretch) stretches.take();
  return {
    url: addresses().get("public") ?? "",
    adminUrl: addresses().get("admin") ?? "",
    pid: child.pid,
    output,
    alive,
    signal: child.kill,
    ended,
    stretches,
    stop: () => {
      child.kill("SIGCONT");
      child.kill("SIGTERM");
      return ended;
    },
  };
}
