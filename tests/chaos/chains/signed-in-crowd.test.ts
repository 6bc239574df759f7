import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type ChainedGateway, CREDIT, startChainedGateway } from "../../support/chained-gateway.ts";
import type { ServeProcess } from "../../support/serve-process.ts";
import { signIns } from "../../support/signed-in.ts";
import { CAPS, findBreaches, gatherCrowd } from "../../support/signed-in-crowd.ts";
import { until } from "../../support/until.ts";

const TURNS = 6;
const AT_A_TIME = 40;
/** Of 720 requests, when a good part has been answered. */
const KILLED_AFTER = 150;

let stage: ChainedGateway;
let gateways: ServeProcess[];
beforeAll(async () => {
  stage = await startChainedGateway();
  gateways = [stage.process, await stage.startAnother(), await stage.startAnother()];
});
afterAll(() => stage?.stop());

/** The status of a request, or null where its process died under it. */
async function ask({ url }: ServeProcess, token: string): Promise<number | null> {
  try {
    const response = await fetch(`${url}/v1/chat/completions`, {
      method: "POST",
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      body: JSON.stringify({ model: "chat", max_tokens: 20, messages: [{ role: "user", content: "Hello" }] }),
    });
    await response.text();
    return response.status;
  } catch {
    return null;
  }
}

test("forty people of four groups through three gateways, one of them killed: every cap along the chain holds", async () => {
  const crowd = await gatherCrowd(stage, signIns(stage));
  const killed = gateways[2];
  if (killed === undefined) throw new Error("there are three");
  const statuses: (number | null)[] = [];
  const watched: string[] = [];
  let isOver = false;
  // While it runs, too: a cap that is broken for a moment is broken.
  const watching = (async () => {
    while (!isOver) {
      const { organisation, groups, people } = await crowd.used();
      if (organisation > CAPS.organisation) watched.push(`the organisation had used ${organisation}`);
      for (const [at, used] of groups.entries())
        if (used > (crowd.groupCaps[at] ?? 0n)) watched.push(`group ${at + 1} had used ${used}`);
      for (const used of people.flat()) if (used > CAPS.person) watched.push(`somebody had used ${used}`);
      await sleep(250);
    }
  })();

  const send = async (token: string, first: number): Promise<void> => {
    for (let turn = 0; turn < TURNS; turn++) {
      const running = gateways.filter((gateway) => gateway.alive());
      const gateway = running[(first + turn) % running.length];
      if (gateway === undefined) throw new Error("no gateway runs");
      statuses.push(await ask(gateway, token));
      if (statuses.length === KILLED_AFTER) killed.signal("SIGKILL");
    }
  };
  for (let from = 0; from < crowd.tokens.length; from += AT_A_TIME)
    await Promise.all(crowd.tokens.slice(from, from + AT_A_TIME).map((token, at) => send(token, at)));
  expect(killed.alive()).toBe(false);

  // What the dead process held is ended by another when its lease has run out.
  await until(
    async () => (await stage.query<{ open: bigint }>("select count(*) as open from hold"))[0]?.open === 0n,
    "nothing is held",
    90_000,
  );
  // Now the rest is spent. Side by side at first, where one may be refused for what another holds and does not use; then one after the
  // other, until the limits have nothing left for a request.
  const spend = async (gateway: ServeProcess, token: string): Promise<void> => {
    let last: number | null = 200;
    while (last === 200) statuses.push((last = await ask(gateway, token)));
  };
  const left = gateways.filter((gateway) => gateway.alive());
  const [first] = left;
  if (first === undefined) throw new Error("two gateways run");
  await Promise.all(
    left.flatMap((gateway, at) =>
      crowd.tokens.filter((_, place) => place % 2 === at).map((token) => spend(gateway, token)),
    ),
  );
  for (const token of crowd.tokens) await spend(first, token);
  isOver = true;
  await watching;

  const used = await crowd.used();
  expect(watched).toEqual([]);
  expect(findBreaches(used, crowd.groupCaps)).toEqual([]);
  // It was the limits that stopped them, after they were used: what is left pays for no request.
  expect([...new Set(statuses)].filter((status) => ![200, 402, 429, null].includes(status))).toEqual([]);
  expect(statuses.filter((status) => status === 402 || status === 429).length).toBeGreaterThan(0);
  expect(used.organisation).toBeGreaterThan(CAPS.organisation - CREDIT / 5n);
});
