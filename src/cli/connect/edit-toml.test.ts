import { expect, test } from "vitest";
import { CannotEdit } from "./cannot-edit.ts";
import { setToml } from "./edit-toml.ts";

const SETTINGS = {
  root: { model: "m", model_provider: "tollgate" },
  rootIfAbsent: { web_search: "disabled" },
  table: "model_providers.tollgate",
  values: { name: "Tollgate", base_url: "https://g/v1" },
};

test("an absent file gets the names and the table", () => {
  expect(setToml("", SETTINGS)).toBe(
    'model = "m"\nmodel_provider = "tollgate"\nweb_search = "disabled"\n\n[model_providers.tollgate]\nname = "Tollgate"\nbase_url = "https://g/v1"\n',
  );
});

test("other names, tables, comments and arrays over several lines stay, and new names stand before the first table", () => {
  const before = `# mine
model = "gpt" # the good one
web_search = "live"
notify = [
  ["a"],
  [ "[x]" ]
]

[mcp_servers.docs]
command = "npx" # model = "z"

[[rules]]
model = "inner"
`;

  expect(setToml(before, SETTINGS)).toBe(
    `${before
      .replace('model = "gpt" #', 'model = "m" #')
      .replace(
        "]\n]\n",
        ']\n]\nmodel_provider = "tollgate"\n',
      )}\n[model_providers.tollgate]\nname = "Tollgate"\nbase_url = "https://g/v1"\n`,
  );
});

test("our table is brought up to date in its place and keeps what somebody added", () => {
  const before = `model_provider = 'tollgate'
model = "m"
web_search = "disabled"

[model_providers.tollgate]
base_url = "http://old/v1"
stream_max_retries = 0

[other]
x = 1
`;

  expect(setToml(before, SETTINGS)).toBe(
    before
      .replace("http://old/v1", "https://g/v1")
      .replace("stream_max_retries = 0\n", 'stream_max_retries = 0\nname = "Tollgate"\n'),
  );
});

test("a value for those who have one already replaces theirs, and is new to nobody", () => {
  const settings = { ...SETTINGS, valuesIfPresent: { supports_websockets: { toml: "false" } } };
  const without = setToml("", SETTINGS);

  expect(setToml("", settings)).toBe(without);
  expect(setToml(without, settings)).toBe(without);
  expect(setToml(`${without}supports_websockets = true\n`, settings)).toBe(`${without}supports_websockets = false\n`);
});

test("settings that are there already change no byte, with the line ends of Windows too", () => {
  const written = setToml('x = 1\r\n[y]\r\nz = "a"\r\n', SETTINGS);

  expect(written).toContain('[model_providers.tollgate]\r\nname = "Tollgate"\r\n');
  expect(setToml(written, SETTINGS)).toBe(written);
});

test.each([
  ['text = """\nmodel = "x"\n"""\n', "texts over several lines"],
  ['model_providers.tollgate.name = "x"\n', "outside of a table"],
  ['[model_providers]\ntollgate = { name = "x" }\n', "outside of a table"],
  ["model_providers = { }\n", "outside of a table"],
  ["[model_providers.tollgate]\n[model_providers.tollgate.headers]\n", "more than one table"],
  ['model = [\n"a"]\n', "spans several lines"],
])("%j is refused", (text, why) => {
  expect(() => setToml(text, SETTINGS)).toThrow(CannotEdit);
  expect(() => setToml(text, SETTINGS)).toThrow(why);
});
