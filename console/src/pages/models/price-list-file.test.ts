import { expect, test } from "vitest";
import { readPriceFile, textOfVendor } from "./price-list-file.ts";

const LIST = `{
  "acme/large": {"litellm_provider": "acme", "input_cost_per_token": 2.50e-06, "max_tokens": 9007199254740993},
  "acme/small": {"litellm_provider": "acme", "input_cost_per_token": 1e-7},
  "bolt/one": {"litellm_provider": "bolt"},
  "sample_spec": {"mode": "one of many"}
}`;

test("vendors are counted, most models first", () => {
  expect(readPriceFile(LIST)?.vendors).toEqual([
    { name: "acme", models: 2 },
    { name: "bolt", models: 1 },
  ]);
});

test("the models of one vendor keep every digit", () => {
  const file = readPriceFile(LIST);

  expect(file && textOfVendor(file, "acme")).toBe(
    '{"acme/large":{"litellm_provider":"acme","input_cost_per_token":2.50e-06,"max_tokens":9007199254740993},"acme/small":{"litellm_provider":"acme","input_cost_per_token":1e-7}}',
  );
});

test("a list of models.dev has its models by vendor", () => {
  const file = readPriceFile(
    '{"acme": {"id": "acme", "models": {"a": {"cost": {"input": 2.50}}, "b": {}}}, "bolt": {"models": {"c": {}}}}',
  );

  expect(file).toMatchObject({
    models: 3,
    vendors: [
      { name: "acme", models: 2 },
      { name: "bolt", models: 1 },
    ],
  });
  expect(file && textOfVendor(file, "acme")).toBe(
    '{"acme":{"id":"acme","models":{"a":{"cost":{"input":2.50}},"b":{}}}}',
  );
});

test.each(["<html>", "[]", "null", ""])("%s is no price list", (text) => {
  expect(readPriceFile(text)).toBeNull();
});
