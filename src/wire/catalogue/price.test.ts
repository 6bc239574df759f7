import { expect, test } from "vitest";
import type { Tariff } from "../../core/money/price.ts";
import { tariffOf, tariffPartsOf, tariffPartsView, tariffView } from "./price.ts";

const tariff: Tariff = {
  inputNano: 2_716_049_358n,
  outputNano: 0n,
  cacheReadNano: null,
  cacheWrite5mNano: 999_999_999_999_999_999n,
  cacheWrite1hNano: 1n,
  toolCallNano: { web_search: 10_000_000n },
};

test("a tariff survives being written as decimals, to the last nano", () => {
  const view = tariffView(tariff);

  expect(view).toMatchObject({ input: "2.716049358", cache_write_5m: "999999999.999999999", cache_read: null });
  expect(tariffOf(view)).toEqual(tariff);
});

test("of some parts only these are written, and a part that is taken away stays taken away", () => {
  const { inputNano: _, ...rest } = tariff;
  const parts = { ...rest, toolCallNano: { web_search: null, code: 5n } };

  expect(tariffPartsView({ cacheReadNano: null })).toEqual({ cache_read: null });
  expect(tariffPartsView({ inputNano: 1n })).toEqual({ input: "0.000000001" });
  expect(tariffPartsOf(tariffPartsView(parts))).toEqual(parts);
});
