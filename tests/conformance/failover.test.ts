import { afterAll, beforeAll, expect, test } from "vitest";
import { type GatewayProcess, startGatewayProcess, type TestModel } from "../support/gateway-process.ts";
import { type LoggedRequest, requestsDuring } from "../support/request-log.ts";
import { eventsOf, openChatStream, readAll } from "../support/sse-client.ts";

/** Every request starts a gateway's worth of work on a machine that others use too. */
const TOKENS = 20;
/** What 20 tokens of output and `input=10` of input cost at 1 and 4 credits per million. */
const COST = "0.00009";

const whole = {
  provider: "simulator",
  upstream_model: `sim-whole+tokens=${TOKENS}+input=10`,
  format: "chat",
  priority: 1,
};
const failing = (upstream: string, changes: Partial<TestModel> = {}): TestModel => ({
  upstream,
  conformant: false,
  moreRoutes: [whole],
  ...changes,
});
const models: Record<string, TestModel> = {
  "answers 500": failing("sim-a+fail=500"),
  "answers 429": failing("sim-b+fail=429+retry=30"),
  "answers 401": failing("sim-c+fail=401"),
  "takes too long": failing("sim-d+fail=hang", { firstByteTimeoutMs: 300 }),
  "resets the connection": failing("sim-e+fail=reset"),
  "dies within its answers": failing("sim-f+tokens=9+fail=reset@4"),
  "answers 500, before one of another format": {
    upstream: "sim-h+fail=500",
    moreRoutes: [{ ...whole, format: "messages" }],
  },
  "is the only one and hangs": { upstream: "sim-g+fail=hang", conformant: false },
};

let gateway: GatewayProcess;
beforeAll(async () => {
  gateway = await startGatewayProcess({ models, settings: { TOLLGATE_LIMITS_STREAM_DEADLINE_MS: "8000" } });
});
afterAll(() => gateway.stop());

type Entry = { kind: string; credits: string; request_id: string | null };
type Attempted = LoggedRequest & { attempts: number };
type RouteShown = { upstream_model: string; breaker: string; rests_ms: number; last_errors: { reason: string }[] };

async function admin<Answer>(path: string): Promise<Answer> {
  const headers = { authorization: `Bearer ${gateway.adminToken}` };
  return (await (await fetch(`${gateway.adminUrl}${path}`, { headers })).json()) as Answer;
}

/** What the books say of one request. */
async function entriesOf(requestId: string): Promise<Entry[]> {
  const path = `/admin/v1/keys/${gateway.keys.credit.slice(0, 12)}/journal?limit=100`;
  return (await admin<{ data: Entry[] }>(path)).data.filter((entry) => entry.request_id === requestId);
}

async function routeOf(upstream: string): Promise<RouteShown | undefined> {
  const { data } = await admin<{ data: RouteShown[] }>("/admin/v1/health/routes");
  return data.find((route) => route.upstream_model === upstream);
}

async function ask(
  model: string,
  { headers = {}, ...fields }: { headers?: Record<string, string>; seed?: number } = {},
) {
  const response = await fetch(`${gateway.publicUrl}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${gateway.keys.credit}`, "content-type": "application/json", ...headers },
    body: JSON.stringify({ model, messages: [{ role: "user", content: "Hello" }], ...fields }),
  });
  const requestId = response.headers.get("x-request-id") ?? "";
  const fidelity = response.headers.get("x-tollgate-fidelity");
  return { status: response.status, requestId, fidelity, body: (await response.json()) as object };
}

async function askStream(model: string) {
  const { response, status } = await openChatStream({ url: gateway.publicUrl, key: gateway.keys.credit, model });
  return { status, requestId: String(response.headers["x-request-id"]), text: (await readAll(response)).text };
}

test.each(["answers 500", "answers 429", "answers 401", "resets the connection"])(
  "when the first route %s, the caller sees one 200 from the next and pays once [UPS-4]",
  async (model) => {
    const { result, requests } = await requestsDuring(gateway, () => ask(model));
    const entries = await entriesOf(result.requestId);
    const [line] = requests as Attempted[];

    console.log(
      `first route ${model}: status ${result.status}, ${line?.attempts} attempts, charged ${amounts(entries)}`,
    );
    expect(result).toMatchObject({ status: 200, body: { usage: { prompt_tokens: 10, completion_tokens: TOKENS } } });
    expect(line).toMatchObject({ status: 200, outcome: "completed", attempts: 2 });
    expect(amounts(entries)).toBe(COST);
  },
);

