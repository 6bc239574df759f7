import { expect, test } from "vitest";
import { CLIENT_SETUPS } from "../../wire/client-setup/clients.ts";
import { type ClientName, CLIENTS } from "./clients.ts";
import { type ClientConnection, NO_KEY } from "./connection.ts";

const CONNECTION: ClientConnection = {
  origin: "https://gate.example/token",
  key: NO_KEY,
  model: "acme-large",
  limits: { context: 128_000, output: 4096 },
  sockets: null,
};

/** Which of the console's clients each one of the command is. */
const SAME: Record<ClientName, readonly string[]> = {
  "claude-code": ["claude-code"],
  codex: ["codex"],
  cursor: ["cursor"],
  opencode: ["opencode"],
  "openai-sdk": ["openai-js", "openai-python", "openai-go"],
  "anthropic-sdk": ["anthropic-js", "anthropic-python"],
};
const pairs = Object.entries(SAME).flatMap(([name, ids]) => ids.map((id) => ({ name: name as ClientName, id })));
const dedented = (text: string): string => text.replaceAll(/^ +/gm, "");

test.each(pairs)("`tollgate connect $name` and the console's $id say the same", ({ name, id }) => {
  const setup = CLIENT_SETUPS.find((one) => one.id === id);
  const shown = setup?.parts(CONNECTION).map(({ text }) => dedented(text)) ?? [];
  const printed = dedented(CLIENTS[name].paste(CONNECTION));

  if (setup?.group === "Libraries") expect(shown).toContain(printed);
  else for (const text of shown) expect(printed).toContain(text);
  expect(shown).not.toEqual([]);
});

test("a key is shortened in what is printed, and a line of the shell takes it from the variable", () => {
  const key = "tgc_0123456789abcdef0123";
  const printed = (name: ClientName): string => CLIENTS[name].paste({ ...CONNECTION, key });

  expect(printed("claude-code")).toContain('ANTHROPIC_AUTH_TOKEN="$TOLLGATE_KEY"');
  expect(printed("openai-sdk")).toContain('OPENAI_API_KEY="$TOLLGATE_KEY"');
  for (const name of Object.keys(SAME)) expect(printed(name as ClientName)).not.toContain(key);
});
