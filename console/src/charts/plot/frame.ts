/** A span of the horizontal axis that can be pointed at, reached with the keyboard and picked. */
export type Stop = { from: number; to: number };

/** Where things are, in pixels of the plot's inside. */
export type Frame = { width: number; height: number; x: (at: number) => number; y: (value: number) => number };

export type Tick = { at: number; label: string };
