import { testForbidden } from "../generation/test-forbidden.ts";
import { MESSAGE } from "../operations.ts";

testForbidden(MESSAGE);
