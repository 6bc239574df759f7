import { expect, test } from "vitest";
import type { ModelDetails } from "../../operator/catalogue.ts";
import { chooseCertified } from "./choose-certified.ts";

const price = (outputNano: bigint) => ({ inputNano: 1n, outputNano, toolCallNano: {}, version: 1, effectiveFromMs: 0 });
const model = (id: string, outputNano: bigint): ModelDetails =>
  ({
    id,
    maxOutputTokens: 100,
    price: price(outputNano),
    routes: [
      { id: `route-${id}`, provider: "openai" },
      { id: "elsewhere", provider: "groq" },
    ],
  }) as unknown as ModelDetails;
const MODELS = [model("dear", 9n), model("cheap", 2n)];
const provider = {
  name: "openai",
  routes: MODELS.map(({ id }) => ({ modelId: id })),
} as unknown as Parameters<typeof chooseCertified>[1];
const catalogue = {
  showModel: (id: string) => Promise.resolve(MODELS.find((one) => one.id === id)),
} as unknown as Parameters<typeof chooseCertified>[0]["catalogue"];

test("without a name the model with the lowest output price is tested, on its routes to the provider, without their ids", async () => {
  const chosen = await chooseCertified({ catalogue }, provider, []);

  expect(chosen.map(({ model: { id }, route }) => ({ id, route }))).toEqual([
    { id: "cheap", route: { provider: "openai" } },
  ]);
});

test("a model without a route to the provider is refused", async () => {
  await expect(chooseCertified({ catalogue }, provider, ["chea"])).rejects.toThrow(
    'model "chea" has no route to openai',
  );
});
