import { ALL_LANES, CHAT_LANES, CROSSED, type LaneStage, type PriceAttempt, STRAIGHT } from "../attempt.ts";
import { ask } from "../client.ts";
import type { Format, Json } from "../formats.ts";
import { PATHS } from "../formats.ts";
import { atOnce, LONG_PROMPT, OVERRUN, untilRefused } from "./moves.ts";

const all = { kind: "price", lanes: ALL_LANES } as const;
const straight = { kind: "price", lanes: STRAIGHT } as const;
/** Of a prompt. */
const CUT_WORDS = 400;

const picture = (format: Format, url: string): Json => {
  if (format === "chat") return { type: "image_url", image_url: { url, detail: "high" } };
  if (format === "responses") return { type: "input_image", image_url: url, detail: "high" };
  return { type: "image", source: { type: "url", url } };
};
const pdf = (format: Format, url: string): Json =>
  format === "responses" ? { type: "input_file", file_url: url } : { type: "document", source: { type: "url", url } };

const asking = (format: Format, parts: readonly Json[]): Json => {
  const message = { role: "user", content: parts };
  return format === "responses" ? { input: [message] } : { messages: [message] };
};

const pictures = ({ caller }: LaneStage): Json =>
  asking(
    caller,
    Array.from({ length: 10 }, (_, index) => picture(caller, `https://pictures.example/${index}.jpg`)),
  );

/** Letters of scripts that vocabularies hardly know: several tokens each. */
const rareLetters = (first: number, letters: number): string =>
  Array.from({ length: 3_000 }, (_, index) => String.fromCharCode(first + ((index * 7_919) % letters))).join("");

const gibberish = (): string => {
  let seed = 1;
  const letter = (): string => {
    seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
    return "bcdfghjklmnpqrstvwxz"[Math.floor((seed / 2_147_483_648) * 20)] ?? "x";
  };
  return Array.from({ length: 4_000 }, () => Array.from({ length: 6 }, letter).join("")).join(" ");
};

/** A small balance against many dear requests at once. */
const flood =
  (count: number, body: (lane: LaneStage) => Json): PriceAttempt["run"] =>
  async (lane) =>
    atOnce(count, () => lane.ask(body(lane)));

