/** A file that cannot be changed without a guess. The reason is shown with the lines to paste. */
export class CannotEdit extends Error {
  override readonly name = "CannotEdit";
}
