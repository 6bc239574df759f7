import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { addressOf, SITE_URL } from "../../scripts/site/address.ts";

const ROOT = join(import.meta.dirname, "../..");
const read = (path: string): string => readFileSync(join(ROOT, path), "utf8");

type Rule = {
  alert?: string;
  record?: string;
  expr: string;
  labels?: { severity?: string };
  annotations?: { summary?: string; description?: string; runbook_url?: string; runbook?: string };
};
const RULES_FILE = "deploy/prometheus/rules/tollgate.rules.yml";
const { groups } = parse(read(RULES_FILE)) as { groups: { rules: Rule[] }[] };
const rules = groups.flatMap((group) => group.rules);
const alerts = rules.filter(({ alert }) => alert !== undefined);

/** As documents.test.ts makes them. */
const anchorsOf = (markdown: string): Set<string> =>
  new Set(
    [...markdown.matchAll(/^#+ (.+)$/gm)].map(([, title = ""]) =>
      title
        .toLowerCase()
        .replaceAll(/[^\p{L}\p{N} _-]/gu, "")
        .replaceAll(" ", "-"),
    ),
  );

/** The file of a page of the documentation site, by its URL; null when the site has no such page. */
function documentAt(url: string): { page: string | null; anchor: string } {
  const [address = "", anchor = ""] = url.split("#");
  const page = globSync("docs/**/*.md", { cwd: ROOT }).find((path) => `${SITE_URL}${addressOf(path)}/` === address);
  return { page: page ?? null, anchor };
}

test("the URL of a runbook is one of a page that exists", () => {
  expect(documentAt(`${SITE_URL}operate/failure-modes/#money-alarms`)).toEqual({
    page: "docs/operate/failure-modes.md",
    anchor: "money-alarms",
  });
  expect(documentAt(`${SITE_URL}operate/failure-mode/#money-alarms`).page).toBeNull();
  expect(documentAt("docs/operate/failure-modes.md#money-alarms").page).toBeNull();
  expect(new URL(SITE_URL).protocol).toBe("https:");
});

test("every alert has a severity, a summary, a number or a name, and a section that says what to do", () => {
  const incomplete = alerts.filter(({ labels, annotations }) => {
    const { page, anchor } = documentAt(annotations?.runbook_url ?? "");
    return !(
      ["critical", "warning"].includes(labels?.severity ?? "") &&
      annotations?.summary?.endsWith(".") &&
      annotations.description?.endsWith(".") &&
      page !== null &&
      anchorsOf(read(page)).has(anchor) &&
      annotations.runbook === undefined
    );
  });

  expect(alerts.length).toBeGreaterThan(20);
  expect(incomplete.map(({ alert }) => alert)).toEqual([]);
});

test("the page on monitoring lists every alert with its severity, its summary and its section", () => {
  const rows = [
    ...read("docs/operate/monitoring.md").matchAll(/^\| `(Tollgate\w+)` \| (\w+) \| (.+) \| \[.+\]\((.+)\) \|$/gm),
  ];

  expect(rows.map(([, ...cells]) => cells)).toEqual(
    alerts.map(({ alert, labels, annotations }) => [
      alert,
      labels?.severity,
      annotations?.summary,
      annotations?.runbook_url?.replace(`${SITE_URL}operate/failure-modes/`, "failure-modes.md"),
    ]),
  );
});

type Dashboard = {
  uid: string;
  panels: { type: string; title: string; description?: string; targets?: { expr: string }[] }[];
  templating: { list: { definition?: string }[] };
};
const dashboards = globSync("deploy/grafana/dashboards/*.json", { cwd: ROOT }).map(
  (path) => JSON.parse(read(path)) as Dashboard,
);

test("every metric of the rules and dashboards is in the reference or recorded by a rule", () => {
  const reference = read("docs/reference/metrics.md");
  const recorded = new Set(rules.map(({ record }) => record));
  const expressions = [
    ...rules.map(({ expr }) => expr),
    ...dashboards.flatMap(({ panels }) => panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr))),
    ...dashboards.flatMap(({ templating }) => templating.list.map(({ definition = "" }) => definition)),
  ];
  const named = expressions.flatMap((text) =>
    [...text.matchAll(/[a-z_]*:?\btollgate_[a-z_]+(?::\w+)?/g)].map(([name]) => name),
  );
  const base = (name: string): string => name.replace(/_(?:bucket|sum|count)$/, "");

  expect(named.length).toBeGreaterThan(130);
  expect(named.filter((name) => !recorded.has(name) && !reference.includes(`\`${base(name)}\``))).toEqual([]);
});

test("every panel of the dashboards says what it shows, and the page on monitoring names every dashboard", () => {
  const page = read("docs/operate/monitoring.md");
  const mute = dashboards.flatMap(({ panels }) =>
    panels.filter(({ type, description }) => type !== "row" && !description?.endsWith(".")),
  );

  expect(dashboards).toHaveLength(4);
  expect(mute.map(({ title }) => title)).toEqual([]);
  expect(dashboards.filter(({ uid }) => !page.includes(`\`${uid}\``)).map(({ uid }) => uid)).toEqual([]);
});

test("the tests of the rules see every alert fire", () => {
  const tests = read("deploy/prometheus/rules/tollgate.rules-tests.yml");
  const unseen = alerts.filter(
    ({ alert, labels }) => !tests.includes(`alertname="${alert}",severity="${labels?.severity}"`),
  );

  expect(unseen.map(({ alert }) => alert)).toEqual([]);
});