/** Requests that cost more than they seem to, and more of them at once than a balance pays for. */
export const RESERVATIONS: readonly PriceAttempt[] = [
  {
    ...all,
    name: "500 parallel requests on a balance for ten",
    tries: "Sends 500 requests in parallel with a balance for about ten.",
    model: { habit: { tokens: 200, rate: 0 } },
    credit: "0.01",
    lanes: ALL_LANES.slice(0, 1),
    run: flood(500, ({ body }) => body({ limit: 200 })),
  },
  {
    ...all,
    name: "two gateways in parallel",
    tries: "Sends requests to two gateway processes in parallel with a balance for ten.",
    model: { habit: { tokens: 200, rate: 0 } },
    credit: "0.01",
    run: async ({ stage, caller, unit, secret, body }) => {
      const origin = unit === "credit" ? "" : "/token";
      const urls = [stage.gateway.url, stage.hasty.url].map((url) => `${url}${origin}${PATHS[caller]}`);
      await atOnce(60, (index) => ask({ url: urls[index % 2] ?? "", secret, body: body({ limit: 200 }) }));
    },
  },
  {
    ...all,
    name: "spend to the last nano-credit",
    tries: "Sends requests without an output limit until nothing is available.",
    model: { habit: { tokens: 3_000, rate: 0 } },
    credit: "0.03",
    run: async ({ ask: again, body }) => {
      for (let tries = 0; tries < 40; tries += 1) if ((await again(body({ limit: null }))).status >= 400) return;
    },
  },
  {
    ...all,
    name: "provider ignores the output limit",
    tries: "Asks for ten tokens with 0.001 credits from a server that writes 3,000 anyway, then tops the key up.",
    lanes: [...STRAIGHT, ...CROSSED],
    model: { habit: { tokens: 3_000, rate: 0, limitless: true } },
    credit: "0.001",
    cap: OVERRUN,
    run: untilRefused(async ({ ask: again, body, topUp }) => {
      await again(body({ limit: 10 }));
      await topUp("0.001");
    }),
  },
  {
    ...straight,
    credit: "0.05",
    name: "images by URL",
    refusable: true,
    tries: "Sends ten image URLs per request, 60 requests in parallel, with 0.05 credits.",
    model: { habit: { tokens: 20, rate: 0, mediaTokens: 16_000 } },
    cap: OVERRUN,
    run: flood(60, (lane) => lane.body({ limit: 20, extra: pictures(lane) })),
  },
  {
    ...straight,
    credit: "0.05",
    name: "document by URL",
    refusable: true,
    tries: "Sends the URL of a document of a hundred pages, 20 requests in parallel, with 0.05 credits.",
    lanes: STRAIGHT.filter(({ caller }) => caller !== "chat"),
    model: { habit: { tokens: 20, rate: 0, mediaTokens: 150_000 } },
    cap: OVERRUN,
    run: flood(20, (lane) =>
      lane.body({
        limit: 20,
        extra: asking(lane.caller, [pdf(lane.caller, "https://documents.example/100-pages.pdf")]),
      }),
    ),
  },
  {
    ...all,
    credit: "0.05",
    name: "text in a field called data",
    refusable: true,
    tries: "Hides 430 KB of text in the arguments of an earlier tool call, under a field name that images use.",
    lanes: [{ caller: "messages", provider: "messages", unit: "credit" }],
    model: { habit: { tokens: 20, rate: 0 } },
    cap: OVERRUN,
    run: flood(10, ({ body }) => {
      const data = "please_summarise_the_following_long_report_".repeat(10_000);
      const use = { type: "tool_use", id: "toolu_1", name: "f", input: { data } };
      const result = { type: "tool_result", tool_use_id: "toolu_1", content: "done" };
      const messages = [
        { role: "user", content: "go" },
        { role: "assistant", content: [use] },
        { role: "user", content: [result] },
      ];
      return body({ limit: 20, extra: { messages } });
    }),
  },
  ...(
    [
      ["rare scripts", rareLetters(0xa000, 1_000)],
      ["a script of few letters", rareLetters(0x7c0, 50)],
      ["random words", gibberish()],
    ] as const
  ).map(([what, prompt]): PriceAttempt => ({
    ...straight,
    credit: "0.05",
    name: `prompts: ${what}`,
    refusable: true,
    tries: `Sends prompts of ${what}, which have more tokens than their length suggests, 40 in parallel with 0.05 credits.`,
    model: { habit: { tokens: 20, rate: 0 } },
    cap: OVERRUN,
    run: flood(40, ({ body }) => body({ limit: 20, prompt })),
  })),
  {
    ...straight,
    credit: "0.01",
    name: "prompts: words that another vocabulary cuts up",
    refusable: true,
    tries:
      "Sends prompts of a word that is one token in the vocabulary that the gateway counts with near the edge and six at the provider, 40 in parallel with 0.01 credits, twice.",
    // One of six is counted by the provider itself.
    model: { habit: { tokens: 20, rate: 0, mediaTokens: 5 * CUT_WORDS } },
    cap: OVERRUN,
    run: async (arms) => {
      for (let time = 0; time < 2; time++)
        await flood(40, ({ body }) => body({ limit: 20, prompt: " werkzaamheden".repeat(CUT_WORDS) }))(arms);
    },
  },
  {
    ...all,
    name: "prompt beyond the context window",
    refusable: true,
    tries:
      "Sends 9,000 words to a model with a window of 4,000 tokens and disconnects when the provider has read them.",
    model: { habit: {}, contextWindow: 4_000, maxOutputTokens: 2_000 },
    run: async ({ ask: again, body }) => {
      await again(body({ prompt: "word ".repeat(9_000), limit: 10 }));
    },
  },
  {
    ...all,
    name: "odd output limits",
    tries: "Sends output limits that are huge, fractional, strings, null, negative or given twice.",
    model: { habit: { tokens: 400, rate: 0 } },
    run: async ({ caller, ask: again, body }) => {
      const name = caller === "responses" ? "max_output_tokens" : "max_tokens";
      for (const limit of [1, 0, -1, 1.5, "5", null, 1e30, 1e16, true])
        await again(body({ limit: null, prompt: LONG_PROMPT, extra: { [name]: limit } }));
      if (caller === "chat")
        await again(body({ limit: 1, prompt: LONG_PROMPT, extra: { max_completion_tokens: 400 } }));
    },
  },
  {
    ...all,
    name: "odd numbers of choices",
    tries: "Requests 0, 128, 1.5, '8', null and -1 choices.",
    lanes: CHAT_LANES,
    model: { habit: { tokens: 50, rate: 0 } },
    run: async ({ ask: again, body }) => {
      for (const n of [0, 128, 1.5, "8", null, -1, 3])
        await again(body({ limit: 50, prompt: LONG_PROMPT, extra: { n } }));
    },
  },
  {
    ...all,
    name: "stop sequences and odd encodings",
    tries: "Sends stop sequences and Accept-Encoding values that make answers end early or arrive compressed.",
    model: { habit: { tokens: 300, rate: 0 } },
    run: async ({ caller, ask: again, body }) => {
      const stop = caller === "chat" ? { stop: ["zzz"] } : caller === "messages" ? { stop_sequences: ["zzz"] } : {};
      for (const coding of ["gzip", "br, zstd", "identity;q=0", "*;q=0"])
        await again(body({ stream: true, prompt: LONG_PROMPT, extra: stop }), { "accept-encoding": coding });
    },
  },
];
