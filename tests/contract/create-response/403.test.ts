import { testForbidden } from "../generation/test-forbidden.ts";
import { RESPONSES } from "../operations.ts";

testForbidden(RESPONSES);
