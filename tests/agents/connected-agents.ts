import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PACKAGES } from "../conformance/clients/versions.ts";
import { type GatewayProcess, startGatewayProcess } from "../support/gateway-process.ts";
import { installPackages } from "../support/npm-packages.ts";
import { requestsDuring } from "../support/request-log.ts";
import { runTollgate } from "../support/run-tollgate.ts";
import { claudeCode } from "./claude-code.ts";
import { codex } from "./codex.ts";

type Connected = {
  client: string;
  packages: Record<string, string>;
  program: (folder: string) => string;
  args: readonly string[];
  format: string;
};

const QUESTION = "Say something.";
const PATIENCE_MS = 120_000;
const MODEL = "connected";
const WORDS = "amber harbor ocean valley delta kelp";

/** Agents that are told of the gateway by `tollgate connect --write` alone, and how they are asked one question. */
const AGENTS: readonly Connected[] = [
  { client: "claude-code", ...claudeCode, args: ["--print", QUESTION], format: "messages" },
  { client: "codex", ...codex, args: ["exec", "--skip-git-repo-check", QUESTION], format: "responses" },
  {
    client: "opencode",
    packages: PACKAGES.opencode,
    program: (folder) =>
      join(folder, `node_modules/opencode-${process.platform}-${process.arch}-baseline/bin/opencode`),
    args: ["run", QUESTION],
    format: "chat",
  },
];

export type ConnectedVerdict = { client: string; mode: string; problems: string[]; output: string };

/** Each agent with each kind of key, in a home of its own with nothing but what `connect` wrote. */
export async function* tryConnected(): AsyncGenerator<ConnectedVerdict> {
  const gateway = await startGatewayProcess({
    models: { [MODEL]: { upstream: "sim+tokens=6", dialect: "messages", maxOutputTokens: 64_000 } },
  });
  try {
    for (const agent of AGENTS) {
      const { folder, missing } = await installPackages(agent.client, agent.packages);
      for (const mode of ["credit", "token_budget"] as const) {
        if (folder === null)
          yield { client: agent.client, mode, problems: [`cannot be installed: ${missing}`], output: "" };
        else yield await tryOne(gateway, agent, { program: agent.program(folder), mode });
      }
    }
  } finally {
    await gateway.stop();
  }
}

type How = { program: string; mode: "credit" | "token_budget" };

async function tryOne(gateway: GatewayProcess, agent: Connected, { program, mode }: How): Promise<ConnectedVerdict> {
  const home = mkdtempSync(join(tmpdir(), "tollgate-connected-"));
  const work = join(home, "work");
  mkdirSync(work);
  try {
    const environment = { PATH: process.env["PATH"] ?? "", HOME: home };
    const words = ["connect", agent.client, "--url", gateway.publicUrl, "--model", MODEL, "--write"];
    const env = { ...environment, TOLLGATE_KEY: gateway.keys[mode] };
    const connected = await runTollgate(words, { cwd: work, env });
    const { result, requests } = await requestsDuring(gateway, () => ask(program, agent.args, { work, environment }));
    const completed = requests.filter(({ outcome, format }) => outcome === "completed" && format === agent.format);
    const problems = [
      ...(connected.code === 0 ? [] : [`connect ended with ${connected.code}: ${connected.stderr.trim()}`]),
      ...(result.code === 0 ? [] : [`it ended with ${result.code}`]),
      ...(result.output.includes(WORDS) ? [] : ["the answer was not shown"]),
      ...(completed.length > 0 ? [] : [`no request in the format ${agent.format} was completed`]),
    ];
    return { client: agent.client, mode, problems, output: result.output };
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

type At = { work: string; environment: Record<string, string> };

async function ask(program: string, args: readonly string[], { work, environment }: At) {
  const child = spawn(program, args, {
    cwd: work,
    // A key of another account in the shell, as many have one; and no calls to anywhere but the gateway.
    env: {
      ...environment,
      ANTHROPIC_API_KEY: "sk-other",
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
      DISABLE_AUTOUPDATER: "1",
    },
    stdio: ["ignore", "pipe", "pipe"],
    detached: true,
  });
  let output = "";
  child.stdout.on("data", (bytes: Buffer) => (output += bytes.toString()));
  child.stderr.on("data", (bytes: Buffer) => (output += bytes.toString()));
  const timer = setTimeout(() => child.pid !== undefined && process.kill(-child.pid, "SIGKILL"), PATIENCE_MS);
  try {
    const [code] = (await once(child, "close")) as [number | null];
    return { code, output };
  } finally {
    clearTimeout(timer);
  }
}
