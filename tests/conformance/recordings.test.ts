import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type GatewayProcess, startGatewayProcess, type TestModel } from "../support/gateway-process.ts";
import { type RecordedFile, recordings } from "../support/recordings.ts";
import { until } from "../support/until.ts";

type Dialect = "chat" | "responses" | "messages";
const DIALECTS: readonly Dialect[] = ["chat", "responses", "messages"];

const BODIES: Record<Dialect, { path: string; body: object }> = {
  chat: { path: "/v1/chat/completions", body: { messages: [{ role: "user", content: "Hello" }] } },
  responses: { path: "/v1/responses", body: { input: "Hello" } },
  messages: { path: "/v1/messages", body: { messages: [{ role: "user", content: "Hello" }] } },
};

/** Recorded answers that say they failed, and one whose last event lacks a closing brace. */
const FAILURES = new Set(["openai-error.1.chunks.txt", "parallel-tool-call-wrapper.1.chunks.txt"]);
const REFUSALS: Record<string, { status: number; code: string; told: number }> = {
  "openai-error.1.json": { status: 429, code: "provider_unavailable", told: 502 },
  "reasoning-model-temperature-error.json": { status: 400, code: "invalid_request", told: 400 },
  "reasoning-model-legacy-parameter-error.json": { status: 400, code: "invalid_request", told: 400 },
};
/** What the test's models publish; a provider that reports more is not believed. [MON-22] */
const CONTEXT_WINDOW = 128_000;

const files = DIALECTS.flatMap((dialect) => recordings(dialect).map((file) => ({ ...file, dialect })));
const streams = files.filter(({ lines, name }) => lines.length > 0 && !FAILURES.has(name));
const plain = files.filter(({ name }) => name.endsWith(".json") && REFUSALS[name] === undefined);
const refused = files.filter(({ name }) => REFUSALS[name] !== undefined);
const failing = files.filter(({ name }) => FAILURES.has(name));

const modelOf = (dialect: Dialect, name: string): string => `${dialect}/${name}`;

let gateway: GatewayProcess;
beforeAll(async () => {
  const models = files.map(({ dialect, name }): [string, TestModel] => {
    const fault = REFUSALS[name] === undefined ? "" : `+fail=${REFUSALS[name].status}`;
    return [modelOf(dialect, name), { upstream: `replay+recording=${name}${fault}`, dialect }];
  });
  gateway = await startGatewayProcess({ models: Object.fromEntries(models) });
});
afterAll(() => gateway.stop());

async function ask({ dialect, name, stream }: { dialect: Dialect; name: string; stream: boolean }) {
  const { path, body } = BODIES[dialect];
  const response = await fetch(`${gateway.publicUrl}${path}`, {
    method: "POST",
    headers: { authorization: `Bearer ${gateway.keys.credit}`, "content-type": "application/json" },
    body: JSON.stringify({ model: modelOf(dialect, name), ...body, stream }),
  });
  return { status: response.status, text: await response.text(), requestId: response.headers.get("x-request-id") };
}

type Line = { request_id?: string; input_tokens: number; output_tokens: number; outcome: string };

/** What the log says of a request, which is written when it is over. */
async function lineOf(requestId: string | null): Promise<Line> {
  const read = (): Line | undefined =>
    readFileSync(join(gateway.folder, ".tollgate/tollgate.log"), "utf8")
      .split("\n")
      .filter((line) => line.includes(String(requestId)))
      .map((line) => JSON.parse(line) as Line)
      .findLast(({ outcome }) => outcome !== undefined);
  await until(() => read() !== undefined, "the request is logged");
  return read() as Line;
}

/** The events a provider would have sent for these data, up to the one that ends the answer. */
function framed(dialect: Dialect, lines: readonly string[]): string[] {
  if (dialect === "chat")
    return [...lines.filter((line) => !isUsageOnly(line)), "[DONE]"].map((data) => `data: ${data}\n\n`);
  const end = lines.findIndex((line) => /"type":"(message_stop|response\.completed)"/.test(line));
  return lines
    .slice(0, end + 1)
    .map((data) => `event: ${(JSON.parse(data) as { type: string }).type}\ndata: ${data}\n\n`);
}

function isUsageOnly(line: string): boolean {
  const chunk = JSON.parse(line) as { choices: unknown[]; usage?: unknown };
  return chunk.choices.length === 0 && Boolean(chunk.usage);
}

type Counts = Record<string, unknown>;
type Said = {
  usage?: Counts;
  x_groq?: { usage?: Counts };
  message?: { usage?: Counts };
  response?: { usage?: Counts };
};

