import { afterAll, beforeAll, expect, test } from "vitest";
import { type GatewayProcess, startGatewayProcess } from "../../support/gateway-process.ts";
import { issueKey, operate } from "../operator.ts";
import { readUsage } from "./read-usage.ts";

let gateway: GatewayProcess;
beforeAll(async () => {
  gateway = await startGatewayProcess();
});
afterAll(() => gateway.stop());

/** When the key says its budget renews; null when it does not. */
async function renewalOf(secret: string): Promise<Date | null> {
  const { explanation } = await readUsage(gateway, secret);
  const at = /renews at (\S+)\./.exec(explanation)?.[1];
  expect(explanation.includes("does not renew")).toBe(at === undefined);
  return at === undefined ? null : new Date(at);
}

const budget = (period: string | null) =>
  issueKey(gateway, { mode: "token_budget", budget: 100, ...(period === null ? {} : { period }) });

/** The first moment after now at which a period of this kind begins, in UTC. */
function nextStart(period: string): Date {
  const next = new Date();
  next.setUTCHours(24, 0, 0, 0);
  const isStart = (): boolean =>
    period === "day" || (period === "week" ? next.getUTCDay() === 1 : next.getUTCDate() === 1);
  while (!isStart()) next.setUTCDate(next.getUTCDate() + 1);
  return next;
}

test.each(["day", "week", "month"])(
  "a budget by the %s renews at midnight UTC, weeks on Monday [MON-39] [MON-40]",
  async (period) => {
    const { secret } = await budget(period);

    expect(await renewalOf(secret)).toEqual(nextStart(period));
  },
);

test("a budget renews by the month unless its key says otherwise [MON-39]", async () => {
  const { secret } = await budget(null);

  expect(await renewalOf(secret)).toEqual(nextStart("month"));
});

test("a budget without a period does not renew [MON-39]", async () => {
  const { secret } = await budget("none");

  expect(await renewalOf(secret)).toBeNull();
});

test("there is no other kind of period [MON-39]", async () => {
  await expect(budget("year")).rejects.toThrow(/period/);
});

test("a key stays what it was made as: neither its mode nor its origin can be changed [KEY-11]", async () => {
  const { id, secret } = await budget("day");

  await expect(operate(gateway, `PATCH /keys/${id}`, { mode: "credit" })).rejects.toThrow(/refused/);
  await expect(operate(gateway, `POST /keys/${id}/topups`, { amount: "1", reference: "r" })).rejects.toThrow(/refused/);
  expect((await readUsage(gateway, secret)).key["mode"]).toBe("token_budget");
});
