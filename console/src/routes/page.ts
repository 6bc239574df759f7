import type { RegisteredRouter } from "@tanstack/react-router";
import type { ComponentType } from "react";
import type { IconName } from "../parts/icon.tsx";

/** Something that has an address of its own. */
export type Place<Path extends string = string, Name extends string = string> = {
  path: Path;
  /** What its address has beside the span and the filters of all pages. */
  search?: readonly Name[];
  load: () => Promise<Record<string, ComponentType>>;
};

export type Page = Place & {
  title: string;
  icon: IconName;
  /** What it is listed under; pages of one group stand together. Null: it is reached from the menu of the reader. */
  group: string | null;
  /** Whether it shows a span of time: then the bar has the choice of one. */
  ranged: boolean;
  /** What else people call it, for the palette. */
  words: string;
  /** Needed once: not in the navigation, but in the palette. */
  once?: true;
};

/** The addresses of this console that name no thing, so that they need no parameters. */
type PagePath = Exclude<keyof RegisteredRouter["routesByPath"], `${string}$${string}`>;
/** A page that the navigation and the palette can lead to. */
export type OwnPage = Page & { path: PagePath };
