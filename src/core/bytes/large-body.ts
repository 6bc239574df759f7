/**
 * Above this many bytes a body is read and translated in a thread of its own, because work on it could keep every other request
 * waiting. Of the shapes that fit below it the worst takes some 30 ms; `tests/chaos/busy-loop` tries them.
 */
export const LARGE_BODY_BYTES = 65_536;
