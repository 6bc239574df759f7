import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { installPackages } from "../../support/npm-packages.ts";
import { claudeCode } from "../claude-code.ts";
import { codex } from "../codex.ts";
import { whyNoMachine } from "./managed-machine.ts";
import { openSignInStage, type SignInStage } from "./sign-in-stage.ts";
import { trySignedInClaudeCode } from "./signed-in-claude-code.ts";
import { trySignedInCodex } from "./signed-in-codex.ts";
import type { Step } from "./step.ts";
import { whyNoTmux } from "./terminal.ts";

const SUITES = [
  { agent: claudeCode, attempt: trySignedInClaudeCode, missing: () => whyNoTmux ?? withFolder(whyNoMachine) },
  { agent: codex, attempt: trySignedInCodex, missing: () => null },
];

/** Agents of somebody who signs in instead of having a key. The steps of each agent build on one another. */
export async function* trySignedIn(): AsyncGenerator<Step> {
  await using stage = await openSignInStage(SUITES.map(({ agent }) => agent));
  for (const suite of SUITES) yield* attempt(stage, suite);
}

async function* attempt(stage: SignInStage, suite: (typeof SUITES)[number]): AsyncGenerator<Step> {
  const { folder, missing } = await installPackages(suite.agent.folder, suite.agent.packages);
  const why = missing ?? suite.missing();
  if (folder !== null && why === null) yield* suite.attempt(stage, folder);
  else {
    const problems = [`nothing is known about it here: ${why}`];
    yield { name: `${suite.agent.name} signed in`, problems, seconds: 0, shown: "" };
  }
}

function withFolder<Result>(work: (folder: string) => Result): Result {
  const folder = mkdtempSync(join(tmpdir(), "tg-machine-"));
  try {
    return work(folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}
