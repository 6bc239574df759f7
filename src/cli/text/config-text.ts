import type { ConfigRow } from "../../config/describe.ts";
import { PLAIN, type Screen, type Tone } from "./screen.ts";
import { table } from "./table.ts";

export const configListing = (rows: readonly ConfigRow[], screen: Screen = PLAIN): string =>
  table(
    ["=SETTING", "VALUE", "SOURCE"],
    rows.map(({ path, value, source }) => [path, value, source]),
    { screen, tone: settingTone },
  );

/** What an operator set is what they look for; defaults step back. */
const settingTone = (cell: string, title: string): Tone | null =>
  (title === "SOURCE" && cell === "default") || cell === "unset" ? "secondary" : null;
