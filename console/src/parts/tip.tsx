import type { ReactElement, ReactNode } from "react";

/** A word about something, on hover and on focus, drawn by CSS. It never has what is said nowhere else. */
export const Tip = ({ text, children }: { text: string; children: ReactElement }): ReactNode => (
  <span className="tip" data-tip={text}>
    {children}
  </span>
);
