import { expect, test } from "vitest";
import { createMetrics, type FinishedRequest } from "./metrics.ts";

const finished: FinishedRequest = {
  route: "messages",
  dialect: "messages",
  status: 200,
  code: null,
  outcome: "completed",
  totalMs: 1_200,
  overheadMs: 0.2,
  inputTokens: 10,
  outputTokens: 20,
  key: null,
  model: "large",
  provider: "east",
  firstByteMs: 300,
};

test("a model has duration, time to the first byte, tokens and errors under each provider that answered for it", async () => {
  const metrics = createMetrics();

  metrics.requestFinished(finished);
  metrics.requestFinished({ ...finished, status: 502, code: "upstream_error", outputTokens: 0, firstByteMs: null });
  metrics.requestFinished({ ...finished, status: 402, code: "insufficient_credit", provider: null, firstByteMs: null });
  metrics.requestFinished({ ...finished, model: null, provider: null, status: 404, code: "model_not_found" });

  const { text } = await metrics.expose();
  expect(text).toContain('tollgate_model_request_seconds_count{model="large",provider="east"} 2');
  expect(text).toContain('tollgate_model_request_seconds_bucket{le="2.5",model="large",provider="east"} 2');
  expect(text).toContain('tollgate_model_first_byte_seconds_count{model="large",provider="east"} 1');
  expect(text).toContain('tollgate_model_tokens_total{model="large",provider="east",direction="input"} 20');
  expect(text).toContain('tollgate_model_tokens_total{model="large",provider="east",direction="output"} 20');
  expect(text).toContain('tollgate_model_errors_total{model="large",provider="east",code="upstream_error"} 1');
  expect(text).toContain('tollgate_model_errors_total{model="large",provider="none",code="insufficient_credit"} 1');
  expect(text).not.toContain('tollgate_model_errors_total{model="large",provider="east",code="insufficient_credit"}');
  expect(text.match(/^tollgate_model_errors_total/gm)).toHaveLength(2);
  expect((await metrics.expose()).text).toBe(text);
});

test.each([0, 1, 20])("%i models have series of their own and the rest are counted as other", async (modelSeries) => {
  const metrics = createMetrics({ modelSeries });

  for (let index = 0; index < 1_000; index++)
    metrics.requestFinished({ ...finished, model: `m-${index}`, provider: `p-${index % 200}` });

  const { text } = await metrics.expose();
  const counts = [...text.matchAll(/^tollgate_model_request_seconds_count\{model="(.+)",provider="(.+)"\} (\d+)$/gm)];
  expect(counts.filter(([, model]) => model !== "other")).toHaveLength(modelSeries);
  expect(counts.length).toBeLessThanOrEqual(modelSeries + 101);
  expect(counts.reduce((sum, [, , , count]) => sum + Number(count), 0)).toBe(1_000);
});

test("a model behind many providers has no more series than are allowed", async () => {
  const metrics = createMetrics({ modelSeries: 2 });

  for (let index = 0; index < 500; index++) metrics.requestFinished({ ...finished, provider: `p-${index}` });

  const { text } = await metrics.expose();
  expect(text.match(/^tollgate_model_request_seconds_count\{/gm)?.length).toBeLessThanOrEqual(103);
});
