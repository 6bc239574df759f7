/**
 * Above this many bytes a body is read and translated in a thread of its own, because work on it could keep every other request
 * waiting. Measured in `src/offload/inline-cost.test.ts`: the worst that fits below it.
 */
export const LARGE_BODY_BYTES = 131_072;
