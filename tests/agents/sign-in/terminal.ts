import { spawnSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";

/** Why no terminal can be made here; null when one can. */
export const whyNoTmux: string | null =
  spawnSync("tmux", ["-V"], { stdio: "ignore" }).status === 0 ? null : "needs tmux";

/** A question that a program asks on its way, told by its words, and the keys that answer it. */
export type Question = { shows: string; keys: readonly string[] };

/** A terminal that a script reads and types into. */
export type Terminal = Disposable & {
  /** What can be seen, without empty lines. */
  screen: () => string;
  press: (...keys: string[]) => Promise<void>;
  type: (text: string) => Promise<void>;
  /** Waits until the screen has these words, answers questions until then, and gives the screen. */
  shows: (words: string | RegExp, questions?: readonly Question[]) => Promise<string>;
};

type Program = { words: readonly string[]; cwd: string; environment: Record<string, string> };

const PATIENCE_MS = 60_000;
const LOOK_MS = 300;
/** Programs read keys only once they have drawn what the keys are for. */
const KEY_MS = 500;

/** Runs a program in tmux, on a server of its own, so that no session of the machine's user is touched. */
export function openTerminal({ words, cwd, environment }: Program): Terminal {
  const server = `tollgate-${randomUUID()}`;
  const tmux = (...args: string[]): string => {
    const { status, stdout, stderr } = spawnSync("tmux", ["-L", server, ...args], { encoding: "utf8" });
    if (status !== 0) throw new Error(`tmux ${args[0]}: ${stderr.trim()}`);
    return stdout;
  };
  const variables = Object.entries(environment).map(([name, value]) => `${name}=${value}`);
  // The screen of a program that ended stays, because what it said last is what counts.
  const line = [...["env", "-i", ...variables, ...words].map(quoted), ";", "sleep", "600"].join(" ");
  tmux("-f", "/dev/null", "new-session", "-d", "-x", "120", "-y", "50", "-c", cwd, line);

  const screen = (): string =>
    tmux("capture-pane", "-p", "-J")
      .split("\n")
      .map((row) => row.trimEnd())
      .filter((row) => row !== "")
      .join("\n");

  async function press(...keys: string[]): Promise<void> {
    for (const key of keys) {
      tmux("send-keys", key);
      await sleep(KEY_MS);
    }
  }

  return {
    screen,
    press,
    type: async (text) => {
      tmux("send-keys", "-l", text);
      await sleep(KEY_MS);
      await press("Enter");
    },
    shows: async (words, questions = []) => {
      const deadline = Date.now() + PATIENCE_MS;
      const has = (shown: string): boolean => (typeof words === "string" ? shown.includes(words) : words.test(shown));
      for (let before = ""; Date.now() < deadline; await sleep(LOOK_MS)) {
        const shown = screen();
        if (has(shown)) return shown;
        // A screen that still changes is not drawn yet, or nobody is asked anything.
        const question = shown === before ? questions.find(({ shows }) => shown.includes(shows)) : undefined;
        if (question) await press(...question.keys);
        before = shown;
      }
      throw new Error(`the screen did not show ${String(words)}, but:\n${screen()}`);
    },
    [Symbol.dispose]: () => void spawnSync("tmux", ["-L", server, "kill-server"]),
  };
}

const quoted = (word: string): string => `'${word.replaceAll("'", `'\\''`)}'`;
