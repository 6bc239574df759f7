import type { ReactNode } from "react";

/** Sixteen by sixteen, one stroke, the colour of the text beside it. */
const PATHS = {
  overview: "M2.5 13.5v-5M6.2 13.5v-9M9.8 13.5V7M13.5 13.5v-11",
  live: "M8 8h.01M5.2 10.8a4 4 0 0 1 0-5.6M10.8 5.2a4 4 0 0 1 0 5.6M3.1 12.9a7 7 0 0 1 0-9.8M12.9 3.1a7 7 0 0 1 0 9.8",
  requests: "M2.5 4h11M2.5 8h11M2.5 12h7",
  accounts: "M8 2.5v3M8 5.5H3.5V9M8 5.5h4.5V9M2 9h3v4H2zM11 9h3v4h-3z",
  keys: "M9.2 6.8a3 3 0 1 1 0-.1M9 8l-5.5 5.5M5.5 11.5l1.5 1.5M3.5 13.5l1 1",
  ledger: "M3.5 2.5h9v11h-9zM6 5.5h4M6 8h4M6 10.5h2.5",
  models: "M8 2.2l5 2.9v5.8l-5 2.9-5-2.9V5.1zM3 5.1l5 2.9 5-2.9M8 8v5.8",
  providers: "M3 3h10v4H3zM3 9h10v4H3zM5.5 5h.01M5.5 11h.01",
  people:
    "M6 7.5a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5zM1.5 13.5c0-2.5 2-4 4.5-4s4.5 1.5 4.5 4M10.5 2.8a2.5 2.5 0 0 1 0 4.4M12.5 9.9c1.3.7 2 1.9 2 3.6",
  audit: "M8 1.8l5 2v4c0 3-2 5.4-5 6.4-3-1-5-3.4-5-6.4v-4zM5.8 8l1.6 1.6 2.9-3",
  notices: "M3.5 11.5h9l-1.2-1.8V7a3.3 3.3 0 0 0-6.6 0v2.7zM6.8 13.5h2.4",
  settings:
    "M2.5 4.5h6M11.5 4.5h2M2.5 11.5h2M7.5 11.5h6M10 6a1.5 1.5 0 1 0 0-3 1.5 1.5 0 0 0 0 3zM6 13a1.5 1.5 0 1 0 0-3 1.5 1.5 0 0 0 0 3z",
  system: "M1.5 8.5h3l2-5 3 9.5 2-4.5h3",
  search: "M7 11.5a4.5 4.5 0 1 0 0-9 4.5 4.5 0 0 0 0 9zM10.3 10.3l3.2 3.2",
  sun: "M8 10.8a2.8 2.8 0 1 0 0-5.6 2.8 2.8 0 0 0 0 5.6zM8 1.5v1.2M8 13.3v1.2M1.5 8h1.2M13.3 8h1.2M3.4 3.4l.9.9M11.7 11.7l.9.9M3.4 12.6l.9-.9M11.7 4.3l.9-.9",
  moon: "M13.2 9.6A5.6 5.6 0 0 1 6.4 2.8a5.6 5.6 0 1 0 6.8 6.8z",
  screen: "M2.5 3h11v7.5h-11zM5.5 13.2h5M8 10.5v2.7",
  table: "M2.5 3h11v10h-11zM2.5 6.3h11M2.5 9.6h11M6.5 6.3V13",
  chart: "M2.5 2.5v11h11M5 10.5l2.5-3.2 2.2 1.6 3.3-4.4",
  download: "M8 2.5v7.2M5 7l3 3 3-3M3 13h10",
  copy: "M5.5 5.5h8v8h-8zM10.5 5.5v-3h-8v8h3",
  check: "M3 8.5l3.2 3.2L13 4.8",
  close: "M4 4l8 8M12 4l-8 8",
  menu: "M2.5 4.5h11M2.5 8h11M2.5 11.5h11",
  down: "M4.5 6.5L8 10l3.5-3.5",
  columns: "M2.5 3h11v10h-11zM6.2 3v10M9.8 3v10",
  warn: "M8 2.5l6 10.8H2zM8 6.8v3M8 11.6h.01",
  info: "M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12zM8 7.4v3.4M8 5.2h.01",
  clock: "M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12zM8 4.8V8l2.2 1.6",
  leave: "M6.5 2.5h-4v11h4M10 5l3 3-3 3M13 8H6",
  play: "M4.5 3l8 5-8 5z",
  stop: "M4 4h8v8H4z",
  connect: "M6.5 9.5l3-3M7 5l1.6-1.6a2.8 2.8 0 0 1 4 4L11 9M9 11l-1.6 1.6a2.8 2.8 0 0 1-4-4L5 7",
  retry: "M13 8a5 5 0 1 1-1.5-3.6M13 2.5v3h-3",
} as const;

export type IconName = keyof typeof PATHS;

export const Icon = ({ name, size = 16 }: { name: IconName; size?: number }): ReactNode => (
  <svg
    width={size}
    height={size}
    viewBox="0 0 16 16"
    fill="none"
    stroke="currentColor"
    strokeWidth={1.4}
    strokeLinecap="round"
    strokeLinejoin="round"
    aria-hidden="true"
    className="shrink-0"
  >
    <path d={PATHS[name]} />
  </svg>
);
