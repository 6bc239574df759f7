/**
 * How Node is started for `serve`. A request leaves tens of kilobytes behind; in a young generation of the usual size, what is under way
 * is taken for old before it ends, and cleaning that up costs much of what the request itself costs. docs/bench has the figures.
 */
export const SERVE_FLAGS = ["--min-semi-space-size=16", "--max-semi-space-size=64"];
