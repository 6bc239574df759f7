import { type ReactNode, useEffect, useRef, useState } from "react";

/** Makes what it has once it is in sight: what nobody scrolls to is not asked for. Until then it keeps the room. */
export function InSight({ height, children }: { height: number; children: ReactNode }): ReactNode {
  const place = useRef<HTMLDivElement>(null);
  const [isSeen, setIsSeen] = useState(false);
  useEffect(() => {
    if (place.current === null || isSeen) return undefined;
    const observer = new IntersectionObserver(([entry]) => entry?.isIntersecting && setIsSeen(true));
    observer.observe(place.current);
    return () => observer.disconnect();
  }, [isSeen]);
  return (
    <div ref={place} className="grid min-w-0" style={isSeen ? {} : { minHeight: height }}>
      {isSeen && children}
    </div>
  );
}
