/** An operator asks for something that their role does not allow. Like a conflict, it is no fault code: clients of the public interface never meet it. */
export class Forbidden extends Error {
  override readonly name: string = "Forbidden";
}
