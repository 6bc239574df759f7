import { readFileSync } from "node:fs";
import { join } from "node:path";
import OpenAI from "openai";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type GatewayProcess, rememberSecrets, startGatewayProcess } from "../support/gateway-process.ts";
import type { LineProgram } from "../support/line-program.ts";
import { installPythonPackages, startPython } from "../support/python-environment.ts";
import { requestLog } from "../support/request-log.ts";
import { until } from "../support/until.ts";

type Received = {
  spans: {
    name: string;
    kind: number;
    traceId: string;
    spanId: string;
    parentSpanId: string;
    startNano: string;
    endNano: string;
    status: number;
    events: string[];
    attributes: Record<string, unknown>;
    scope: string;
    resource: Record<string, unknown>;
  }[];
  requests: { path: string; type: string; authorization: string }[];
};

const COLLECTOR_SECRET = "collector-secret-for-tests-0123456789";
/** As OTLP numbers them. */
const KIND = { internal: 1, server: 2, client: 3 };

const { folder, missing } = await installPythonPackages("otlp", {
  "opentelemetry-proto": "1.45.2",
  protobuf: "7.36.2",
});
if (missing !== null) console.warn(`traces are not tried: ${missing}`);

describe.skipIf(folder === null)("traces, as a collector with OpenTelemetry's own schema receives them", () => {
  let collector: LineProgram;
  let gateway: GatewayProcess;
  let stopped: Promise<unknown> | undefined;

  beforeAll(async () => {
    rememberSecrets([COLLECTOR_SECRET]);
    collector = startPython(folder ?? "", join(import.meta.dirname, "../support/otlp_receiver.py"));
    const { port } = await collector.ask<{ port: number }>({ ask: "start" });
    gateway = await startGatewayProcess({
      settings: {
        OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}/`,
        OTEL_EXPORTER_OTLP_HEADERS: `authorization=Bearer%20${COLLECTOR_SECRET}`,
        OTEL_SERVICE_NAME: "gateway-under-test",
        TOLLGATE_TRACES_PARENT: "continue",
      },
      models: {
        "falls-back": {
          upstream: "sim-fast",
          priority: 2,
          moreRoutes: [{ provider: "simulator", upstream_model: "sim+fail=500", format: "chat", priority: 1 }],
        },
      },
    });
  });
  afterAll(async () => {
    await (stopped ?? gateway?.stop());
    await collector?.stop();
  });

  const received = (): Promise<Received> => collector.ask<Received>({ ask: "received" });
  const client = (): OpenAI =>
    new OpenAI({ baseURL: `${gateway.publicUrl}/v1`, apiKey: gateway.keys.credit, maxRetries: 0 });

  /** The spans of one request, when its own has come, which is the last to end. */
  async function traceOf(requestId: string): Promise<{ request: Received["spans"][0]; below: Received["spans"] }> {
    let spans: Received["spans"] = [];
    const its = (): Received["spans"][0] | undefined =>
      spans.find(({ attributes }) => attributes["tollgate.request_id"] === requestId);
    await until(async () => {
      ({ spans } = await received());
      return its() !== undefined;
    }, "the collector has the request's span");
    const request = its();
    if (!request) throw new Error("no span");
    return { request, below: spans.filter(({ parentSpanId }) => parentSpanId === request.spanId) };
  }

  test("a streamed request is one trace: the request, the ledger's two calls, and every call to a provider", async () => {
    const { data, response } = await client()
      .chat.completions.create(
        { model: "falls-back", messages: [{ role: "user", content: "Hello" }], stream: true },
        { headers: { traceparent: "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01" } },
      )
      .withResponse();
    for await (const _ of data) continue;
    const requestId = response.headers.get("x-request-id") ?? "";

    const { request, below } = await traceOf(requestId);

    expect(request).toMatchObject({
      name: "POST /v1/chat/completions",
      kind: KIND.server,
      traceId: "4bf92f3577b34da6a3ce929d0e0e4736",
      parentSpanId: "00f067aa0ba902b7",
      scope: "tollgate",
      events: ["first byte"],
      resource: {
        "service.name": "gateway-under-test",
        "service.instance.id": expect.stringMatching(/^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/),
      },
    });
    expect(request.attributes).toMatchObject({
      "http.response.status_code": 200,
      "gen_ai.request.model": "falls-back",
    });
    expect(
      below
        .map(({ name, kind, status }) => [name, kind, status])
        .toSorted(([a], [b]) => (String(a) < String(b) ? -1 : 1)),
    ).toEqual([
      ["chat sim+fail=500", KIND.client, 2],
      ["chat sim-fast", KIND.client, 0],
      ["ledger admit", KIND.internal, 0],
      ["ledger settle", KIND.internal, 0],
    ]);
    expect(below.every(({ traceId }) => traceId === request.traceId)).toBe(true);
    const outside = below.filter(
      ({ startNano, endNano }) =>
        BigInt(startNano) < BigInt(request.startNano) || BigInt(endNano) > BigInt(request.endNano),
    );
    expect(outside).toEqual([]);

    const line = requestLog(gateway).find((entry) => entry.request_id === requestId);
    expect(request.attributes["tollgate.cost"]).toBe(line?.cost);
    const answered = below.find(({ name }) => name === "chat sim-fast");
    expect(answered?.attributes).toMatchObject({
      "gen_ai.operation.name": "chat",
      "gen_ai.provider.name": "simulator",
      "server.address": "127.0.0.1",
      "gen_ai.usage.input_tokens": line?.input_tokens,
      "gen_ai.usage.output_tokens": line?.output_tokens,
    });
  });

  test("a provider is sent no traceparent, and that of the call's own span once its row says so", async () => {
    const PARENT = "00-4bf92f3577b34da6a3ce929d0e0e4737-00f067aa0ba902b7-01";
    const send = async (): Promise<{ sent: Record<string, string> | undefined; requestId: string }> => {
      const { response } = await client()
        .chat.completions.create(
          { model: "sim-fast", messages: [{ role: "user", content: "Hello" }] },
          { headers: { traceparent: PARENT, tracestate: "theirs=1" } },
        )
        .withResponse();
      const call = (await gateway.witness()).findLast(({ model }) => model === "sim-fast");
      return { sent: call?.headers, requestId: response.headers.get("x-request-id") ?? "" };
    };

    const before = await send();
    const change = `providers add simulator --replace --url ${gateway.simulatorUrl}/v1 --credential env:SIMULATED_PROVIDER_KEY`;
    const told = await gateway.tollgate(...`${change} --unknown-members forward --traceparent send`.split(" "));
    expect(told.code, told.stderr).toBe(0);
    let after = before;
    await until(async () => {
      after = await send();
      return after.sent?.["traceparent"] !== undefined;
    }, "the gateway uses the changed provider");

    expect(Object.keys(before.sent ?? {})).not.toContain("traceparent");
    const { below } = await traceOf(after.requestId);
    const call = below.find(({ name }) => name === "chat sim-fast");
    expect(after.sent?.["traceparent"]).toBe(`00-4bf92f3577b34da6a3ce929d0e0e4737-${call?.spanId}-01`);
    expect(Object.keys(after.sent ?? {})).not.toContain("tracestate");
  });

  test("a request that is refused before money moves has no span below it", async () => {
    const response = await fetch(`${gateway.publicUrl}/v1/messages`, {
      method: "POST",
      headers: { "x-api-key": gateway.keys.credit, "content-type": "application/json" },
      body: JSON.stringify({ model: "no-such-model", max_tokens: 5, messages: [{ role: "user", content: "Hello" }] }),
    });
    await response.arrayBuffer();

    const { request, below } = await traceOf(response.headers.get("x-request-id") ?? "");

    expect(request).toMatchObject({ name: "POST /v1/messages", parentSpanId: "", status: 0 });
    expect(request.attributes).toMatchObject({ "http.response.status_code": 404, "error.type": "model_not_found" });
    expect(below).toEqual([]);
  });

  test("the collector gets its credential, and neither prompt nor key", async () => {
    const { spans, requests } = await received();

    expect(new Set(requests.map((request) => JSON.stringify(request)))).toEqual(
      new Set([
        JSON.stringify({
          path: "/v1/traces",
          type: "application/x-protobuf",
          authorization: `Bearer ${COLLECTOR_SECRET}`,
        }),
      ]),
    );
    expect(JSON.stringify(spans)).not.toContain("Hello");
    expect(JSON.stringify(spans)).not.toContain(gateway.keys.credit);
  });

  test("spans that the collector rejects are counted and logged once, and requests go on", async () => {
    await collector.ask({ ask: "refuse", status: 400 });
    await client().models.list();

    await until(
      async () => /tollgate_trace_spans_total\{result="failed"\} [1-9]/.test(await gateway.metrics()),
      "a failure is counted",
    );
    await collector.ask({ ask: "refuse", status: 200 });
    expect(await gateway.metrics()).toMatch(/tollgate_trace_spans_total\{result="sent"\} [1-9]/);
    const lines = (): string[] =>
      readFileSync(join(gateway.folder, ".tollgate/tollgate.log"), "utf8")
        .split("\n")
        .filter((line) => line.includes('"msg":"spans not sent"'));
    await until(() => lines().length > 0, "the log says so");
    expect(lines()).toEqual([expect.stringContaining("traces.endpoint")]);
  });

  test("what a process has not sent when it is stopped is sent before it ends", async () => {
    const before = (await received()).spans.length;
    await client().models.list();
    stopped = gateway.stop();
    await stopped;

    const { spans } = await received();
    expect(spans.slice(before).map(({ name }) => name)).toContain("GET /v1/models");
  });
});
