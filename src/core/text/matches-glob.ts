/** Whether a text is as a pattern says, in which `*` stands for any characters and `?` for one; a slash is a character like any other. */
export function matchesGlob(text: string, pattern: string): boolean {
  let [textAt, patternAt, starAt, resumeAt] = [0, 0, -1, 0];
  while (textAt < text.length) {
    const wanted = pattern[patternAt];
    if (wanted === "*") {
      starAt = patternAt++;
      resumeAt = textAt;
    } else if (wanted === "?" || wanted === text[textAt]) {
      textAt++;
      patternAt++;
    } else if (starAt >= 0) {
      // The last star takes one character more; earlier ones need not be tried again.
      patternAt = starAt + 1;
      textAt = ++resumeAt;
    } else return false;
  }
  return /^\**$/.test(pattern.slice(patternAt));
}