/** What the recorded provider says its answer came to, in the words of each dialect. */
function recordedUsage(dialect: Dialect, said: readonly Said[]): { input: number; output: number } {
  const found = said.map(
    (event) => event.response?.usage ?? event.message?.usage ?? event.usage ?? event.x_groq?.usage,
  );
  const usage = Object.assign({}, ...found) as Counts;
  const number = (value: unknown): number => (typeof value === "number" ? value : 0);
  if (dialect === "chat") {
    const details = usage["completion_tokens_details"] as Counts | undefined;
    const [input, output, total] = ["prompt_tokens", "completion_tokens", "total_tokens"].map((name) =>
      number(usage[name]),
    );
    const apart = total === (input ?? 0) + (output ?? 0) + number(details?.["reasoning_tokens"]);
    return { input: input ?? 0, output: apart ? (total ?? 0) - (input ?? 0) : (output ?? 0) };
  }
  const passes = (usage["iterations"] as Counts[] | undefined) ?? [usage];
  const sum = (...names: string[]): number =>
    passes.reduce((all, pass) => all + names.reduce((total, name) => total + number(pass[name]), 0), 0);
  return dialect === "responses"
    ? { input: sum("input_tokens"), output: sum("output_tokens") }
    : {
        input: sum("input_tokens", "cache_read_input_tokens", "cache_creation_input_tokens"),
        output: sum("output_tokens"),
      };
}

/** Whether what the provider says is what is charged; else the caller is shown what is. [MON-46] */
function isCharged(dialect: Dialect, said: readonly Said[]): boolean {
  const { input, output } = recordedUsage(dialect, said);
  const shown = said.findLast(({ usage }) => usage)?.usage?.["completion_tokens"];
  const apart = dialect === "chat" && shown !== undefined && shown !== output;
  return input > 0 && output > 0 && input + output <= CONTEXT_WINDOW && !apart;
}

const withoutUsage = (text: string): string =>
  text
    .split("\n\n")
    .filter((event) => !event.includes('"usage":{'))
    .join("\n\n");

async function expectMetered(dialect: Dialect, said: readonly Said[], requestId: string | null): Promise<void> {
  const { input, output } = recordedUsage(dialect, said);
  const line = await lineOf(requestId);

  expect(line.outcome).toBe("completed");
  if (input + output > CONTEXT_WINDOW) return;
  // A provider that counts no output for what it has said has not counted.
  if (output === 0 && input > 0) return expect(line.input_tokens).toBe(input);
  if (output === 0) return expect(line.input_tokens).toBeGreaterThan(0);
  expect({ input: line.input_tokens, output: line.output_tokens }).toEqual({ input, output });
}

const title = ({ dialect, name }: RecordedFile & { dialect: Dialect }): string => `${dialect} ${name}`;

describe.skipIf(files.length === 0)("a recorded answer through a conformant route of its own format", () => {
  test.each(streams.map((file) => [title(file), file] as const))(
    "%s arrives byte for byte and is metered as its provider said [STR-26] [MON-21]",
    async (_title, { dialect, name, lines }) => {
      const { status, text, requestId } = await ask({ dialect, name, stream: true });
      const events = framed(dialect, lines);

      expect(status).toBe(200);
      const told = (dialect === "chat" ? lines : lines.slice(0, events.length)).map((line) => JSON.parse(line) as Said);
      if (isCharged(dialect, told)) expect(text).toBe(events.join(""));
      else expect(withoutUsage(text)).toBe(withoutUsage(events.join("")));
      await expectMetered(dialect, told, requestId);
    },
  );

  test.each(plain.map((file) => [title(file), file] as const))(
    "%s arrives byte for byte and is metered as its provider said [STR-26] [MON-21]",
    async (_title, { dialect, name, path }) => {
      const { status, text, requestId } = await ask({ dialect, name, stream: false });
      const recorded = readFileSync(path, "utf8");

      expect(status).toBe(200);
      const said = JSON.parse(recorded) as Said;
      if (isCharged(dialect, [said])) expect(text).toBe(recorded);
      else expect({ ...(JSON.parse(text) as Said), usage: null }).toEqual({ ...said, usage: null });
      await expectMetered(dialect, [said], requestId);
    },
  );

  test.each(failing.map((file) => [title(file), file] as const))(
    "%s ends as a failure that costs nothing [STR-21] [MON-32]",
    async (_title, { dialect, name }) => {
      const { status, text, requestId } = await ask({ dialect, name, stream: true });
      const last = text.split("\n\n").findLast((event) => event !== "");

      expect(status).toBe(200);
      expect(last).toMatch(/^event: response\.failed\ndata: \{.*"code":"upstream_error"/);
      expect((await lineOf(requestId)).outcome).toBe("upstream_failed");
    },
  );

  test.each(refused.map((file) => [title(file), file] as const))(
    "%s is told in our words [UPS-5] [UPS-6]",
    async (_title, { dialect, name }) => {
      const { status, text } = await ask({ dialect, name, stream: false });

      expect({ status, body: JSON.parse(text) as unknown }).toMatchObject({
        status: REFUSALS[name]?.told,
        body: { error: { code: REFUSALS[name]?.code } },
      });
    },
  );
});
