import { fieldFault } from "../../core/fault.ts";

/** Where somebody goes who said nothing: it shows who they are. */
const DEFAULT = "/admin/v1/session";

const PATH = /^\/(?![/\\])[\x21-\x5b\x5d-\x7e]{0,1000}$/;
const HERE = "http://here.invalid";

/** A path of this listener and nothing else, so that no link to a sign-in leads elsewhere. */
export function checkReturnPath(path: string | null): string {
  if (path === null) return DEFAULT;
  if (!PATH.test(path) || URL.parse(path, HERE)?.origin !== HERE)
    throw fieldFault("return_to", "Input should be a path of this listener, such as /admin/v1/session");
  return path;
}
