import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { readWithSdk, understood } from "../../../tests/sdk/read-with-sdk.ts";
import { framed } from "../../../tests/sdk/recorded-answer.ts";
import { recordings } from "../../../tests/support/recordings.ts";
import { type Pair, PAIRS, relayAnswer } from "../../../tests/translation/relay-answer.ts";
import { requestOf } from "../../../tests/translation/request-of.ts";
import type { ClientDialect } from "../../core/request/dialect.ts";
import { pickTranslator } from "../pick-translator.ts";

const ORIGIN = { requestId: "req_00ff", createdAtSeconds: 1_700_000_000 };
/** Recorded failures, a broken stream, two answers run together, and content in parts that its own format does not know. */
const NO_ANSWERS =
  /^(openai-error|reasoning-model|parallel-tool-call-wrapper\.1\.chunks|spliced-message-start|mistral-reasoning\.json)/;
/** The end of one says otherwise than its pieces, and one has an event that its own client gives up at. */
const INCOMPARABLE = /^(openai-shell-container\.|openai-apply-patch-tool\.1\.chunks)/;

/** What only providers speak has no client whose reading could be compared; see `tests/conformance/recorded-crossings.test.ts`. */
const spokenByClients = PAIRS.flatMap(({ client, provider, route }) =>
  provider === "gemini" || provider === "converse" ? [] : [{ client, provider, route }],
);
const recorded = spokenByClients
  .filter(({ route }) => route === "translated")
  .flatMap((pair) =>
    recordings(pair.provider)
      .filter(({ name }) => !NO_ANSWERS.test(name) && !INCOMPARABLE.test(name))
      .map((file) => ({ ...file, pair, title: `${file.name} of ${pair.provider} for ${pair.client}` })),
  );
const streams = recorded.filter(({ lines }) => lines.length > 0);
const wholes = recorded.filter(({ name }) => name.endsWith(".json"));

/** The way of the same answer to a client of the provider's own format. */
const straight = ({ provider }: { provider: ClientDialect }): Pair => ({
  client: provider,
  provider,
  route: "normalised",
});

describe.skipIf(recorded.length === 0)("a recorded answer in another format", () => {
  test.each(streams)(
    "the stream $title says the same to that format's official client as in its own, and is metered the same",
    async ({ pair, lines }) => {
      const bytes = Buffer.from(framed(pair.provider, lines));

      const crossed = await relayAnswer(pair, [bytes]);
      const own = await relayAnswer(straight(pair), [bytes]);

      expect(crossed.outcome).toBe("completed");
      expect(crossed.usage).toEqual(own.usage);
      expect(understood(await readWithSdk(pair.client, crossed.text))).toEqual(
        understood(await readWithSdk(pair.provider, own.text)),
      );
    },
  );

  test.each(wholes)("the whole answer $title says the same as in its own format, and is metered the same", (file) => {
    const { client, provider } = file.pair;
    const bytes = readFileSync(file.path);
    const read = (dialect: ClientDialect) =>
      pickTranslator(dialect, { dialect: provider, conformant: true }).plain(bytes, requestOf(dialect), ORIGIN);

    const crossed = read(client);

    expect(crossed.usage).toEqual(read(provider).usage);
    expect(understood(JSON.parse(crossed.bytes.toString()) as object)).toEqual(
      understood(JSON.parse(bytes.toString()) as object),
    );
  });
});
