import { type KeyboardEvent, useState } from "react";

type Parts = { id: string; count: number; onPick: (at: number) => void };

/** A list under an input, which keeps the focus: the arrows choose in it, Enter picks. */
export function useListbox({ id, count, onPick }: Parts) {
  const [at, setAt] = useState(0);
  const onKeyDown = (event: KeyboardEvent): void => {
    const moves: Record<string, number> = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: count - 1 };
    const next = moves[event.key];
    if (next !== undefined) setAt((next + count) % Math.max(1, count));
    else if (event.key === "Enter") onPick(at);
    else return;
    event.preventDefault();
  };
  const optionId = (index: number): string => `${id}-${index}`;
  const input = {
    "aria-activedescendant": at < count ? optionId(at) : undefined,
    autoComplete: "off",
    spellCheck: false,
  } as const;
  return { at, setAt, onKeyDown, optionId, input };
}
