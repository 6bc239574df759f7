import { expect, test, vi } from "vitest";
import {
  DONE,
  EVENT,
  generationStage,
  pieces,
  PLAIN,
  settled,
  USAGE,
} from "../../../tests/support/generation-stage.ts";
import { until } from "../../../tests/support/until.ts";
import { Fault } from "../../core/fault.ts";

test("a stream is replayed byte for byte, once run and once charged [IDM-11] [IDM-12] [IDM-13]", async () => {
  const { generate, ask, log, charges, heads } = generationStage(pieces(EVENT, USAGE, DONE));
  await generate(ask({ stream: true }, "once"));
  const first = log.length;
  await generate(ask({ stream: true }, "once"));

  expect(log.slice(first)).toEqual(["admit", "begin 200", `end ${EVENT}${DONE}`]);
  expect(heads.at(-1)).toMatchObject({
    "idempotent-replayed": "true",
    "content-type": "text/event-stream; charset=utf-8",
  });
  expect(charges()).toEqual(["completed 13000"]);
});

test("a replay says of its answer what the first one said of it, but for its cost, which is 0 [HDR-18]", async () => {
  const poor = generationStage(pieces(PLAIN), { credits: 68_000n });
  await poor.generate(poor.ask({}, "once"));
  await poor.generate(poor.ask({}, "once"));
  const [first, again] = poor.heads;

  expect(first).toMatchObject({
    "x-tollgate-fidelity": "exact",
    "x-tollgate-max-tokens": expect.any(String) as string,
  });
  expect(again).toEqual({ ...first, "idempotent-replayed": "true", "x-tollgate-cost": "0" });
});

test("a claim with another body, in flight, too large to keep, or broken off after content is refused as such [IDM-15] [IDM-16] [IDM-17] [IDM-18]", async () => {
  const other = generationStage(pieces(PLAIN));
  await other.generate(other.ask({}, "k"));
  await expect(other.generate(other.ask({ top_p: 1 }, "k"))).rejects.toMatchObject({ code: "idempotency_key_reuse" });

  let finish = (): void => undefined;
  const busy = generationStage((reader) => (finish = () => pieces(PLAIN)(reader)));
  const running = busy.generate(busy.ask({}, "k"));
  await settled();
  await expect(busy.generate(busy.ask({}, "k"))).rejects.toMatchObject({ code: "idempotency_in_progress" });
  finish();
  await running;

  const large = generationStage(pieces(...Array.from({ length: 40 }, () => EVENT), USAGE, DONE));
  await large.generate(large.ask({ stream: true }, "k"));
  await expect(large.generate(large.ask({ stream: true }, "k"))).rejects.toMatchObject({
    code: "idempotency_replay_unavailable",
  });

  const broken = generationStage(pieces(EVENT));
  await broken.generate(broken.ask({ stream: true }, "k"));
  await expect(broken.generate(broken.ask({ stream: true }, "k"))).rejects.toMatchObject({
    code: "idempotency_stream_interrupted",
  });
});

test("a request that failed before content frees its claim, and the next try runs [IDM-19]", async () => {
  const stage = generationStage(new Fault("provider_unavailable", "down"));
  await expect(stage.generate(stage.ask({}, "k"))).rejects.toMatchObject({ code: "provider_unavailable" });
  stage.line.say = pieces(PLAIN);

  expect(await stage.generate(stage.ask({}, "k"))).toMatchObject({ outcome: "completed" });
  expect(stage.charges()).toEqual(["upstream_failed 0", "completed 5000"]);
});

test("a stream that failed after mere signs of life frees its claim too [IDM-19]", async () => {
  let fail = (): void => undefined;
  const stage = generationStage((reader) => (fail = () => reader.fail(new Error("reset"))), { keepAliveMs: 1 });
  const running = stage.generate(stage.ask({ stream: true }, "k"));
  await until(() => stage.log.some((step) => step.startsWith("write")), "a sign of life is written");
  fail();
  expect(await running).toMatchObject({ outcome: "upstream_failed", code: "upstream_error" });
  stage.line.say = pieces(EVENT, USAGE, DONE);

  expect(await stage.generate(stage.ask({ stream: true }, "k"))).toMatchObject({ outcome: "completed" });
});

test("a stream that is undone after content does not run again under its Idempotency-Key, and one undone before does [IDM-18] [IDM-19]", async () => {
  const cut = generationStage((reader) => reader.chunk(Buffer.from(EVENT)));
  const running = cut.generate(cut.ask({ stream: true }, "k"));
  await settled();
  cut.running.cutLost();
  expect(await running).toMatchObject({ code: "service_unavailable" });
  await settled();
  const again = cut.generate(cut.ask({ stream: true }, "k"));
  await expect(again).rejects.toMatchObject({ code: "idempotency_stream_interrupted" });

  const early = generationStage(pieces(PLAIN));
  const settle = vi.spyOn(early.ledger, "settle").mockImplementationOnce(() => [{ kind: "fenced" }]);
  await expect(early.generate(early.ask({}, "k"))).rejects.toMatchObject({ code: "service_unavailable" });
  await settled();
  expect(settle).toHaveBeenCalled();
  expect(await early.generate(early.ask({}, "k"))).toMatchObject({ outcome: "completed" });
});
