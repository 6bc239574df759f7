import { readFileSync } from "node:fs";
import { until } from "../support/until.ts";
import type { FuzzStage } from "./stage.ts";

const REST_TIMEOUT_MS = 30_000;

/** What must be true of a gateway that has just been through anything: a list of what is not. */
export async function vitalProblems(stage: FuzzStage): Promise<string[]> {
  const { gateway } = stage;
  try {
    return gateway.alive() ? await check(stage) : [gone(gateway)];
  } catch (error) {
    return [gateway.alive() ? `the gateway cannot be asked: ${String(error)}` : gone(gateway)];
  }
}

const gone = ({ output }: FuzzStage["gateway"]): string => `the process is gone: ${output().slice(-2_000)}`;

async function check(stage: FuzzStage): Promise<string[]> {
  const { gateway } = stage;
  const problems: string[] = [];
  const expect = async (what: string, condition: () => Promise<boolean>): Promise<void> => {
    await until(condition, what, REST_TIMEOUT_MS).catch((error: unknown) => problems.push(String(error)));
  };
  await expect("no request is open", async () => (await metric(stage, "tollgate_open_requests")) === 0);
  await expect("no money is held", async () => (await reserved(stage)) === 0);
  const bugs = await metric(stage, "tollgate_bugs_total");
  if (bugs > 0) problems.push(`${bugs} bugs: ${bugLines(gateway.output())}`);
  const answer = await ask(stage);
  if (answer !== 200) problems.push(`a good request is answered ${answer}`);
  return problems;
}

/** Kibibytes in memory, by the kernel's count. */
export function residentKib({ gateway }: FuzzStage): number {
  return Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${gateway.pid}/status`, "utf8"))?.[1] ?? 0);
}

async function metric({ gateway, adminToken }: FuzzStage, name: string): Promise<number> {
  const headers = { authorization: `Bearer ${adminToken}` };
  const text = await (await fetch(`${gateway.adminUrl}/metrics`, { headers })).text();
  return Number(new RegExp(`^${name} (\\S+)$`, "m").exec(text)?.[1] ?? 0);
}

async function reserved({ gateway, creditKey, tokenKey }: FuzzStage): Promise<number> {
  const read = async (url: string, key: string): Promise<{ credits: Held; tokens: Held }> =>
    (await fetch(url, { headers: { authorization: `Bearer ${key}` } })).json() as Promise<{
      credits: Held;
      tokens: Held;
    }>;
  const credit = await read(`${gateway.url}/v1/usage`, creditKey);
  const token = await read(`${gateway.url}/token/v1/usage`, tokenKey);
  return credit.credits.reserved + token.tokens.reserved;
}

type Held = { reserved: number };

async function ask({ gateway, creditKey }: FuzzStage): Promise<number> {
  const response = await fetch(`${gateway.url}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${creditKey}`, "content-type": "application/json", connection: "close" },
    body: JSON.stringify({ model: "echo-chat", messages: [{ role: "user", content: "Are you well?" }] }),
  });
  await response.arrayBuffer();
  return response.status;
}

const bugLines = (output: string): string =>
  output
    .split("\n")
    .filter((line) => line.includes('"level":"error"') || line.includes('"level":50'))
    .slice(0, 3)
    .join("\n")
    .slice(0, 3_000);
