import { testForbidden } from "../generation/test-forbidden.ts";
import { COUNT } from "../operations.ts";

testForbidden(COUNT);
