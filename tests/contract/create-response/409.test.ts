import { testConflict } from "../generation/test-conflict.ts";
import { RESPONSES } from "../operations.ts";

testConflict(RESPONSES);
