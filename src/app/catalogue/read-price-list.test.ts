import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import { systemClock } from "../../core/clock.ts";
import { createReadPriceList } from "./read-price-list.ts";

const LIST = {
  large: {
    litellm_provider: "acme",
    mode: "chat",
    input_cost_per_token: 3e-6,
    output_cost_per_token: 6e-6,
    max_input_tokens: 1_000,
    max_output_tokens: 1_000,
  },
};
const CHOICE = { vendor: "acme", match: "*", markup: "2", free: false, dearest: false };
const CHECKED = { text: null, acceptOld: false, isChecked: true };

let server: Server;
let url: string;
beforeAll(async () => {
  server = createServer((request, response) => {
    if (request.url === "/prices.json?token=not-to-be-shown") response.end(JSON.stringify(LIST));
    else response.writeHead(404).end();
  });
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => server.close());

const reading = (checkedList: string) => createReadPriceList({ creditUsd: "1", checkedList, clock: systemClock });

test("the list that the settings name is downloaded, and read as one that is sent", async () => {
  const { models, shipped } = await reading(`${url}/prices.json?token=not-to-be-shown`)(CHECKED, CHOICE);

  expect(models.map(({ id, tariff }) => [id, tariff.inputNano])).toEqual([["large", 6_000_000_000n]]);
  expect(shipped).toBeNull();
});

test.each([
  ["off", "price_check.list is off"],
  ["/gone.json?token=not-to-be-shown", "/gone.json can't be read: it answered 404."],
])("where it cannot be had, the refusal says why: %s", async (path, words) => {
  const refused = reading(path === "off" ? path : url + path)(CHECKED, CHOICE);

  await expect(refused).rejects.toMatchObject({
    code: "invalid_request",
    param: "checked_list",
    message: expect.stringContaining(words) as string,
  });
  await expect(refused).rejects.not.toThrow("not-to-be-shown");
});
