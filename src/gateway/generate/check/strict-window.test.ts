import { describe, expect, test } from "vitest";
import type { Model } from "../../../catalogue/model.ts";
import { generationRoute, type GenerationRoute, type Route } from "../../../core/catalogue/route.ts";
import { MODEL, ROUTE } from "../../../../tests/support/generation-stage.ts";
import { keepToWindow } from "./strict-window.ts";

const routeWith = (changes: Partial<Route>): GenerationRoute => generationRoute({ ...ROUTE, ...changes });
const strict = routeWith({ id: "strict", windowCheck: "strict" });
const trying = routeWith({ id: "trying" });
const across = routeWith({ id: "across", dialect: "messages" });
const acrossStrict = routeWith({ id: "across strict", dialect: "messages", windowCheck: "strict" });

type Case = {
  routes?: readonly GenerationRoute[];
  others?: readonly (readonly GenerationRoute[])[];
  contextWindow?: number | null;
  /** The bound of its input by its bytes. */
  most?: number;
  images?: number;
  bodyBytes?: number;
  saved?: number;
  capabilities?: Model["capabilities"];
};

async function keep({ routes = [strict], others = [], most = 1_000, saved = 0, ...given }: Case) {
  const { contextWindow = 1_000, images = 0, bodyBytes = most, capabilities = {} } = given;
  const model: Model = { ...MODEL, contextWindow, capabilities, routes: [...routes, ...others.flat()] };
  let counts = 0;
  const media = { images, smallImages: 0, documents: 0, largestDocumentCharacters: 0, others: 0 };
  const kept = await keepToWindow(
    {
      model,
      routeGroups: {
        best: { routes, fidelity: "exact" },
        others: () => others.map((group) => ({ routes: group, fidelity: "translated" })),
      },
      input: { likely: 1, most, mostPredicted: 0, ...(images > 0 && { media }) },
    },
    {
      bodyBytes,
      saved: async () => {
        counts++;
        return saved;
      },
    },
  );
  const idsOf = (group: readonly Route[]): string[] => group.map(({ id }) => id);
  const left = kept.routeGroups.others().map((group) => idsOf(group.routes));
  return { best: idsOf(kept.routeGroups.best.routes), others: left, fits: kept.fits, counts };
}

describe("a provider with `context_window: strict`", () => {
  test("is sent what fits by its bytes alone, and nothing is counted [LIM-12]", async () => {
    expect(await keep({ most: 1_000 })).toEqual({ best: ["strict"], others: [], fits: true, counts: 0 });
  });

  test("is sent what fits when its texts are counted at the bound of any vocabulary [LIM-12]", async () => {
    expect(await keep({ most: 4_000, saved: 3_000 })).toMatchObject({ best: ["strict"], fits: true, counts: 1 });
  });

  test("is not sent what may be one token too many, and the refusal names both numbers [LIM-12] [ERR-17]", async () => {
    await expect(keep({ most: 4_000, saved: 2_999 })).rejects.toMatchObject({
      code: "context_length_exceeded",
      message: "Input may be up to 1,001 tokens; m accepts at most 1,000. Shorten the input.",
    });
  });

  test("is not sent a picture of which nobody says how many tokens it is [LIM-12]", async () => {
    await expect(keep({ most: 100, images: 1 })).rejects.toThrow("up to 2,000,100 tokens");
    expect(await keep({ most: 100, images: 1, capabilities: { image_tokens: 900 } })).toMatchObject({ fits: true });
  });

  test("is not sent a body that is too large to be counted for nothing [LIM-12]", async () => {
    const large = { most: 600_000, bodyBytes: 600_000, contextWindow: 500_000, saved: 500_000 };

    await expect(keep(large)).rejects.toThrow("up to 600,000 tokens");
  });

  test("is left out while another route of the model may try [LIM-13]", async () => {
    const routes = [strict, trying];

    expect(await keep({ routes, most: 4_000 })).toMatchObject({ best: ["trying"], fits: false, counts: 1 });
    expect(await keep({ routes, most: 900 })).toMatchObject({ best: ["strict", "trying"], fits: true });
  });

  test("gives way to a translation, when its format has no other route [LIM-13]", async () => {
    const others = [[acrossStrict], [across]];

    expect(await keep({ others, most: 4_000 })).toMatchObject({ best: ["across"], others: [] });
    expect(await keep({ routes: [trying], others, most: 4_000 })).toMatchObject({
      best: ["trying"],
      others: [["across"]],
    });
    await expect(keep({ others: [[acrossStrict]], most: 4_000 })).rejects.toThrow("may be up to 4,000 tokens");
  });

  test("judges nothing of a model that publishes no window [LIM-12]", async () => {
    expect(await keep({ contextWindow: null, most: 1e9 })).toMatchObject({ best: ["strict"], counts: 0 });
  });
});

test("without such a provider nothing is counted [LIM-6]", async () => {
  expect(await keep({ routes: [trying], most: 4_000 })).toMatchObject({ best: ["trying"], fits: false, counts: 0 });
});
