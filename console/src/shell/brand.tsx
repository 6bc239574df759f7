import type { ReactNode } from "react";

/** A gate: a post and its bar. */
export const Brand = (): ReactNode => (
  <span className="flex h-8 items-center gap-2 px-1.5 text-title font-semibold tracking-tight">
    <svg width={22} height={22} viewBox="0 0 32 32" aria-hidden="true">
      <rect width={32} height={32} rx={7} fill="#17653f" />
      <path d="M9 8v16M9 14l15-5" stroke="#fff" strokeWidth={3.4} strokeLinecap="round" />
    </svg>
    Tollgate
  </span>
);
