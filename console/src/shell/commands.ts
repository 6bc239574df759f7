import { useNavigate } from "@tanstack/react-router";
import type { IconName } from "../parts/icon.tsx";
import type { OwnPage } from "../routes/page.ts";
import { RANGES } from "./range.ts";
import { chooseTheme } from "./theme.ts";
import { usePageSearch } from "./use-range.ts";

export type Command = {
  id: string;
  title: string;
  /** Beside the title. */
  note?: string;
  group: string;
  icon: IconName;
  words: string;
  run: () => void;
};

/** Something that is found by asking the gateway. */
export type Found = {
  id: string;
  kind: "account" | "key";
  title: string;
  note: string;
  /** What a filter calls it. */
  word: string;
};
export type Find = (search: string, signal: AbortSignal) => Promise<readonly Found[]>;

/** `reference`: what the description of the API is called. `openFound`: null where nothing is searched for. */
export type CommandParts = { pages: readonly OwnPage[]; reference: string; openFound: ((found: Found) => void) | null };

/** All that can be done from the palette. */
export function useCommands({ pages, reference }: Omit<CommandParts, "openFound">): Command[] {
  const navigate = useNavigate();
  const { change } = usePageSearch();
  return [
    ...pages.map(({ path, title, icon, words }) => ({
      id: path,
      title,
      icon,
      words,
      group: "Go to",
      run: () => void navigate({ to: path }),
    })),
    ...Object.entries(RANGES).map(([id, { name }]) => ({
      id: `range ${id}`,
      title: name,
      icon: "clock" as const,
      words: `time span range ${id}`,
      group: "Show",
      run: () => change({ range: id, from: undefined, to: undefined }),
    })),
    {
      id: "theme system",
      title: "Theme as the system",
      icon: "screen",
      words: "appearance colour mode",
      group: "Theme",
      run: () => chooseTheme("system"),
    },
    {
      id: "theme light",
      title: "Light theme",
      icon: "sun",
      words: "appearance colour mode bright",
      group: "Theme",
      run: () => chooseTheme("light"),
    },
    {
      id: "theme dark",
      title: "Dark theme",
      icon: "moon",
      words: "appearance colour mode night",
      group: "Theme",
      run: () => chooseTheme("dark"),
    },
    {
      id: "api",
      title: reference,
      icon: "info",
      words: "openapi documentation docs",
      group: "Help",
      run: () => location.assign("/docs"),
    },
  ];
}

/** The commands that every word of the query begins a word of; those whose title it begins come first. */
export function findCommands(all: readonly Command[], query: string): Command[] {
  const asked = query.toLowerCase().split(/\s+/).filter(Boolean);
  const begins = (text: string, word: string): boolean =>
    text
      .toLowerCase()
      .split(/[\s/]+/)
      .some((each) => each.startsWith(word));
  const found = all.filter(({ title, group, words }) =>
    asked.every((word) => begins(`${title} ${group} ${words}`, word)),
  );
  const rank = ({ title }: Command): number => (asked.every((word) => begins(title, word)) ? 0 : 1);
  return found.toSorted((one, other) => rank(one) - rank(other));
}
