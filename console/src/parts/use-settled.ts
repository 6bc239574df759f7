import { useEffect, useState } from "react";

/** The gateway takes no longer text. */
export const LONGEST_SEARCH = 100;

/** Somebody who types pauses for less. */
const PAUSE_MS = 150;

/** The text once nothing more is typed for a moment, without what surrounds it. Undefined: none is left. */
export function useSettled(text: string | undefined): string | undefined {
  const [settled, setSettled] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [text]);
  return settled?.trim().slice(0, LONGEST_SEARCH) || undefined;
}
