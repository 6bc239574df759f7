/** Measures the contrast of every pair of colours that the console puts on each other, as WCAG 2.2 defines it. */
export type Pair = { front: string; ground: string; least: number; light: number; dark: number };
type Theme = "light" | "dark";
type Colours = Record<string, Record<Theme, string>>;

const TEXT = 4.5;
/** Marks, edges of controls and rings. */
const MARK = 3;
const GROUNDS = ["paper", "surface", "raised"];
const SERIES = ["1", "2", "3", "4", "5", "6", "7", "8", "other"].map((name) => `series-${name}`);

const DEMANDS: readonly [fronts: readonly string[], grounds: readonly string[], least: number][] = [
  [["ink", "ink-2", "ink-3"], [...GROUNDS, "sunken"], TEXT],
  [["accent", "good", "warn", "bad"], GROUNDS, TEXT],
  [["accent-ink"], ["accent"], TEXT],
  [["accent"], ["accent-soft"], TEXT],
  [["good"], ["good-soft"], TEXT],
  [["warn"], ["warn-soft"], TEXT],
  [["bad"], ["bad-soft"], TEXT],
  [["ink"], ["accent-soft"], TEXT],
  [["edge"], GROUNDS, MARK],
  [SERIES, ["surface"], MARK],
];

export function measureContrast(css: string): Pair[] {
  const colours = readColours(css);
  return DEMANDS.flatMap(([fronts, grounds, least]) =>
    fronts.flatMap((front) =>
      grounds.map((ground) => {
        const of = (theme: Theme): number => contrast(pick(colours, front, theme), pick(colours, ground, theme));
        return { front, ground, least, light: of("light"), dark: of("dark") };
      }),
    ),
  );
}

export const faintPairs = (pairs: readonly Pair[]): string[] =>
  pairs
    .filter(({ least, light, dark }) => Math.min(light, dark) < least)
    .map(
      ({ front, ground, least, light, dark }) =>
        `${front} on ${ground}: ${light.toFixed(2)} light, ${dark.toFixed(2)} dark; at least ${least}`,
    );

/** The table of docs/explain/console-design.md: for each colour its values, and the faintest ground it stands on. */
export function contrastTable(css: string): string {
  const colours = readColours(css);
  const worst = Map.groupBy(measureContrast(css), ({ front }) => front);
  const rows = [...worst].map(([front, pairs]) => {
    const least = (theme: Theme): string => {
      const { ground, [theme]: ratio } = pairs.toSorted((a, b) => a[theme] - b[theme])[0] as Pair;
      return `${ratio.toFixed(1)} on ${ground}`;
    };
    const { light, dark } = colours[front] as Record<Theme, string>;
    return `| \`${front}\` | \`${light}\` | ${least("light")} | \`${dark}\` | ${least("dark")} | ${pairs[0]?.least} |`;
  });
  return [
    "| Colour | Light | Least contrast | Dark | Least contrast | Required |",
    "|---|---|---|---|---|---|",
    ...rows,
  ].join("\n");
}

function readColours(css: string): Colours {
  const found = css.matchAll(/--([\w-]+): light-dark\((#[0-9a-f]{6}), (#[0-9a-f]{6})\)/g);
  return Object.fromEntries([...found].map(([, name = "", light = "", dark = ""]) => [name, { light, dark }]));
}

function pick(colours: Colours, name: string, theme: Theme): string {
  const colour = colours[name];
  if (colour === undefined) throw new Error(`tokens.css has no colour ${name}`);
  return colour[theme];
}

function contrast(one: string, other: string): number {
  const [light = 0, dark = 0] = [luminance(one), luminance(other)].toSorted((a, b) => b - a);
  return (light + 0.05) / (dark + 0.05);
}

function luminance(hex: string): number {
  const channel = (from: number): number => {
    const share = Number.parseInt(hex.slice(from, from + 2), 16) / 255;
    return share <= 0.040_45 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  };
  return 0.2126 * channel(1) + 0.7152 * channel(3) + 0.0722 * channel(5);
}
