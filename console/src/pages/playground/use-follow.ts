import { type RefObject, useEffect, useRef } from "react";

/** Within so much of the end, a reader is taken to be reading along. */
const NEAR_PX = 160;

/** Keeps the end of a list that grows in sight, unless its reader has scrolled up. */
export function useFollow<Box extends HTMLElement>(length: number): RefObject<Box | null> {
  const box = useRef<Box>(null);
  const before = useRef(0);
  useEffect(() => {
    const { current } = box;
    if (!current || length === 0) return;
    if (before.current - current.scrollTop - current.clientHeight < NEAR_PX) current.scrollTop = current.scrollHeight;
    before.current = current.scrollHeight;
  }, [length]);
  return box;
}
