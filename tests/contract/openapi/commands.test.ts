import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type GatewayProcess, startGatewayProcess } from "../../support/gateway-process.ts";
import { until } from "../../support/until.ts";
import { knock } from "../knock.ts";

const CURL_IS_HERE = spawnSync("curl", ["--version"]).status === 0;
/** Which model answers at a path, by the end of the path. */
const MODELS: [end: string, model: string][] = [
  ["/chat/completions", "chat-model"],
  ["/responses", "responses-model"],
  ["/embeddings", "embedding-model"],
  ["/messages", "messages-model"],
  ["/count_tokens", "messages-model"],
  ["/models/your-model", "chat-model"],
];

let gateway: GatewayProcess;
beforeAll(async () => {
  gateway = await startGatewayProcess({
    models: {
      "chat-model": { upstream: "sim", dialect: "chat" },
      "responses-model": { upstream: "sim", dialect: "responses" },
      "embedding-model": { upstream: "sim-embed", dialect: "embeddings" },
      "messages-model": { upstream: "sim", dialect: "messages" },
    },
  });
});
afterAll(() => gateway.stop());

/** The commands of the page as a reader copies them. */
async function commandsOnPage(): Promise<string[]> {
  const { text } = await knock(`${gateway.publicUrl}/docs`);
  const marks: Record<string, string> = { quot: '"', "#39": "'", lt: "<", gt: ">", amp: "&" };
  return [...text.matchAll(/<pre[^>]*><code>(curl .+?)<\/code>/gs)].map(([, command = ""]) =>
    command.replaceAll(/&(quot|#39|lt|gt|amp);/g, (_entity, name: string) => marks[name] ?? ""),
  );
}

/** Runs a command in a shell, with the key and the model filled in as the page says. */
async function run(command: string): Promise<{ code: number | null; status: string; body: string }> {
  const [url = ""] = /http\S+/.exec(command) ?? [];
  const [, model = ""] = MODELS.find(([end]) => url.endsWith(end)) ?? [];
  const key = gateway.keys[url.includes("/token/") ? "token_budget" : "credit"];
  const child = spawn(
    "sh",
    [
      "-c",
      `${command.replace(/your-(?:embedding-)?model/, model).replace("tgc_your_key", key)} -s -w '\\n%{http_code}'`,
    ],
    {
      env: { PATH: process.env["PATH"], TOLLGATE_KEY: key },
      stdio: ["ignore", "pipe", "inherit"],
    },
  );
  const chunks: Buffer[] = [];
  child.stdout.on("data", (chunk: Buffer) => chunks.push(chunk));
  const [code] = (await once(child, "close")) as [number | null];
  const output = Buffer.concat(chunks).toString();
  const end = output.lastIndexOf("\n");
  return { code, body: output.slice(0, end), status: output.slice(end + 1) };
}

/** A request of the key that was written down, which happens some moments after it. */
async function recordedRequest(): Promise<string> {
  const headers = { authorization: `Bearer ${gateway.keys.credit}` };
  let id: string | undefined;
  await until(async () => {
    const response = await fetch(`${gateway.publicUrl}/me/requests`, { headers });
    const { data } = (await response.json()) as { data: { request_id: string }[] };
    id = data[0]?.request_id;
    return id !== undefined;
  }, "a request is recorded");
  return id ?? "";
}

test.skipIf(!CURL_IS_HERE)("every command on the page works when it is pasted into a shell", async () => {
  const commands = await commandsOnPage();

  expect(commands).toHaveLength(38);
  for (const written of commands) {
    const [example] = /req_[0-9a-f]{32}/.exec(written) ?? [];
    const command = example === undefined ? written : written.replace(example, await recordedRequest());
    const { code, status, body } = await run(command);
    const session = /\/me\/session\b(?!s)/.test(command);
    const expected = !session ? "200" : command.includes("DELETE") ? "204" : "201";
    expect({ command, code, status }, body).toEqual({ command, code: 0, status: expected });
    expect(body === "").toBe(expected === "204");
  }
});
