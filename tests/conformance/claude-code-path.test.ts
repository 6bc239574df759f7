import Anthropic from "@anthropic-ai/sdk";
import { afterAll, beforeAll, expect, test } from "vitest";
import { CONTENT, WORDS } from "../agents/agent-case.ts";
import { claudeCode } from "../agents/claude-code.ts";
import { openSignInStage, type SignInStage, type Task } from "../agents/sign-in/sign-in-stage.ts";
import { operate } from "../contract/operator.ts";
import { rememberSecrets } from "../support/gateway-process.ts";
import { requestsDuring } from "../support/request-log.ts";

// What Claude Code does, in its order and as it was seen on the wire. `npm run agents -- --signed-in` runs Claude Code itself.

let stage: SignInStage;
beforeAll(async () => {
  stage = await openSignInStage([claudeCode]);
});
afterAll(() => stage[Symbol.asyncDispose]());

type Discovery = Record<"device_authorization_endpoint" | "token_endpoint" | "revocation_endpoint", string>;
type Tokens = { access_token: string; refresh_token: string };

const post = (url: string, form: Record<string, string>): Promise<Response> =>
  fetch(url, {
    method: "POST",
    redirect: "error",
    headers: { "content-type": "application/x-www-form-urlencoded", "user-agent": "claude-code/2.1.325" },
    body: new URLSearchParams(form).toString(),
  });

const discover = async (): Promise<Discovery> => {
  const found = await fetch(`${stage.gateway.publicUrl}/.well-known/oauth-authorization-server`);
  return (await found.json()) as Discovery;
};

async function signIn({ device_authorization_endpoint: start, token_endpoint: token }: Discovery): Promise<Tokens> {
  const started = (await (await post(start, { surface: "claude_code" })).json()) as Record<string, string>;
  await stage.approve(String(started["user_code"]));
  const grant = "urn:ietf:params:oauth:grant-type:device_code";
  const given = await post(token, { grant_type: grant, device_code: String(started["device_code"]) });
  expect(given.status).toBe(200);
  const tokens = (await given.json()) as Tokens;
  rememberSecrets([tokens.access_token, tokens.refresh_token, String(started["device_code"])]);
  return tokens;
}

const read = (path: string, token: string): Promise<Response> =>
  fetch(`${stage.gateway.publicUrl}${path}`, { headers: { authorization: `Bearer ${token}` } });

const sdk = (token: string): Anthropic =>
  new Anthropic({ authToken: token, apiKey: null, baseURL: stage.gateway.publicUrl, maxRetries: 0 });

const WRITE = {
  name: "Write",
  input_schema: {
    type: "object" as const,
    properties: { file_path: { type: "string" }, content: { type: "string" } },
    required: ["file_path", "content"],
  },
};

/** Two turns: the model calls a tool, gets its result and answers. */
async function doTask(token: string, { model, file }: Task): Promise<string> {
  const ask = (messages: Anthropic.Beta.BetaMessageParam[]) =>
    sdk(token)
      .beta.messages.stream({
        model,
        max_tokens: 8_000,
        thinking: { type: "enabled", budget_tokens: 2_000 },
        tools: [WRITE],
        messages,
        betas: ["claude-code-20250219", "interleaved-thinking-2025-05-14"],
      })
      .finalMessage();
  const question = { role: "user" as const, content: "Write the file." };
  const called = await ask([question]);
  const call = called.content.find((block) => block.type === "tool_use");
  expect(call).toMatchObject({ name: "Write", input: { file_path: file, content: CONTENT } });
  const result = { type: "tool_result" as const, tool_use_id: call?.id ?? "", content: "done" };
  const answered = await ask([
    question,
    { role: "assistant", content: called.content as Anthropic.Beta.BetaContentBlockParam[] },
    { role: "user", content: [result] },
  ]);
  return answered.content.map((block) => (block.type === "text" ? block.text : "")).join("");
}

test("a person signs in, works with a provider of each format, meets a limit, is signed out, signs in again and out", async () => {
  const found = await discover();
  const { access_token: token } = await signIn(found);
  expect((await read("/managed/settings", token)).status).toBe(404);
  for (const task of stage.tasks(claudeCode)) {
    const { result, requests } = await requestsDuring(stage.gateway, () => doTask(token, task));
    expect([task.provider, result]).toEqual([task.provider, WORDS]);
    expect(requests.map(({ outcome, streamed }) => [outcome, streamed])).toEqual([
      ["completed", true],
      ["completed", true],
    ]);
  }

  const [task] = stage.tasks(claudeCode);
  const say = (): Promise<unknown> =>
    sdk(token).beta.messages.create({
      model: task?.model ?? "",
      max_tokens: 16,
      messages: [{ role: "user", content: "Say something." }],
    });
  await stage.setLimit("0.0001");
  await expect(say()).rejects.toMatchObject({
    status: 429,
    error: { error: { type: "billing_error", message: expect.stringContaining("Renews 1 ") as unknown } },
  });
  expect(await (await read("/api/oauth/usage", token)).json()).toMatchObject({ limits: [{ percent: 100 }] });
  await stage.setLimit("50");
  await expect(say()).resolves.toMatchObject({ type: "message" });

  await operate(stage.gateway, `DELETE /people/${stage.person.email}/client-sessions`);
  await expect(say()).rejects.toMatchObject({
    status: 401,
    error: { error: { message: expect.stringContaining("sign in again") as unknown } },
  });
  expect((await read("/managed/settings", token)).status).toBe(401);

  const again = await signIn(found);
  expect((await read("/v1/usage", again.access_token)).status).toBe(200);
  const { revocation_endpoint: revoke } = await discover();
  expect((await post(revoke, { token: again.access_token })).status).toBe(200);
  const hinted = { token: again.refresh_token, token_type_hint: "refresh_token" };
  expect((await post(revoke, hinted)).status).toBe(200);
  expect((await read("/v1/usage", again.access_token)).status).toBe(401);
  const refresh = { grant_type: "refresh_token", refresh_token: again.refresh_token };
  expect((await post(found.token_endpoint, refresh)).status).toBe(401);
  expect(await stage.sessions()).toEqual([]);
}, 120_000);
