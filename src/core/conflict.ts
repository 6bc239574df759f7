/**
 * An operator asks for something that the present state of things rules out. Callers of the public interface never meet it, so
 * it is no fault code, for which both wire formats would need a word.
 */
export class Conflict extends Error {
  override readonly name: string = "Conflict";
}