test.each(["resets the connection", "takes too long"])(
  "when the first route %s, a stream goes to the next",
  async (model) => {
    const { status, requestId, text } = await askStream(model);

    expect(status).toBe(200);
    expect(eventsOf(text).at(-1)).toBe("[DONE]");
    expect(amounts(await entriesOf(requestId))).toBe(COST);
  },
);

test("a plain request waits for its route until its own deadline, and then asks nobody else: it would be paid for twice [UPS-13]", async () => {
  const asked = async () => (await gateway.witness()).filter((call) => call.model === whole.upstream_model).length;
  const before = await asked();
  const { result, requests } = await requestsDuring(gateway, () => ask("takes too long"));
  const [line] = requests as Attempted[];

  expect(result).toMatchObject({ status: 502, body: { error: { code: "upstream_error" } } });
  expect(line).toMatchObject({ attempts: 1 });
  expect(await asked()).toBe(before);
  expect(Number(amounts(await entriesOf(result.requestId)))).toBe(0);
});

test("when no route of the caller's format answers, one of another does, and what that loses is declared", async () => {
  const model = "answers 500, before one of another format";
  const { result, requests } = await requestsDuring(gateway, () => ask(model, { seed: 7 }));
  const strict = await ask(model, { seed: 7, headers: { "x-tollgate-fidelity": "strict" } });

  expect(result).toMatchObject({
    status: 200,
    fidelity: "translated; dropped=seed",
    body: { object: "chat.completion", usage: { prompt_tokens: 10, completion_tokens: TOKENS } },
  });
  expect(requests[0]).toMatchObject({ outcome: "completed", attempts: 2 });
  expect(amounts(await entriesOf(result.requestId))).toBe(COST);
  expect(strict).toMatchObject({ status: 502, body: { error: { code: "upstream_error" } } });
});

test("after the first byte nobody else is asked: an error event, no charge, and the next request goes elsewhere", async () => {
  const model = "dies within its answers";
  for (let call = 0; call < 5; call++) {
    const { status, requestId, text } = await askStream(model);

    expect(status).toBe(200);
    expect(text).not.toContain("[DONE]");
    expect(JSON.parse(eventsOf(text).at(-1) ?? "")).toMatchObject({ error: { code: "upstream_error" } });
    expect(Number(amounts(await entriesOf(requestId)))).toBe(0);
  }
  const route = await routeOf(models[model]?.upstream ?? "");
  const next = await askStream(model);

  console.log(`after 5 streams that died: breaker ${route?.breaker}, the next is whole`);
  // One key alone does not shut a route for others; it is only doubted.
  expect(route).toMatchObject({ breaker: "closed" });
  expect(route?.last_errors.map(({ reason }) => reason)).toEqual(Array.from({ length: 5 }, () => "broke_off"));
  expect(eventsOf(next.text).at(-1)).toBe("[DONE]");
});

test("a dead provider is asked five times and then left alone, which metrics and operators can see", async () => {
  const upstream = models["answers 500"]?.upstream;
  const calls = async () => (await gateway.witness()).filter((call) => call.model === upstream).length;
  for (let call = 0; call < 10; call++) expect((await ask("answers 500")).status).toBe(200);

  console.log(`11 requests reached a dead provider ${await calls()} times`);
  expect(await calls()).toBe(5);
  expect(await routeOf(upstream ?? "")).toMatchObject({ breaker: "open" });
  expect(await gateway.metrics()).toMatch(
    /^tollgate_route_breaker\{provider="simulator",upstream_model="[^"]+",route="[0-9a-f-]{36}"\} 2$/m,
  );
});

test("a request's own deadline bounds the wait for its first byte [ERR-20]", async () => {
  const startedAtMs = performance.now();
  const { status, body, requestId } = await ask("is the only one and hangs");
  const tookMs = performance.now() - startedAtMs;

  console.log(`deadline 8 s, first-byte timeout 60 s: answered after ${Math.round(tookMs)} ms`);
  expect({ status, body }).toMatchObject({ status: 502, body: { error: { code: "upstream_error" } } });
  expect(tookMs).toBeLessThan(40_000);
  expect(Number(amounts(await entriesOf(requestId)))).toBe(0);
});

const amounts = (entries: readonly Entry[]): string => entries.map(({ credits }) => credits.replace("-", "")).join(" ");
