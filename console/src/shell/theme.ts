import { useSyncExternalStore } from "react";

/** `system`: as the reader's system has it. */
export type Theme = "system" | "light" | "dark";

/** early-theme.js reads the same name before the page is painted. */
const NAME = "tollgate.theme";
const listeners = new Set<() => void>();

const readTheme = (): Theme => (document.documentElement.dataset["theme"] as Theme | undefined) ?? "system";

export function chooseTheme(theme: Theme): void {
  if (theme === "system") delete document.documentElement.dataset["theme"];
  else document.documentElement.dataset["theme"] = theme;
  try {
    localStorage.setItem(NAME, theme);
  } catch {
    // Without storage the choice lasts as long as the page.
  }
  for (const listener of listeners) listener();
}

export const useTheme = (): Theme =>
  useSyncExternalStore((listener) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  }, readTheme);
