import { testConflict } from "../generation/test-conflict.ts";
import { MESSAGE } from "../operations.ts";

testConflict(MESSAGE);
