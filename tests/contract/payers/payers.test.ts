import type { IncomingMessage } from "node:http";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type ChainedGateway, CREDIT, startChainedGateway } from "../../support/chained-gateway.ts";
import { whyUnavailable } from "../../support/postgres.ts";
import { signIns } from "../../support/signed-in.ts";
import { openStream } from "../open-stream.ts";
import { ask, CHAT, MESSAGE, type Operation, RESPONSES } from "../operations.ts";

const missing = whyUnavailable("15");
/** A quarter of the process. */
const SHARE = 10;

describe.skipIf(missing !== null)(
  `several sessions of one person${missing === null ? "" : `: skipped, ${missing}`}`,
  () => {
    let tree: ChainedGateway;
    beforeAll(async () => {
      tree = await startChainedGateway({ TOLLGATE_LIMITS_OPEN_REQUESTS: String(4 * SHARE) });
    }, 180_000);
    afterAll(() => tree?.stop());

    test.each([CHAT, RESPONSES, MESSAGE])(
      "$path: have one share of the process together, and leave the rest to others",
      async (operation: Operation) => {
        const { person, begin } = signIns(tree);
        const accountOf = async (name: string): Promise<string> => {
          const account = await tree.account(`${name} ${operation.dialect}`);
          await tree.purse(account, 1_000n * CREDIT);
          return account;
        };
        const own = await accountOf("Ann");
        await tree.query("update account set kind = 'person' where id = $1", [own]);
        const ann = await person(`ann-${operation.dialect}@acme.example`, own);
        const sessions = await Promise.all([begin(ann), begin(ann), begin(ann), begin(ann)]);
        const keys = [...sessions.map(({ accessToken }) => accessToken), await tree.key(own)];
        const fields = { model: `endless-${operation.dialect}`, [operation.limitField]: 100 };
        const open = (key: string): Promise<IncomingMessage> =>
          openStream(operation, { gateway: tree.gateway, key, fields });

        const streams: IncomingMessage[] = [];
        try {
          for (let place = 0; place < SHARE; place++) streams.push(await open(keys[place % keys.length] ?? ""));
          expect(streams.map(({ statusCode }) => statusCode)).toEqual(Array(SHARE).fill(200));
          for (const key of keys) {
            const refused = await open(key);
            expect(refused.statusCode).toBe(429);
            expect(await text(refused)).toContain(
              `You have ${SHARE} requests in progress, the limit per key and per person.`,
            );
          }

          const neighbour = await tree.key(await accountOf("Neighbour"));
          const theirs = await ask(operation, {
            gateway: tree.gateway,
            key: neighbour,
            fields: { model: operation.dialect, [operation.limitField]: 10 },
          });
          expect(theirs.status).toBe(200);
        } finally {
          for (const stream of streams) stream.destroy();
        }
      },
    );

    test("an operator who resumes one session of a suspended person resumes them all", async () => {
      const { person, begin } = signIns(tree);
      const own = await tree.account("Suspended");
      await tree.purse(own, CREDIT);
      const ann = await person("suspended@acme.example", own);
      const sessions = [await begin(ann), await begin(ann)];
      const keys = await tree.query<{ id: string }>("select id from key where person_id = $1 order by id", [ann]);
      await tree.query("select suspend_v1(array[$1::uuid])", [keys[0]?.id]);
      sessions.push(await begin(ann));
      const statuses = (): Promise<number[]> =>
        Promise.all(
          sessions.map(async ({ accessToken }) => {
            const { status } = await ask(CHAT, {
              gateway: tree.gateway,
              key: accessToken,
              fields: { model: "chat", max_tokens: 5 },
            });
            return status;
          }),
        );
      expect(await statuses()).toEqual([401, 401, 401]);

      const { adminUrl, adminToken } = tree.gateway;
      const resumed = await fetch(`${adminUrl}/admin/v1/keys/${keys[1]?.id}/resume`, {
        method: "POST",
        headers: { authorization: `Bearer ${adminToken}` },
      });
      expect(resumed.status).toBe(200);
      await expect.poll(statuses, { timeout: 30_000 }).toEqual([200, 200, 200]);
    });
  },
);
