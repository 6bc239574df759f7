import { expect, test } from "vitest";
import { EVENT, generationStage, settled } from "../../../tests/support/generation-stage.ts";
import { processorMs } from "../../../tests/support/processor-time.ts";
import { until } from "../../../tests/support/until.ts";

const STREAMS = 1_000;
/** Of a second, in which it happens once. */
const MOST_MS = 50;

test("1,000 running streams are looked at in a twentieth of a second of processor time, whatever they have delivered", async () => {
  const stage = generationStage((reader) => reader.chunk(Buffer.from(EVENT.repeat(100))), { credits: 10n ** 15n });
  for (let no = 0; no < STREAMS; no++) void stage.generate(stage.ask({ stream: true }));
  const saying = (): boolean[] => [...stage.running.inFlight()].map(({ soFar }) => (soFar?.outputTokens ?? 0) > 0);
  await until(() => saying().filter(Boolean).length === STREAMS, "every stream has delivered something");
  const looks = Array.from({ length: 5 }, () => processorMs(() => [...stage.running.inFlight()]));

  expect(saying()).toEqual(Array(STREAMS).fill(true));
  expect(Math.min(...looks)).toBeLessThan(MOST_MS);
  stage.running.cutStopping();
  await settled();
});
