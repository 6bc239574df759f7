import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { operate } from "../../contract/operator.ts";
import { rememberSecrets } from "../../support/gateway-process.ts";
import { requestsDuring } from "../../support/request-log.ts";
import { until } from "../../support/until.ts";
import { WORDS } from "../agent-case.ts";
import { claudeCode } from "../claude-code.ts";
import { managedMachine } from "./managed-machine.ts";
import type { SignInStage, Task } from "./sign-in-stage.ts";
import { type Seen, type Step, takeStep, wrongUnless } from "./step.ts";
import { problemsOfTask } from "./task-evidence.ts";
import { openTerminal, type Question, type Terminal } from "./terminal.ts";

const CODE = /\b[A-Z]{4}-[A-Z]{4}\b/;
/** What the client shows when it waits for a prompt. */
const READY = "accept edits on";
const SETTLE_MS = 20_000;

/** What it asks somebody who starts it for the first time. */
const QUESTIONS: readonly Question[] = [
  { shows: "Choose the text style", keys: ["Enter"] },
  { shows: "Press Enter to connect", keys: ["Enter"] },
  // "No" is chosen already, here and below.
  { shows: "Trust gateway", keys: ["Up", "Enter"] },
  { shows: "Press Enter to continue", keys: ["Enter"] },
  { shows: "Yes, I trust this folder", keys: ["Down", "Enter"] },
];

/** Claude Code in a terminal, on a machine whose people sign in at the gateway: from its first start to /logout. */
export async function* trySignedInClaudeCode(stage: SignInStage, installed: string): AsyncGenerator<Step> {
  const { gateway, person } = stage;
  const home = stage.folder("claude-home");
  const words = managedMachine(stage.folder("claude-machine"), gateway.publicUrl);
  const environment = {
    PATH: process.env["PATH"] ?? "",
    HOME: home,
    TERM: "xterm-256color",
    LANG: "C.UTF-8",
    BROWSER: "true",
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
    DISABLE_AUTOUPDATER: "1",
  };
  const open = ({ model, file }: Task, ...more: string[]): Terminal => {
    const args = ["--model", model, "--permission-mode", "acceptEdits", ...more];
    return openTerminal({ words: words(claudeCode.program(installed), ...args), cwd: dirname(file), environment });
  };
  const [first, ...others] = stage.tasks(claudeCode);
  if (first === undefined) return;
  using terminal = open(first);

  const signIn = async (): Promise<Seen> => {
    const shown = await terminal.shows(CODE, QUESTIONS);
    await stage.approve(CODE.exec(shown)?.[0] ?? "");
    const connected = await terminal.shows("Connected to Cloud gateway");
    const names = (await stage.sessions()).map(({ client }) => client);
    await terminal.shows(READY, QUESTIONS);
    return {
      problems: wrongUnless(
        /^Claude Code [\d.]+$/.test(names.join()),
        `the sessions are of ${names.join() || "nobody"}`,
      ),
      shown: `${shown}\n\n${connected}`,
    };
  };
  const askedFor = async (words: string | RegExp): Promise<Seen & { statuses: number[] }> => {
    const { result, requests } = await requestsDuring(gateway, async () => {
      await terminal.type("Say something.");
      return terminal.shows(words);
    });
    const statuses = requests.filter(({ route }) => route === "messages").map(({ status }) => status);
    return { problems: [], shown: result, statuses };
  };

  yield await takeStep("Claude Code device flow", signIn);
  for (const task of [first, ...others])
    yield await takeStep(`Claude Code task ${task.provider}`, async () => {
      using own = task === first ? null : open(task);
      // Awaited here, because the terminal goes with this scope.
      return await doTask(stage, task, own ?? terminal);
    });
  yield await takeStep("Claude Code limit", async () => {
    await stage.setLimit("0.01");
    const { shown, statuses } = await askedFor(/0 of 0\.01 credits left this month.*Renews 1\s+\w+/s);
    return { problems: wrongUnless(statuses.join() === "429", `it got ${statuses.join()}`), shown };
  });
  yield await takeStep("Claude Code /usage", async () => {
    await terminal.type("/usage");
    const shown = await terminal.shows(/\$0\.01 \/ \$0\.01 spent this month.*Resets/);
    await terminal.press("Escape");
    return { problems: [], shown };
  });
  yield await takeStep("Claude Code limit raised", async () => {
    await stage.setLimit("50");
    const { result, requests } = await requestsDuring(gateway, async () => {
      await terminal.type("Say something.");
      await until(() => lastAnswer(terminal.screen()).includes(WORDS), "an answer is shown", SETTLE_MS);
      return terminal.screen();
    });
    const completed = requests.filter(({ outcome }) => outcome === "completed");
    return {
      problems: wrongUnless(completed.length === 1, `${completed.length} requests were completed`),
      shown: result,
    };
  });
  yield await takeStep("Claude Code session ended", async () => {
    await operate(gateway, `DELETE /people/${person.email}/client-sessions`);
    const { shown, statuses } = await askedFor(/Please run \/login.*401.*session is not valid/s);
    return { problems: wrongUnless(statuses.join() === "401", `it got ${statuses.join()}`), shown };
  });
  yield await takeStep("Claude Code started after that", async () => {
    using again = open(first, "--print", "Say something.");
    const shown = await again.shows(/no longer accepts this session.*\/login/s);
    return { problems: [], shown };
  });
  yield await takeStep("Claude Code /login", async () => {
    await terminal.type("/login");
    return signIn();
  });
  yield await takeStep("Claude Code /logout", async () => {
    const credentials = join(home, ".claude/.credentials.json");
    const { access, refresh } = tokensIn(credentials);
    rememberSecrets([access, refresh]);
    await terminal.type("/logout");
    await until(async () => (await stage.sessions()).length === 0, "the session is over", SETTLE_MS);
    const { status } = await fetch(`${gateway.publicUrl}/v1/usage`, { headers: { authorization: `Bearer ${access}` } });
    const form = new URLSearchParams({ grant_type: "refresh_token", refresh_token: refresh });
    const refreshed = await fetch(`${gateway.publicUrl}/oauth/token`, { method: "POST", body: form });
    return {
      problems: [
        ...wrongUnless(status === 401, `its access token gets ${status}`),
        ...wrongUnless(refreshed.status === 401, `its refresh token gets ${refreshed.status}`),
        ...wrongUnless(tokensIn(credentials).access === "", "it keeps its token"),
      ],
      shown: terminal.screen(),
    };
  });
}

async function doTask({ gateway }: SignInStage, task: Task, terminal: Terminal): Promise<Seen> {
  await terminal.shows(READY, QUESTIONS);
  const { result, requests } = await requestsDuring(gateway, async () => {
    await terminal.type("Write the file.");
    return terminal.shows(WORDS);
  });
  return { problems: problemsOfTask(task, requests), shown: result };
}

/** What was said to the prompt before the one that waits. */
const lastAnswer = (screen: string): string => screen.split("❯").at(-2) ?? "";

function tokensIn(file: string): { access: string; refresh: string } {
  type Kept = { enterpriseGateway?: { jwt?: string; idpRefreshToken?: string } };
  const { enterpriseGateway: kept } = existsSync(file) ? (JSON.parse(readFileSync(file, "utf8")) as Kept) : {};
  return { access: kept?.jwt ?? "", refresh: kept?.idpRefreshToken ?? "" };
}
